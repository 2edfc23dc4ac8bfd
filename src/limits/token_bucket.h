// The token bucket, as one stamp of time (GCRA, the generic cell rate algorithm of ATM Forum TM 4.0, section 4.4.2):
// when the bucket would be full again. A call moves that on by `window / limit` for each unit of its cost, and is
// allowed while it lies no further ahead than a full bucket takes.
//
// Exact for its model: at most capacity + limit * t / window calls in any time t. `window / limit` need not be a whole
// number of nanoseconds: the part that is left is kept too.
//
// A clock that steps back finds at worst an empty bucket: nobody is locked out for longer than it takes to fill.
#pragma once

#include <cstdint>
#include <limits>

#include "limits/values.h"

namespace scoreline::limits {

struct TokenBucket {
  Nanos full_at = std::numeric_limits<Nanos>::min();
  std::uint32_t part = 0;  ///< beyond full_at, in 1/limit of a nanosecond
  friend bool operator==(const TokenBucket&, const TokenBucket&) = default;
};

// `limit` is checked, `cost` too (values.h). O(1).

/// Takes `cost` when it is allowed, and nothing otherwise.
Decision decide(const Limit& limit, TokenBucket& bucket, Nanos now, std::uint64_t cost);
/// Puts `cost` back that was taken; never more than a full bucket.
void refund(const Limit& limit, TokenBucket& bucket, Nanos now, std::uint64_t cost);
/// The bucket under another limit: what was used stays used, as far as there is room.
TokenBucket under_another(const Limit& before, const Limit& after, const TokenBucket& bucket, Nanos now);

}  // namespace scoreline::limits
