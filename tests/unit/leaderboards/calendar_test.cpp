#include "leaderboards/calendar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

Timestamp at(std::string_view text) { return *parse_timestamp(text); }

PeriodRules in_zone(std::string zone, Weekday week_start = Weekday::monday) {
  PeriodRules rules;
  rules.days = rules.weeks = true;
  rules.time_zone = std::move(zone);
  rules.week_start = week_start;
  return rules;
}

double hours(const Span& span) {
  return static_cast<double>(span.until.ms - span.from.ms) / static_cast<double>(kHourMs);
}

struct LocalDay {
  const char* zone;
  const char* day;
  const char* from;
  double hours;
};

void PrintTo(const LocalDay& day, std::ostream* out) { *out << day.zone << ' ' << day.day; }

class LocalDayTest : public ::testing::TestWithParam<LocalDay> {};

TEST_P(LocalDayTest, BeginsAndLastsAsClocksThereSay) {
  const auto& [zone, name, from, long_hours] = GetParam();
  const Calendar calendar(in_zone(zone));
  const Period day = *parse_period("day:" + std::string(name), Weekday::monday);
  const Span span = calendar.span_of(day);
  EXPECT_EQ(format_timestamp(span.from), from);
  EXPECT_EQ(hours(span), long_hours);
  if (span.is_empty()) return;
  EXPECT_EQ(to_string(calendar.day_of(span.from)), to_string(day));
  EXPECT_EQ(to_string(calendar.day_of(Timestamp{span.until.ms - 1})), to_string(day));
  EXPECT_NE(calendar.day_of(span.until), day);
  EXPECT_NE(calendar.day_of(Timestamp{span.from.ms - 1}), day);
}

// From the IANA database's own text: when clocks change, and by how much.
INSTANTIATE_TEST_SUITE_P(
    Zones, LocalDayTest,
    ::testing::Values(LocalDay{"UTC", "2026-10-12", "2026-10-12T00:00:00Z", 24},
                      LocalDay{"America/New_York", "2026-03-07", "2026-03-07T05:00:00Z", 24},
                      LocalDay{"America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", 23},
                      LocalDay{"America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", 25},
                      LocalDay{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23},
                      LocalDay{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25},
                      LocalDay{"Asia/Kathmandu", "2026-10-12", "2026-10-11T18:15:00Z", 24},
                      LocalDay{"Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", 23.5},
                      LocalDay{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5},
                      // Midnight is skipped: the day begins at 01:00.
                      LocalDay{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23},
                      LocalDay{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", 23},
                      // Midnight comes twice: the hour before it belongs to the day that has begun... nobody's clock
                      // says so, but days do not overlap. At 24:00 clocks go back to 23:00: the day has 25 hours.
                      LocalDay{"America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", 25},
                      LocalDay{"Africa/Cairo", "2026-10-29", "2026-10-28T21:00:00Z", 25},
                      // Clocks went back from 00:01 to 23:01: the hour that followed is of the day that had begun.
                      LocalDay{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", 25},
                      LocalDay{"America/St_Johns", "2010-11-06", "2010-11-06T02:30:00Z", 24},
                      // Samoa left a day out.
                      LocalDay{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24},
                      LocalDay{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0},
                      LocalDay{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", 24}));

TEST(CalendarTest, EveryInstantIsInOneDayAndOneWeekAndAWeekIsItsSevenDays) {
  for (const char* const zone :
       {"UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Sao_Paulo",
        "Africa/Cairo", "Pacific/Apia", "America/St_Johns", "Africa/Casablanca", "Asia/Tehran", "Pacific/Kiritimati",
        "Antarctica/Troll", "Asia/Gaza"}) {
    for (const Weekday week_start : {Weekday::monday, Weekday::sunday, Weekday::saturday, Weekday::wednesday}) {
      SCOPED_TRACE(std::string(zone) + ", weeks from " + std::string(to_string(week_start)));
      const Calendar calendar(in_zone(zone, week_start));
      Period day = calendar.day_of(at("2009-06-01T00:00:00Z"));
      const Period last = calendar.day_of(at("2019-06-01T00:00:00Z"));
      Timestamp end = calendar.span_of(day).from;
      for (; day.first_day < last.first_day; ++day.first_day) {
        const Span span = calendar.span_of(day);
        ASSERT_EQ(span.from, end) << to_string(day);
        ASSERT_LE(span.from, span.until);
        end = span.until;
        const Period week{Period::Kind::week, first_day_of_week(day.first_day, week_start)};
        const Span week_span = calendar.span_of(week);
        ASSERT_EQ(calendar.span_of({Period::Kind::day, week.first_day}).from, week_span.from);
        ASSERT_EQ(calendar.span_of({Period::Kind::day, week.first_day + 6}).until, week_span.until);
        for (std::int64_t ms = span.from.ms; ms < span.until.ms; ms += 20 * 60'000 + 1) {
          ASSERT_EQ(calendar.day_of({ms}), day) << format_timestamp({ms});
          ASSERT_EQ(calendar.week_of({ms}), week) << format_timestamp({ms});
          ASSERT_TRUE(week_span.contains({ms}));
        }
      }
    }
  }
}

TEST(CalendarTest, KeepsTheDayThatRunsAndSoManyBefore) {
  PeriodRules rules = in_zone("Europe/Berlin");
  rules.keep_days = 2;
  rules.keep_weeks = 1;
  const Calendar calendar(rules);
  std::vector<std::string> kept;
  for (const Period& period : calendar.kept(at("2026-10-12T12:00:00Z"))) kept.push_back(to_string(period));
  EXPECT_EQ(kept, (std::vector<std::string>{"day:2026-10-12", "day:2026-10-11", "day:2026-10-10", "week:2026-W42",
                                            "week:2026-W41"}));
  const Period day = *parse_period("day:2026-10-10", Weekday::monday);
  EXPECT_EQ(format_timestamp(calendar.kept_until(day)), "2026-10-12T22:00:00Z");
  EXPECT_TRUE(calendar.keeps(day, at("2026-10-12T21:59:59.999Z")));
  EXPECT_FALSE(calendar.keeps(day, at("2026-10-12T22:00:00Z")));
}

TEST(CalendarTest, TheNextDayIsThereAsSoonAsAResultMayBeOnIt) {
  const Calendar calendar(in_zone("UTC"));
  const Period day = *parse_period("day:2026-10-13", Weekday::monday);
  EXPECT_FALSE(calendar.keeps(day, at("2026-10-12T23:49:59.999Z")));
  EXPECT_TRUE(calendar.keeps(day, at("2026-10-12T23:50:00Z")));
  EXPECT_EQ(calendar.kept(at("2026-10-12T23:50:00Z")).front(), day);
}

TEST(CalendarTest, HasNoBoardsOfKindsThatAreNotNamed) {
  PeriodRules rules;
  rules.days = true;
  const Calendar calendar(rules);
  const Timestamp now = at("2026-10-12T12:00:00Z");
  EXPECT_TRUE(calendar.keeps(calendar.day_of(now), now));
  EXPECT_FALSE(calendar.keeps(calendar.week_of(now), now));
  for (const Period& period : calendar.kept(now)) EXPECT_EQ(period.kind, Period::Kind::day);
}

TEST(PeriodTest, WeeksHaveTheirIsoNames) {
  const Calendar calendar(in_zone("UTC"));
  const auto week_of = [&](std::string_view day) {
    return date_text(calendar.week_of(at(std::string(day) + "T12:00:00Z")));
  };
  // The examples of ISO 8601 and of C36.
  EXPECT_EQ(week_of("2020-12-31"), "2020-W53");
  EXPECT_EQ(week_of("2021-01-01"), "2020-W53");
  EXPECT_EQ(week_of("2021-01-03"), "2020-W53");
  EXPECT_EQ(week_of("2021-01-04"), "2021-W01");
  EXPECT_EQ(week_of("2024-12-30"), "2025-W01");
  EXPECT_EQ(week_of("2024-12-29"), "2024-W52");
  EXPECT_EQ(week_of("2026-10-12"), "2026-W42");
  EXPECT_EQ(week_of("1977-01-02"), "1976-W53");
  EXPECT_EQ(week_of("2008-12-29"), "2009-W01");
}

TEST(PeriodTest, AWeekFromSundayIsNamedByItsWednesday) {
  const Calendar calendar(in_zone("UTC", Weekday::sunday));
  const auto week_of = [&](std::string_view day) {
    return date_text(calendar.week_of(at(std::string(day) + "T12:00:00Z")));
  };
  EXPECT_EQ(week_of("2026-10-10"), "2026-W41");  // a Saturday
  EXPECT_EQ(week_of("2026-10-11"), "2026-W42");  // the Sunday
  EXPECT_EQ(week_of("2027-01-02"), "2026-W53");
  EXPECT_EQ(week_of("2027-01-03"), "2027-W01");
}

TEST(PeriodTest, EveryNameReadsBackWhateverDayWeeksBeginOn) {
  for (int start = 0; start < 7; ++start) {
    const auto week_start = static_cast<Weekday>(start);
    for (std::int32_t day = 0; day < 40 * 365; ++day) {
      const Period of_day{Period::Kind::day, day};
      ASSERT_EQ(*parse_period(to_string(of_day), week_start), of_day);
      const Period week{Period::Kind::week, first_day_of_week(day, week_start)};
      ASSERT_LE(week.first_day, day);
      ASSERT_GT(week.first_day + 7, day);
      ASSERT_EQ(*parse_period(to_string(week), week_start), week) << to_string(week);
    }
  }
  EXPECT_EQ(*parse_period("season", Weekday::monday), Period{});
}

TEST(PeriodTest, WhatNoCalendarHasIsRefused) {
  for (const std::string_view text : {"",
                                      "day",
                                      "week",
                                      "day:",
                                      "week:",
                                      "day:2026-02-30",
                                      "day:2025-02-29",
                                      "day:2026-13-01",
                                      "day:2026-00-10",
                                      "day:2026-10-00",
                                      "day:2026-10-32",
                                      "day:2026-1-02",
                                      "day:26-10-12",
                                      "day:2026-10-12 ",
                                      "day:2026-10-12T00:00",
                                      "day:2026/10/12",
                                      "day:0000-01-01",
                                      "day:-026-10-12",
                                      "day:+026-10-12",
                                      "week:2026-W00",
                                      "week:2026-W54",
                                      "week:2025-W53",
                                      "week:2021-W53",
                                      "week:2026-W1",
                                      "week:2026W41",
                                      "week:2026-41",
                                      "week:2026-w41",
                                      "week:2026-W4x",
                                      "month:2026-10",
                                      "Season",
                                      "season:1",
                                      "week:2026-10-12",
                                      "day:2026-W41"}) {
    const auto parsed = parse_period(text, Weekday::monday);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::invalid) << text;
    EXPECT_EQ(parsed.error().field, "period") << text;
  }
  EXPECT_TRUE(parse_period("week:2026-W53", Weekday::monday));
  EXPECT_TRUE(parse_period("week:2020-W53", Weekday::monday));
  EXPECT_TRUE(parse_period("day:2024-02-29", Weekday::monday));
}

TEST(TimeZoneTest, ANameThatTheDatabaseHasNotIsRefused) {
  for (const std::string_view name :
       {"localtime", "", "Europe/Atlantis", "../../etc/passwd", "europe/berlin ", "CEST-2"}) {
    const auto found = TimeZone::find(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, Code::invalid);
  }
  EXPECT_TRUE(TimeZone::find("UTC"));
  EXPECT_TRUE(TimeZone::find("Europe/Berlin"));
}

}  // namespace
}  // namespace scoreline::leaderboards
