#include "limits/sliding_log.h"

#include <algorithm>

namespace scoreline::limits {
namespace {

constexpr std::uint64_t kFirstCapacity = 4;

}  // namespace

/// Drops what has left the window.
void SlidingLog::trim(const Limit& limit, Nanos now) {
  while (count_ > 0 && at(0) <= now - limit.window) {
    first_ = (first_ + 1) % capacity_;
    --count_;
  }
  for (std::uint64_t i = count_; i > 0 && at(i - 1) > now; --i) at(i - 1) = now;
  if (count_ > 0) return;
  ring_.reset();
  capacity_ = first_ = 0;
}

void SlidingLog::reserve(std::uint64_t count, std::uint64_t most) {
  if (count <= capacity_) return;
  const std::uint64_t doubled = std::max(std::uint64_t{capacity_} * 2, kFirstCapacity);
  const std::uint64_t wanted = std::max(count, std::min(doubled, most));
  auto ring = std::make_unique<Nanos[]>(wanted);
  for (std::uint64_t i = 0; i < count_; ++i) ring[i] = at(i);
  ring_ = std::move(ring);
  capacity_ = static_cast<std::uint32_t>(wanted);
  first_ = 0;
}

Decision SlidingLog::decide(const Limit& limit, Nanos now, std::uint64_t cost) {
  trim(limit, now);
  Decision decision;
  decision.allowed = cost == 0 || count_ + cost <= limit.limit;
  if (decision.allowed) {
    reserve(count_ + cost, limit.limit);
    for (; cost > 0; --cost) at(count_++) = now;
  } else {
    // So many of the oldest must leave first.
    decision.retry_after = at(count_ + cost - limit.limit - 1) + limit.window - now;
  }
  decision.remaining = limit.limit - std::min<std::uint64_t>(limit.limit, count_);
  if (count_ > 0) decision.reset_after = at(count_ - 1) + limit.window - now;
  return decision;
}

void SlidingLog::refund(const Limit& limit, Nanos now, std::uint64_t cost) {
  trim(limit, now);
  count_ -= static_cast<std::uint32_t>(std::min<std::uint64_t>(count_, cost));
}

}  // namespace scoreline::limits
