#include "leaderboards/season_schedule.h"

#include <algorithm>

#include "base/cron_times.h"
#include "base/limits.h"
#include "base/time_zone.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::chrono::milliseconds kShortestSeason = std::chrono::minutes{1};
constexpr std::chrono::milliseconds kLongestSeason = std::chrono::hours{24 * 3'660};

Timestamp first_possible(const SeasonSchedule& schedule) { return schedule.from.value_or(kMinTimestamp); }

std::optional<Timestamp> if_in_range(Timestamp at) { return at <= kMaxTimestamp ? std::optional(at) : std::nullopt; }

CronTimes boundaries(const Definition& definition) {
  return {*Cron::parse(*definition.schedule.cron), *TimeZone::find(definition.periods.time_zone)};
}

}  // namespace

Result<void> validate(const SeasonSchedule& schedule) {
  if (schedule.cron && schedule.every) {
    return fail(Code::invalid, "must not be given together with seasonCron", "seasonEvery");
  }
  if (schedule.cron) {
    if (const auto cron = Cron::parse(*schedule.cron); !cron) {
      return fail(cron.error().code, cron.error().detail, "seasonCron");
    }
  }
  if (schedule.every && (*schedule.every < kShortestSeason || *schedule.every > kLongestSeason)) {
    return fail(Code::invalid, "must be 1 minute to 3660 days", "seasonEvery");
  }
  if (schedule.every && !schedule.from) {
    return fail(Code::invalid, "is needed with seasonEvery: the first season begins at it", "seasonFrom");
  }
  if (schedule.from && (*schedule.from < kMinTimestamp || *schedule.from > kMaxTimestamp)) {
    return fail(Code::invalid, "must be between 1600-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z", "seasonFrom");
  }
  if (schedule.from && !schedule.cron && !schedule.every) {
    return fail(Code::invalid, "needs seasonCron or seasonEvery", "seasonFrom");
  }
  return {};
}

std::optional<Timestamp> boundary_after(const Definition& definition, Timestamp at) {
  const SeasonSchedule& schedule = definition.schedule;
  const Timestamp before_first{first_possible(schedule).ms - 1};
  if (schedule.cron) return if_in_range(boundaries(definition).after(std::max(at, before_first)));
  if (!schedule.every) return std::nullopt;
  if (at <= before_first) return schedule.from;
  const std::int64_t every = schedule.every->count();
  return if_in_range(Timestamp{at.ms - (at.ms - schedule.from->ms) % every + every});
}

std::optional<Timestamp> boundary_until(const Definition& definition, Timestamp at) {
  const SeasonSchedule& schedule = definition.schedule;
  if (at < first_possible(schedule)) return std::nullopt;
  if (schedule.cron) {
    const auto found = boundaries(definition).until(at);
    return found && *found >= first_possible(schedule) ? found : std::nullopt;
  }
  if (!schedule.every) return std::nullopt;
  return Timestamp{at.ms - (at.ms - schedule.from->ms) % schedule.every->count()};
}

std::optional<Season> next_season(const Definition& definition, const std::optional<Season>& last, Timestamp now) {
  if (last && (!last->end || last->id.value == kMaxSeasonId)) return std::nullopt;
  const auto at_now = [&] {
    const auto begun = boundary_until(definition, now);
    return begun ? begun : boundary_after(definition, now);
  };
  auto start = last ? boundary_after(definition, Timestamp{last->end->ms - 1}) : at_now();
  if (!start) return std::nullopt;
  auto end = boundary_after(definition, *start);
  if (last && end && end->ms + definition.grace.count() <= now.ms) {
    start = at_now();
    if (!start) return std::nullopt;
    end = boundary_after(definition, *start);
  }
  return Season{SeasonId{last ? last->id.value + 1 : 1}, start, end};
}

}  // namespace scoreline::leaderboards
