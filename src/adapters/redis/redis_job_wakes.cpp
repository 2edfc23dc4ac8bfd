#include "adapters/redis/redis_job_wakes.h"

#include <chrono>
#include <utility>

namespace scoreline::redis {
namespace {

constexpr std::chrono::milliseconds kTryAgainAfter{200};
constexpr std::chrono::milliseconds kStopsWithin{100};

}  // namespace

JobWakes::JobWakes(Client& client, std::string channel, const Clock& clock, std::function<void(std::string_view)> heard,
                   std::function<void()> caught_up)
    : client_(client),
      channel_(std::move(channel)),
      clock_(clock),
      heard_(std::move(heard)),
      caught_up_(std::move(caught_up)) {}

JobWakes::~JobWakes() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void JobWakes::start() {
  std::call_once(started_, [this] { thread_ = std::thread([this] { listen(); }); });
}

/// False when it is time to end.
bool JobWakes::pause() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kTryAgainAfter, [this] { return stopping_; });
}

void JobWakes::listen() {
  const auto stopping = [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  };
  while (!stopping()) {
    const auto subscription = client_.subscribe(channel_);
    if (!subscription) {
      if (!pause()) return;
      continue;
    }
    listening_ = true;
    caught_up_();
    while (!stopping()) {
      const auto message = (*subscription)->next(clock_.monotonic() + kStopsWithin);
      if (!message) break;
      if (*message) heard_(**message);
    }
    listening_ = false;
  }
}

}  // namespace scoreline::redis
