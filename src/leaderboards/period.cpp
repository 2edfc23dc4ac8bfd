#include "leaderboards/period.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

namespace scoreline::leaderboards {
namespace {

using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> kWeekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                                       "friday", "saturday", "sunday"};
constexpr std::string_view kDay = "day:";
constexpr std::string_view kWeek = "week:";
constexpr std::int32_t kDaysAWeek = 7;
/// Years as timestamps have them.
constexpr int kFirstYear = 1600;
constexpr int kLastYear = 9999;

constexpr std::int32_t days_of(year_month_day date) {
  return static_cast<std::int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

constexpr year_month_day date_of(std::int32_t day) {
  return year_month_day(std::chrono::sys_days(std::chrono::days(day)));
}

constexpr std::int32_t floor_mod(std::int32_t value, std::int32_t by) { return (value % by + by) % by; }

/// 1970-01-01 was a Thursday.
constexpr std::int32_t weekday_of(std::int32_t day) { return floor_mod(day + 3, kDaysAWeek); }

constexpr std::int32_t thursday_of_week(std::int32_t day) { return day - weekday_of(day) + 3; }

/// The Monday of the first ISO week of a year: the week with January 4th.
constexpr std::int32_t first_monday(int year) {
  return thursday_of_week(days_of(year_month_day{std::chrono::year{year}, std::chrono::January, std::chrono::day{4}})) -
         3;
}

/// Exactly `digits` of them.
std::optional<unsigned> number(std::string_view text, std::size_t digits) {
  unsigned value = 0;
  if (text.size() != digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool in_range(unsigned year) { return year >= kFirstYear && year <= kLastYear; }

/// `2026-10-12`.
std::optional<std::int32_t> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(text.substr(0, 4), 4);
  const auto month = number(text.substr(5, 2), 2);
  const auto day = number(text.substr(8, 2), 2);
  if (!year || !month || !day || !in_range(*year)) return std::nullopt;
  const year_month_day date{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
                            std::chrono::day{*day}};
  if (!date.ok()) return std::nullopt;
  return days_of(date);
}

/// The Monday of `2026-W41`.
std::optional<std::int32_t> parse_week(std::string_view text) {
  if (text.size() != 8 || text[4] != '-' || text[5] != 'W') return std::nullopt;
  const auto year = number(text.substr(0, 4), 4);
  const auto week = number(text.substr(6, 2), 2);
  if (!year || !week || !in_range(*year) || *week < 1) return std::nullopt;
  const int known = static_cast<int>(*year);
  const std::int32_t monday = first_monday(known) + static_cast<std::int32_t>(*week - 1) * kDaysAWeek;
  if (monday >= first_monday(known + 1)) return std::nullopt;
  return monday;
}

}  // namespace

std::string_view to_string(Weekday day) { return kWeekdays[static_cast<std::size_t>(day)]; }

Result<Weekday> parse_week_start(std::string_view text) {
  for (std::size_t i = 0; i < kWeekdays.size(); ++i) {
    if (kWeekdays[i] == text) return static_cast<Weekday>(i);
  }
  return fail(Code::invalid, "must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday",
              "weekStart");
}

std::int32_t first_day_of_week(std::int32_t day, Weekday week_start) {
  return day - floor_mod(weekday_of(day) - static_cast<std::int32_t>(week_start), kDaysAWeek);
}

std::string date_text(const Period& period) {
  switch (period.kind) {
    case Period::Kind::season: return {};
    case Period::Kind::day: {
      const year_month_day date = date_of(period.first_day);
      return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                         static_cast<unsigned>(date.day()));
    }
    case Period::Kind::week: {
      const std::int32_t thursday = thursday_of_week(period.first_day + 3);
      const int year = static_cast<int>(date_of(thursday).year());
      return fmt::format("{:04}-W{:02}", year, (thursday - first_monday(year)) / kDaysAWeek + 1);
    }
  }
  return {};
}

std::string to_string(const Period& period) {
  switch (period.kind) {
    case Period::Kind::season: return "season";
    case Period::Kind::day: return std::string(kDay) + date_text(period);
    case Period::Kind::week: return std::string(kWeek) + date_text(period);
  }
  return {};
}

Result<Period> parse_period(std::string_view text, Weekday week_start) {
  const auto invalid = [](std::string_view what) { return fail(Code::invalid, std::string(what), "period"); };
  if (text == "season") return Period{};
  if (text.starts_with(kDay)) {
    const auto day = parse_date(text.substr(kDay.size()));
    if (!day) return invalid("must name a day that there is, like day:2026-10-12");
    return Period{Period::Kind::day, *day};
  }
  if (text.starts_with(kWeek)) {
    const auto monday = parse_week(text.substr(kWeek.size()));
    if (!monday) {
      return invalid(
          "must name an ISO week that there is, like week:2026-W41: a year has weeks 01 to 52, some have 53");
    }
    // The fourth day of the wanted week is one of the seven from this Monday on.
    const std::int32_t fourth = *monday + (static_cast<std::int32_t>(week_start) + 3) % kDaysAWeek;
    return Period{Period::Kind::week, fourth - 3};
  }
  return invalid("must be season, day:2026-10-12 or week:2026-W41");
}

}  // namespace scoreline::leaderboards
