// Threads for answers that wait for another server, so that the loops never do.
//
// Thread safety: `run` from any thread; the destructor from one, after the last `run`.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace scoreline::http {

class BlockingPool {
 public:
  /// `threads` ≥ 1 work at once, and at most `waiting` more works wait for them.
  BlockingPool(unsigned threads, std::size_t waiting);
  /// Does all that waits, then stops.
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  /// Does `work` on one of the threads. False, and it is never done, when as many wait already as may.
  bool run(std::function<void()> work);

 private:
  void work();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace scoreline::http
