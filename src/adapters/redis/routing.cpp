#include "adapters/redis/routing.h"

namespace scoreline::redis {
namespace {

constexpr std::chrono::milliseconds kLeastPause{100};

}  // namespace

bool Lookout::begin(Monotonic until) {
  std::unique_lock lock(mutex_);
  if (busy_) {
    ended_.wait_for(lock, until - clock_.monotonic(), [&] { return !busy_; });
    return false;
  }
  if (last_ && clock_.monotonic() - *last_ < kLeastPause) return false;
  busy_ = true;
  return true;
}

void Lookout::end() {
  const std::lock_guard lock(mutex_);
  busy_ = false;
  last_ = clock_.monotonic();
  ended_.notify_all();
}

}  // namespace scoreline::redis
