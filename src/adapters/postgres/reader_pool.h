// A few sessions for reads, opened when they are needed and kept.
//
// Thread safety: all calls from any thread. A read waits for a free session, at most until its deadline.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/postgres/connector.h"
#include "adapters/postgres/session.h"
#include "base/error.h"

namespace scoreline::postgres {

class ReaderPool {
 public:
  ReaderPool(Connector& connector, const Options& options) : connector_(connector), options_(options) {}

  /// Calls that change nothing, in one pipeline; once more over a new connection when the first was lost. The rows of
  /// the last one. Errors: storage_failed, damaged.
  Result<Rows> read(std::string_view doing, std::span<const Call> calls, std::chrono::milliseconds timeout);

 private:
  Attempt<Session> take(Monotonic deadline);
  void give_back(Attempt<Session> session);

  Connector& connector_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t in_use_ = 0;     // guarded by mutex_
  std::vector<Session> idle_;  // guarded by mutex_
};

}  // namespace scoreline::postgres
