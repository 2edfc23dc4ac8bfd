#include "base/cron_times.h"

namespace scoreline {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
/// How far back the last time that a cron expression named may lie; see Cron.
constexpr std::int64_t kFarthestBackMs = 41 * 366 * kDayMs;

}  // namespace

Timestamp CronTimes::after(Timestamp at) const {
  // What clocks show now they have shown, and all before it; a time that is skipped still lies ahead until the gap.
  LocalTime named{zone_.local(at).ms + 1};
  while (true) {
    named = cron_.next(named);
    const Timestamp instant = zone_.first_instant(named);
    if (instant > at) return instant;
    ++named.ms;
  }
}

// By halves: `after` never falls, and steps from one to the next would be 44,000 for each minute of January.
std::optional<Timestamp> CronTimes::until(Timestamp at) const {
  std::int64_t before = at.ms - kFarthestBackMs;
  if (after(Timestamp{before}) > at) return std::nullopt;
  for (std::int64_t beyond = at.ms; beyond - before > 1;) {
    const std::int64_t middle = before + (beyond - before) / 2;
    (after(Timestamp{middle}) > at ? beyond : before) = middle;
  }
  return after(Timestamp{before});
}

}  // namespace scoreline
