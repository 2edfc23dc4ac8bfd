#include "leaderboards/calendar.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int32_t kDaysAWeek = 7;

std::int32_t day_number(LocalTime at) {
  return static_cast<std::int32_t>(at.ms / kDayMs - (at.ms % kDayMs < 0 ? 1 : 0));
}

}  // namespace

Calendar::Calendar(const PeriodRules& rules)
    : zone_(*TimeZone::find(rules.time_zone)),
      days_(rules.days),
      weeks_(rules.weeks),
      week_start_(rules.week_start),
      keep_days_(rules.keep_days),
      keep_weeks_(rules.keep_weeks) {}

Timestamp Calendar::start_of(std::int32_t day) const { return zone_.first_instant(LocalTime{day * kDayMs}); }

Period Calendar::day_of(Timestamp at) const {
  std::int32_t day = day_number(zone_.local(at));
  // Clocks that are put back over midnight show the day before once more.
  while (start_of(day + 1) <= at) ++day;
  while (start_of(day) > at) --day;
  return Period{Period::Kind::day, day};
}

Period Calendar::week_of(Timestamp at) const {
  return Period{Period::Kind::week, first_day_of_week(day_of(at).first_day, week_start_)};
}

Span Calendar::span_of(const Period& period) const {
  switch (period.kind) {
    case Period::Kind::season: return Span{};
    case Period::Kind::day: return {start_of(period.first_day), start_of(period.first_day + 1)};
    case Period::Kind::week: return {start_of(period.first_day), start_of(period.first_day + kDaysAWeek)};
  }
  return Span{};
}

bool Calendar::has(Period::Kind kind) const {
  switch (kind) {
    case Period::Kind::season: return true;
    case Period::Kind::day: return days_;
    case Period::Kind::week: return weeks_;
  }
  return false;
}

Timestamp Calendar::kept_until(const Period& period) const {
  switch (period.kind) {
    case Period::Kind::season: return Span{}.until;
    case Period::Kind::day: return start_of(period.first_day + 1 + keep_days_);
    case Period::Kind::week: return start_of(period.first_day + (1 + keep_weeks_) * kDaysAWeek);
  }
  return Span{}.until;
}

bool Calendar::keeps(const Period& period, Timestamp now) const {
  if (!has(period.kind)) return false;
  if (period.kind == Period::Kind::season) return true;
  const Timestamp latest{now.ms + kBoardsAhead.count()};
  return span_of(period).from <= latest && now < kept_until(period);
}

std::vector<Period> Calendar::kept(Timestamp now) const {
  std::vector<Period> periods;
  const Timestamp latest{now.ms + kBoardsAhead.count()};
  const auto add = [&](Period period, std::int32_t step) {
    for (; now < kept_until(period); period.first_day -= step) periods.push_back(period);
  };
  if (days_) add(day_of(latest), 1);
  if (weeks_) add(week_of(latest), kDaysAWeek);
  return periods;
}

}  // namespace scoreline::leaderboards
