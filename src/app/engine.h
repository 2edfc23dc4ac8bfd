// The engine in one piece: ledger, index, catalogue, service, pipeline, and the store of jobs. Every door of one
// process (HTTP, command line, C++ library) stands on one Engine; what the engine stands on, three URLs say.
//
// Thread safety: open, rebuild and the destructor from one thread; what it hands out is safe as its own header says.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/standby_job_store.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "ingest/dead_letters.h"
#include "ingest/pipeline.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger.h"
#include "leaderboards/service.h"

namespace prometheus {
class Registry;
}

namespace scoreline::app {

struct EngineOptions {
  std::filesystem::path data;  ///< the folder of an embedded ledger; made when it is not there
  std::string ledger;          ///< URL (see backing.h); empty: embedded in `data`
  std::string index;           ///< URL; empty: in memory
  std::string queues;          ///< URL (see job_backing.h); empty: beside the ledger
  /// From configuration. A new one is made; one that differs from what the ledger has is changed where the boards stay
  /// right, else `open` fails naming the leaderboard.
  std::vector<leaderboards::Definition> definitions;
  const Clock* clock = nullptr;                       ///< nullptr: the system's; must outlive the engine
  Random* random = nullptr;                           ///< nullptr: seeded by the system; must outlive the engine
  prometheus::Registry* registry = nullptr;           ///< for metrics; nullptr: none are kept; must outlive the engine
  std::chrono::milliseconds look_after_seasons{500};  ///< how often seasons are opened and closed when it is time
  /// Hears what an operator should know while the engine runs over shared stores, on a thread of the engine.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

class Engine {
 public:
  /// Opens the stores (and locks a data folder). No board is there yet: `rebuild` or `start_rebuild` comes next.
  /// Errors: locked, damaged, storage_failed; conflict or invalid for a definition; usage for a wrong URL.
  static Result<std::unique_ptr<Engine>> open(const EngineOptions& options);
  /// The same over any ledger, the boards in memory; the URLs of `options` are not looked at.
  static Result<std::unique_ptr<Engine>> open(std::unique_ptr<leaderboards::Ledger> ledger,
                                              const EngineOptions& options);

  /// Answers everything that was submitted, waits for a rebuild under way, then closes the ledger.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  leaderboards::Service& service();
  ingest::Pipeline& pipeline();
  leaderboards::Ledger& ledger();
  /// Only of an engine that opened its ledger itself.
  ingest::DeadLetters& dead_letters();
  leaderboards::RankIndex& index();
  /// Where jobs live. The first call begins to open it; the calls from one thread. In memory alone when the engine was
  /// opened over a ledger.
  StandbyJobStore& jobs();
  const Clock& clock() const;
  Random& random();
  /// Whether reads of the index may wait for another machine.
  bool index_is_shared() const;
  /// What the operator should know about this start; empty when nothing.
  const std::vector<std::string>& notes() const;

  /// Makes every board from the ledger, here and now. Once, and not beside start_rebuild.
  Result<void> rebuild();
  /// The same on a thread of its own: the doors may be open meanwhile and answer not_ready;
  /// `service().progress()` tells how far it is, and why it failed.
  void start_rebuild();

 private:
  struct Parts;
  static Result<std::unique_ptr<Engine>> assemble(std::unique_ptr<Parts> parts, const EngineOptions& options);
  explicit Engine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace scoreline::app
