// Keeps this process in step with the others that share its ledger and index: definitions and seasons that they
// changed are known here within a second; boards that the index lost, or that came from a ledger that was replaced, are
// made again; what a process that is gone recorded and did not show is shown.
//
// One thread. Thread safety: construction and destruction from one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "app/backing.h"
#include "base/clock.h"
#include "base/error.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"

namespace scoreline::app {

class BoardKeeper {
 public:
  /// Looks every `every`. `backing` is a shared one. `tell` hears what an operator should know; on the keeper's thread.
  /// All must outlive it.
  BoardKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline, Backing& backing, const Clock& clock,
              std::function<void(const std::string&)> tell, std::chrono::milliseconds every);
  ~BoardKeeper();
  BoardKeeper(const BoardKeeper&) = delete;
  BoardKeeper& operator=(const BoardKeeper&) = delete;

 private:
  void run();
  Result<void> look();
  Result<void> follow_ledger();
  Result<void> follow_definitions();
  Result<void> make_lost_boards();
  Result<void> show_left_behind();
  Result<void> tell_all_shown();
  /// Tells a failure once, and the end of it.
  void report(const Result<void>& looked);

  leaderboards::Service& service_;
  ingest::Pipeline& pipeline_;
  Backing& backing_;
  leaderboards::SharedLedger& ledger_;
  const Clock& clock_;
  const std::function<void(const std::string&)> tell_;
  const std::chrono::milliseconds every_;
  std::string identity_;
  Monotonic told_all_shown_;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scoreline::app
