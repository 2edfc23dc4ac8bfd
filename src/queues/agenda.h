// Whose time comes when: one list for all queues, and one thread that waits for the first of them.
//
// Times are monotonic. Those that were meant by the wall clock are all called early when that clock is set, within a
// second of it; whoever is called looks at the clock again and says anew when its time is.
//
// Thread safety: every call from any thread.
// Cost: O(log n) for n entries. While there are none the thread sleeps; else it looks at the clock once a second.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace scoreline::queues {

class Agenda {
 public:
  /// `call(who)` is called when its time has come, on the thread of the agenda, or by call_due(). It may set times.
  Agenda(const Clock& clock, std::function<void(std::size_t who)> call);
  ~Agenda() { stop(); }

  /// From here on a thread of its own calls.
  void start();
  /// No call after it.
  void stop();

  /// `who` is called at `at`, and no longer at the time that was set before.
  void set(std::size_t who, Monotonic at);

  /// Calls all whose time has come. For a clock that a test moves.
  void call_due();
  std::optional<Monotonic> next() const;

 private:
  std::optional<std::size_t> pop_due();
  void bring_forward_if_the_wall_clock_was_set();
  void run();

  const Clock& clock_;
  const std::function<void(std::size_t)> call_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<Monotonic, std::size_t>> times_;
  std::map<std::size_t, Monotonic> time_of_;
  std::int64_t wall_ahead_ms_ = 0;  // of the monotonic clock
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace scoreline::queues
