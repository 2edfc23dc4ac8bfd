// Keeps this process in step with the others that share its ledger and index: definitions and seasons that they
// changed are known here within a second, and boards that the index lost are made again.
//
// One thread. Thread safety: construction and destruction from one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"

namespace scoreline::app {

class BoardKeeper {
 public:
  /// Looks every `every`. `tell` hears what an operator should know; on the keeper's thread. All must outlive it.
  BoardKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline,
              std::function<Result<std::uint64_t>()> definitions_version, std::uint64_t hash_seed,
              std::function<void(const std::string&)> tell, std::chrono::milliseconds every);
  ~BoardKeeper();
  BoardKeeper(const BoardKeeper&) = delete;
  BoardKeeper& operator=(const BoardKeeper&) = delete;

 private:
  void run();
  void look();
  /// Tells a failure once, and the end of it.
  void report(const Result<void>& looked);
  Result<void> refresh();

  leaderboards::Service& service_;
  ingest::Pipeline& pipeline_;
  const std::function<Result<std::uint64_t>()> definitions_version_;
  const std::uint64_t hash_seed_;
  const std::function<void(const std::string&)> tell_;
  const std::chrono::milliseconds every_;
  std::uint64_t known_version_ = 0;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scoreline::app
