// How often something happens, a second, over about the last minute: an average that forgets.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace scoreline::queues {

/// Counts are folded in once a second, so that counting costs next to nothing.
class Rate {
 public:
  void count(std::uint64_t events, Monotonic now) {
    if (!began_) begin(now);
    if (now.ns - folded_.ns >= kSecond) fold(now);
    pending_ += events;
  }
  double per_second(Monotonic now) const;

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  void begin(Monotonic now) {
    began_ = true;
    folded_ = now;
  }
  void fold(Monotonic now);

  bool began_ = false;
  Monotonic folded_;    // until when the average knows
  double average_ = 0;  // as if nothing had happened before it began …
  double weight_ = 0;   // … and how much of it is known: near 1 after the first minute
  std::uint64_t pending_ = 0;
};

}  // namespace scoreline::queues
