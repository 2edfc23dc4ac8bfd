// Limits that count in windows which begin at full multiples of their length: the fixed window, and the sliding counter
// that estimates from two of them.
//
// Fixed window: never more than `limit` from one multiple to the next, and up to twice that around one.
//
// Sliding counter: as if the calls of the window before had come evenly, so many of them count as of its length still
// lie in the window that ends now: previous * (1 - elapsed / length) + current. Exact when they did come evenly. When
// they all came at its end, up to twice `limit` may be allowed within one length, and never more; when they all came at
// its beginning, calls are refused that a sliding log would allow, for no longer than one length.
//
// A clock that steps back begins the window anew, with what was counted: nothing is granted twice, and nobody is locked
// out for longer than a window and, for the sliding counter, one more.
#pragma once

#include <cstdint>

#include "limits/values.h"

namespace scoreline::limits {

struct FixedWindow {
  Nanos begin = 0;
  std::uint64_t used = 0;
  friend bool operator==(const FixedWindow&, const FixedWindow&) = default;
};

struct SlidingCounter {
  Nanos begin = 0;  ///< of the current window
  std::uint64_t current = 0;
  std::uint64_t previous = 0;
  friend bool operator==(const SlidingCounter&, const SlidingCounter&) = default;
};

// `limit` is checked, `cost` too (values.h); a limit may change between calls, and what was counted stays counted.
// O(1).

/// Takes `cost` when it is allowed, and nothing otherwise.
Decision decide(const Limit& limit, FixedWindow& window, Nanos now, std::uint64_t cost);
Decision decide(const Limit& limit, SlidingCounter& counter, Nanos now, std::uint64_t cost);

/// Puts `cost` back that was taken in this window; never more than was taken.
void refund(const Limit& limit, FixedWindow& window, Nanos now, std::uint64_t cost);
void refund(const Limit& limit, SlidingCounter& counter, Nanos now, std::uint64_t cost);

}  // namespace scoreline::limits
