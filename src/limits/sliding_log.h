// The sliding log: a stamp for each unit of cost that was allowed in the window (now - window, now].
//
// Exact: never more than `limit` in any window of that length, and nothing is refused that would fit. A call exactly
// one window after an earlier one no longer sees it.
//
// A clock that steps back: stamps that lie ahead of it count as of now, so nothing is granted twice, and nobody is
// locked out for longer than one window.
//
// Cost: 8 bytes a stamp once a log has held `limit` of them, up to twice that before; O(cost) a call, and O(1) for each
// stamp that leaves. Refused calls leave no stamp.
#pragma once

#include <cstdint>
#include <memory>

#include "limits/values.h"

namespace scoreline::limits {

class SlidingLog {
 public:
  std::uint64_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::uint64_t memory_bytes() const { return capacity_ * sizeof(Nanos); }

  // `limit` is checked, `cost` too (values.h); the limit may change between calls.

  /// Takes `cost` when it is allowed, and nothing otherwise.
  Decision decide(const Limit& limit, Nanos now, std::uint64_t cost);
  /// Takes the last `cost` stamps away.
  void refund(const Limit& limit, Nanos now, std::uint64_t cost);

 private:
  Nanos& at(std::uint64_t i) { return ring_[(first_ + i) % capacity_]; }
  void trim(const Limit& limit, Nanos now);
  void reserve(std::uint64_t count, std::uint64_t most);

  std::unique_ptr<Nanos[]> ring_;  // never falling from first_ on
  std::uint32_t capacity_ = 0, first_ = 0, count_ = 0;
};

}  // namespace scoreline::limits
