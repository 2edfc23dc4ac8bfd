#include "app/engine.h"

#include <string>
#include <thread>
#include <utility>

#include "adapters/memory/memory_rank_index.h"
#include "adapters/sqlite/sqlite_ledger.h"
#include "leaderboards/catalogue.h"

namespace scoreline::app {

using leaderboards::Catalogue;
using leaderboards::Definition;
using leaderboards::Ledger;

struct Engine::Parts {
  Parts(std::unique_ptr<Ledger> truth, std::unique_ptr<Catalogue> known, const EngineOptions& options,
        std::unique_ptr<Random> seeded)
      : clock(options.clock != nullptr ? *options.clock : system_clock),
        own_random(std::move(seeded)),
        random(own_random ? *own_random : *options.random),
        ledger(std::move(truth)),
        catalogue(std::move(known)),
        index(random.bits()),
        service(*catalogue, *ledger, index, clock),
        pipeline(service, *ledger, index, clock, random) {}

  ~Parts() {
    if (rebuilding.joinable()) rebuilding.join();
  }

  // Destroyed last to first: the pipeline answers what it took before anything that it needs goes.
  SystemClock system_clock;
  const Clock& clock;
  std::unique_ptr<Random> own_random;
  Random& random;
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<Catalogue> catalogue;
  memory::MemoryRankIndex index;
  leaderboards::Service service;
  ingest::Pipeline pipeline;
  std::vector<std::string> notes;
  std::thread rebuilding;
};

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  if (options.data.empty()) return fail(Code::usage, "must name the folder of the ledger", "data");
  auto ledger = sqlite::SqliteLedger::open(options.data);
  if (!ledger) return fail(std::move(ledger).error());
  auto notes = (*ledger)->notes();
  auto engine = open(*std::move(ledger), options);
  if (engine) (*engine)->parts_->notes = std::move(notes);
  return engine;
}

Result<std::unique_ptr<Engine>> Engine::open(std::unique_ptr<Ledger> ledger, const EngineOptions& options) {
  auto catalogue = Catalogue::open(*ledger);
  if (!catalogue) return fail(std::move(catalogue).error());
  for (const Definition& definition : options.definitions) {
    if (const auto put = (*catalogue)->put_definition(definition); !put) {
      Error error = put.error();
      error.detail = "leaderboard " + definition.name.text() + ": " + error.detail;
      return fail(std::move(error));
    }
  }
  std::unique_ptr<Random> seeded;
  if (options.random == nullptr) seeded = std::make_unique<SeededRandom>(system_seed());
  return std::unique_ptr<Engine>(
      new Engine(std::make_unique<Parts>(std::move(ledger), *std::move(catalogue), options, std::move(seeded))));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

leaderboards::Service& Engine::service() { return parts_->service; }
ingest::Pipeline& Engine::pipeline() { return parts_->pipeline; }
Ledger& Engine::ledger() { return *parts_->ledger; }
const Clock& Engine::clock() const { return parts_->clock; }
const std::vector<std::string>& Engine::notes() const { return parts_->notes; }

Result<void> Engine::rebuild() { return parts_->service.rebuild(parts_->random.bits()); }

void Engine::start_rebuild() {
  SCORELINE_CHECK(!parts_->rebuilding.joinable());
  parts_->rebuilding = std::thread([this] { static_cast<void>(rebuild()); });
}

}  // namespace scoreline::app
