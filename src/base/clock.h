// The only source of time. Services take a Clock&; nothing else calls now() or sleeps.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/timestamp.h"

namespace scoreline {

/// Time since an arbitrary start; never steps back. For intervals, deadlines and leases.
struct Monotonic {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(Monotonic, Monotonic) = default;
  friend constexpr Monotonic operator+(Monotonic at, std::chrono::nanoseconds by) { return {at.ns + by.count()}; }
  friend constexpr std::chrono::nanoseconds operator-(Monotonic a, Monotonic b) {
    return std::chrono::nanoseconds{a.ns - b.ns};
  }
};

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Wall-clock time: for what is stored and shown. May step either way.
  virtual Timestamp now() const = 0;
  virtual Monotonic monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
  Monotonic monotonic() const override;
};

/// A clock that moves only when told to: for tests and simulation.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = {}) : wall_(start) {}
  Timestamp now() const override { return wall_; }
  Monotonic monotonic() const override { return monotonic_; }
  /// Both clocks move on.
  void advance(std::chrono::milliseconds by) {
    wall_.ms += by.count();
    monotonic_ = monotonic_ + by;
  }
  /// Only the wall clock is set, as an operator or NTP would.
  void set_wall(Timestamp to) { wall_ = to; }

 private:
  Timestamp wall_;
  Monotonic monotonic_;
};

}  // namespace scoreline
