#include "app/engine.h"

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "adapters/memory/memory_rank_index.h"
#include "app/backing.h"
#include "app/board_keeper.h"
#include "app/season_keeper.h"
#include "ingest/pipeline_metrics.h"
#include "leaderboards/catalogue.h"

namespace scoreline::app {

using leaderboards::Catalogue;
using leaderboards::Definition;
using leaderboards::Ledger;

namespace {

constexpr std::chrono::milliseconds kLookAfterBoards = std::chrono::milliseconds{500};

}  // namespace

struct Engine::Parts {
  explicit Parts(const EngineOptions& options)
      : clock(options.clock != nullptr ? *options.clock : system_clock),
        own_random(options.random != nullptr ? nullptr : std::make_unique<SeededRandom>(system_seed())),
        random(own_random ? *own_random : *options.random),
        tell(options.tell) {}

  ~Parts() {
    if (rebuilding.joinable()) rebuilding.join();
  }

  // Destroyed last to first: the pipeline answers what it took before anything that it needs goes.
  SystemClock system_clock;
  const Clock& clock;
  std::unique_ptr<Random> own_random;
  Random& random;
  OpenJobs open_jobs;
  std::function<void(const std::string&)> tell;
  Backing backing;
  std::unique_ptr<Catalogue> catalogue;
  std::optional<leaderboards::Service> service;
  std::optional<ingest::PipelineMetrics> pipeline_metrics;
  std::optional<ingest::Pipeline> pipeline;
  std::optional<BoardKeeper> keeper;  // over shared stores
  std::optional<SeasonKeeper> seasons;
  std::optional<StandbyJobStore> jobs;
  std::thread rebuilding;
};

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  auto backing = open_backing(options.data.string(), options.ledger, options.index, parts->clock, parts->random);
  if (!backing) return fail(std::move(backing).error());
  parts->backing = *std::move(backing);
  auto jobs = job_backing(options.data.string(), options.ledger, options.queues, parts->clock, parts->random);
  if (!jobs) return fail(std::move(jobs).error());
  parts->open_jobs = *std::move(jobs);
  return assemble(std::move(parts), options);
}

Result<std::unique_ptr<Engine>> Engine::open(std::unique_ptr<Ledger> ledger, const EngineOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  parts->backing = back_with(std::move(ledger), parts->random);
  parts->open_jobs = jobs_in_memory(parts->clock, parts->random);
  return assemble(std::move(parts), options);
}

Result<std::unique_ptr<Engine>> Engine::assemble(std::unique_ptr<Parts> parts, const EngineOptions& options) {
  Backing& backing = parts->backing;
  auto catalogue = Catalogue::open(*backing.ledger);
  if (!catalogue) return fail(std::move(catalogue).error());
  parts->catalogue = *std::move(catalogue);
  for (const Definition& definition : options.definitions) {
    if (const auto put = parts->catalogue->put_definition(definition); !put) {
      Error error = put.error();
      error.detail = "leaderboard " + definition.name.text() + ": " + error.detail;
      return fail(std::move(error));
    }
  }
  const auto make_index = [seed = parts->random.bits()] { return std::make_unique<memory::MemoryRankIndex>(seed); };
  parts->service.emplace(*parts->catalogue, *backing.ledger, *backing.index, parts->clock, make_index,
                         parts->random.bits());
  if (options.registry != nullptr) parts->pipeline_metrics.emplace(*options.registry);
  parts->pipeline.emplace(*parts->service, *backing.ledger, *backing.index, parts->clock, parts->random,
                          parts->pipeline_metrics ? &*parts->pipeline_metrics : nullptr);
  if (backing.shared != nullptr) {
    parts->keeper.emplace(*parts->service, *parts->pipeline, backing, parts->clock, options.tell, kLookAfterBoards);
  }
  parts->seasons.emplace(*parts->service, *parts->pipeline, *backing.ledger, *backing.index, make_index, parts->clock,
                         options.tell, options.look_after_seasons);
  return std::unique_ptr<Engine>(new Engine(std::move(parts)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

leaderboards::Service& Engine::service() { return *parts_->service; }
ingest::Pipeline& Engine::pipeline() { return *parts_->pipeline; }
Ledger& Engine::ledger() { return *parts_->backing.ledger; }
StandbyJobStore& Engine::jobs() {
  if (!parts_->jobs) parts_->jobs.emplace(parts_->open_jobs, parts_->tell);
  return *parts_->jobs;
}
leaderboards::RankIndex& Engine::index() { return *parts_->backing.index; }
ingest::DeadLetters& Engine::dead_letters() {
  SCORELINE_CHECK(parts_->backing.dead_letters);
  return *parts_->backing.dead_letters;
}
const Clock& Engine::clock() const { return parts_->clock; }
Random& Engine::random() { return parts_->random; }
const std::vector<std::string>& Engine::notes() const { return parts_->backing.notes; }
bool Engine::index_is_shared() const { return !parts_->backing.index->exclusive(); }

Result<void> Engine::rebuild() { return parts_->service->rebuild(); }

void Engine::start_rebuild() {
  SCORELINE_CHECK(!parts_->rebuilding.joinable());
  parts_->rebuilding = std::thread([this] { static_cast<void>(rebuild()); });
}

}  // namespace scoreline::app
