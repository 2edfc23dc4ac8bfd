#include "limits/windows.h"

#include <algorithm>

namespace scoreline::limits {
namespace {

using Wide = unsigned __int128;

Nanos begin_of(const Limit& limit, Nanos now) {
  const Nanos into = now % limit.window;
  return now - into - (into < 0 ? limit.window : 0);
}

/// Where the window lies that holds `now`, when one began at `begin`. The next one begins where that ends, though a
/// clock that stepped back has moved it: from full multiple on it would be a short one. After a window without calls it
/// does.
Nanos moved_on(const Limit& limit, Nanos begin, Nanos now) {
  if (now < begin) return now;
  if (now - begin < limit.window) return begin;
  return now - begin < 2 * limit.window ? begin + limit.window : begin_of(limit, now);
}

void move_on(const Limit& limit, FixedWindow& window, Nanos now) {
  const Nanos begin = moved_on(limit, window.begin, now);
  if (begin > window.begin) window.used = 0;
  window.begin = begin;
}

void move_on(const Limit& limit, SlidingCounter& counter, Nanos now) {
  const Nanos begin = moved_on(limit, counter.begin, now);
  if (begin > counter.begin) {
    counter.previous = now - counter.begin < 2 * limit.window ? counter.current : 0;
    counter.current = 0;
  }
  counter.begin = begin;
}

/// How long after a window began so few of `previous` are left that they weigh no more than `room`.
Nanos until_room(const Limit& limit, std::uint64_t previous, std::uint64_t room) {
  if (previous <= room) return 0;
  const auto length = static_cast<std::uint64_t>(limit.window);
  return limit.window - static_cast<Nanos>(Wide{room} * length / previous);
}

}  // namespace

Decision decide(const Limit& limit, FixedWindow& window, Nanos now, std::uint64_t cost) {
  move_on(limit, window, now);
  const Nanos to_end = window.begin + limit.window - now;
  Decision decision;
  decision.allowed = cost == 0 || window.used + cost <= limit.limit;
  if (decision.allowed) {
    window.used += cost;
  } else {
    decision.retry_after = to_end;
  }
  decision.remaining = limit.limit - std::min(limit.limit, window.used);
  decision.reset_after = window.used == 0 ? 0 : to_end;
  return decision;
}

void refund(const Limit& limit, FixedWindow& window, Nanos now, std::uint64_t cost) {
  move_on(limit, window, now);
  window.used -= std::min(window.used, cost);
}

Decision decide(const Limit& limit, SlidingCounter& counter, Nanos now, std::uint64_t cost) {
  move_on(limit, counter, now);
  const auto length = static_cast<std::uint64_t>(limit.window);
  const Nanos elapsed = now - counter.begin;
  // In calls times the length of the window, so that nothing is rounded.
  const Wide weight = Wide{counter.previous} * static_cast<std::uint64_t>(limit.window - elapsed);
  const Wide most = Wide{limit.limit} * length;
  Decision decision;
  decision.allowed = cost == 0 || weight + Wide{counter.current + cost} * length <= most;
  if (decision.allowed) {
    counter.current += cost;
  } else if (counter.current + cost <= limit.limit) {
    decision.retry_after = until_room(limit, counter.previous, limit.limit - counter.current - cost) - elapsed;
  } else {
    decision.retry_after = limit.window - elapsed + until_room(limit, counter.current, limit.limit - cost);
  }
  const Wide used = weight + Wide{counter.current} * length;
  decision.remaining = used >= most ? 0 : static_cast<std::uint64_t>((most - used) / length);
  if (counter.previous > 0) decision.reset_after = limit.window - elapsed;
  if (counter.current > 0) decision.reset_after = 2 * limit.window - elapsed;
  return decision;
}

void refund(const Limit& limit, SlidingCounter& counter, Nanos now, std::uint64_t cost) {
  move_on(limit, counter, now);
  counter.current -= std::min(counter.current, cost);
}

}  // namespace scoreline::limits
