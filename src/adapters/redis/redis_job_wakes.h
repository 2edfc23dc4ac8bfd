// Hears which queues have news, over one subscription a process, for as long as it lives.
//
// What is published while there is no subscription is lost: so `caught_up` is called whenever one begins, and it is the
// caller's to look once at everything then.
//
// Thread safety: any thread. Both functions are called on the thread of this, which begins with start().
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "adapters/redis/client.h"

namespace scoreline::redis {

class JobWakes {
 public:
  JobWakes(Client& client, std::string channel, const Clock& clock, std::function<void(std::string_view)> heard,
           std::function<void()> caught_up);
  ~JobWakes();
  JobWakes(const JobWakes&) = delete;
  JobWakes& operator=(const JobWakes&) = delete;

  void start();
  /// Whether news arrive at the moment.
  bool listening() const { return listening_; }

 private:
  void listen();
  bool pause();

  Client& client_;
  const std::string channel_;
  const Clock& clock_;
  const std::function<void(std::string_view)> heard_;
  const std::function<void()> caught_up_;
  std::atomic<bool> listening_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  std::once_flag started_;
  std::thread thread_;
};

}  // namespace scoreline::redis
