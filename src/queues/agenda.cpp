#include "queues/agenda.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace scoreline::queues {
namespace {

constexpr std::chrono::nanoseconds kLookAtTheClock = std::chrono::seconds{1};
// Two readings of the clocks are never quite of one moment, and NTP moves the wall clock a little all the time.
constexpr std::int64_t kWallClockWasSetMs = 10;

std::int64_t wall_ahead_ms(const Clock& clock) { return clock.now().ms - clock.monotonic().ns / 1'000'000; }

}  // namespace

Agenda::Agenda(const Clock& clock, std::function<void(std::size_t)> call)
    : clock_(clock), call_(std::move(call)), wall_ahead_ms_(wall_ahead_ms(clock)) {}

void Agenda::start() {
  thread_ = std::thread([this] { run(); });
}

void Agenda::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Agenda::set(std::size_t who, Monotonic at) {
  const std::lock_guard lock(mutex_);
  const auto [known, added] = time_of_.try_emplace(who, at);
  if (!added) {
    times_.erase({known->second, who});
    known->second = at;
  }
  const bool first = times_.empty() || at < times_.begin()->first;
  times_.emplace(at, who);
  if (first) changed_.notify_all();
}

std::optional<std::size_t> Agenda::pop_due() {
  if (times_.empty() || times_.begin()->first > clock_.monotonic()) return std::nullopt;
  const std::size_t who = times_.begin()->second;
  times_.erase(times_.begin());
  time_of_.erase(who);
  return who;
}

void Agenda::bring_forward_if_the_wall_clock_was_set() {
  const std::int64_t ahead = wall_ahead_ms(clock_);
  if (std::abs(ahead - wall_ahead_ms_) < kWallClockWasSetMs) return;
  wall_ahead_ms_ = ahead;
  const Monotonic now = clock_.monotonic();
  times_.clear();
  for (auto& [who, at] : time_of_) {
    at = std::min(at, now);
    times_.emplace(at, who);
  }
}

void Agenda::call_due() {
  std::unique_lock lock(mutex_);
  bring_forward_if_the_wall_clock_was_set();
  while (const auto who = pop_due()) {
    lock.unlock();
    call_(*who);
    lock.lock();
  }
}

std::optional<Monotonic> Agenda::next() const {
  const std::lock_guard lock(mutex_);
  return times_.empty() ? std::nullopt : std::optional(times_.begin()->first);
}

void Agenda::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    bring_forward_if_the_wall_clock_was_set();
    if (times_.empty()) {
      changed_.wait(lock);
    } else if (const auto who = pop_due()) {
      lock.unlock();
      call_(*who);
      lock.lock();
    } else {
      changed_.wait_for(lock, std::min(kLookAtTheClock, times_.begin()->first - clock_.monotonic()));
    }
  }
}

}  // namespace scoreline::queues
