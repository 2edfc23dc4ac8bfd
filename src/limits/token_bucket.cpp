#include "limits/token_bucket.h"

#include <algorithm>

namespace scoreline::limits {
namespace {

// How much is missing, as time until it is full, in 1/limit of a nanosecond; a unit of cost is worth one window. The
// greatest is capacity * window: 10^9 * 3.2 * 10^17, so 128 bits hold it and a call on top of it.
using Debt = unsigned __int128;

Debt units(std::uint64_t cost, const Limit& limit) { return Debt{cost} * static_cast<std::uint64_t>(limit.window); }

Debt debt_of(const Limit& limit, const TokenBucket& bucket, Nanos now) {
  if (bucket.full_at < now) return 0;
  const auto ahead = static_cast<std::uint64_t>(bucket.full_at) - static_cast<std::uint64_t>(now);
  return std::min(Debt{ahead} * limit.limit + bucket.part, units(limit.capacity(), limit));
}

void set_debt(const Limit& limit, TokenBucket& bucket, Nanos now, Debt debt) {
  bucket.full_at = now + static_cast<Nanos>(debt / limit.limit);
  bucket.part = static_cast<std::uint32_t>(debt % limit.limit);
}

Nanos rounded_up(Debt debt, const Limit& limit) { return static_cast<Nanos>((debt + limit.limit - 1) / limit.limit); }

}  // namespace

Decision decide(const Limit& limit, TokenBucket& bucket, Nanos now, std::uint64_t cost) {
  const Debt most = units(limit.capacity(), limit);
  const Debt before = debt_of(limit, bucket, now);
  const Debt after = before + units(cost, limit);
  Decision decision;
  decision.allowed = after <= most;
  const Debt debt = decision.allowed ? after : before;
  if (decision.allowed && cost > 0) set_debt(limit, bucket, now, debt);
  if (!decision.allowed) decision.retry_after = rounded_up(after - most, limit);
  decision.remaining = static_cast<std::uint64_t>((most - debt) / static_cast<std::uint64_t>(limit.window));
  decision.reset_after = rounded_up(debt, limit);
  return decision;
}

void refund(const Limit& limit, TokenBucket& bucket, Nanos now, std::uint64_t cost) {
  const Debt debt = debt_of(limit, bucket, now);
  set_debt(limit, bucket, now, debt - std::min(debt, units(cost, limit)));
}

TokenBucket under_another(const Limit& before, const Limit& after, const TokenBucket& bucket, Nanos now) {
  // A unit is worth another time now: whole units and what is left of one are carried over each for itself.
  const Debt debt = debt_of(before, bucket, now);
  const auto window = static_cast<std::uint64_t>(before.window);
  const auto used = static_cast<std::uint64_t>(debt / window);
  const Debt part = debt % window * static_cast<std::uint64_t>(after.window) / window;
  TokenBucket moved;
  set_debt(after, moved, now, std::min(units(used, after) + part, units(after.capacity(), after)));
  return moved;
}

}  // namespace scoreline::limits
