#include "leaderboards/season_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/cron.h"
#include "base/duration.h"
#include "base/limits.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

Timestamp at(std::string_view text) { return *parse_timestamp(text); }

Definition by_cron(std::string cron, std::string zone = "UTC") {
  Definition definition = test::with_rule("speed", Rule::best);
  definition.schedule.cron = std::move(cron);
  definition.periods.time_zone = std::move(zone);
  EXPECT_TRUE(validate(definition));
  return definition;
}

Definition every(std::string_view length, std::string_view from) {
  Definition definition = test::with_rule("speed", Rule::best);
  definition.schedule.every = *parse_duration(length);
  definition.schedule.from = at(from);
  EXPECT_TRUE(validate(definition));
  return definition;
}

std::vector<std::string> boundaries(const Definition& definition, std::string_view after, int count) {
  std::vector<std::string> found;
  Timestamp last = at(after);
  for (int i = 0; i < count; ++i) {
    last = *boundary_after(definition, last);
    found.push_back(format_timestamp(last));
  }
  return found;
}

using Times = std::vector<std::string>;

TEST(SeasonScheduleTest, MidnightInNewYorkIsOncePerDayOverBothChanges) {
  const Definition daily = by_cron("0 0 * * *", "America/New_York");
  EXPECT_EQ(boundaries(daily, "2026-03-07T00:00:00Z", 4),
            (Times{"2026-03-07T05:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", "2026-03-10T04:00:00Z"}));
  EXPECT_EQ(boundaries(daily, "2026-10-31T00:00:00Z", 4),
            (Times{"2026-10-31T04:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", "2026-11-03T05:00:00Z"}));
}

TEST(SeasonScheduleTest, ATimeThatClocksSkipIsTheEndOfTheGapAndOneShownTwiceIsTheFirst) {
  const Definition at_half_past_two = by_cron("30 2 * * *", "Europe/Berlin");
  EXPECT_EQ(
      boundaries(at_half_past_two, "2026-03-28T00:00:00Z", 3),
      (Times{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}));  // 03:00, the end of the gap
  EXPECT_EQ(boundaries(at_half_past_two, "2026-10-24T00:00:00Z", 3),
            (Times{"2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}));
}

TEST(SeasonScheduleTest, SeveralTimesWithinOneGapAreOneBoundary) {
  const Definition often = by_cron("*/20 2,3 * * *", "Europe/Berlin");
  EXPECT_EQ(boundaries(often, "2026-03-29T00:30:00Z", 4),
            (Times{"2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z"}));
}

TEST(SeasonScheduleTest, WeeklyOnMondayInKathmanduAndLordHowe) {
  EXPECT_EQ(boundaries(by_cron("0 0 * * mon", "Asia/Kathmandu"), "2026-10-12T00:00:00Z", 2),
            (Times{"2026-10-18T18:15:00Z", "2026-10-25T18:15:00Z"}));
  EXPECT_EQ(boundaries(by_cron("0 0 * * 1", "Australia/Lord_Howe"), "2026-09-28T00:00:00Z", 2),
            (Times{"2026-10-04T13:00:00Z", "2026-10-11T13:00:00Z"}));
}

TEST(SeasonScheduleTest, EveryLocalDayHasOneBoundaryForYears) {
  for (const char* const zone : {"America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe",
                                 "America/Sao_Paulo", "Africa/Cairo", "America/St_Johns"}) {
    const Definition daily = by_cron("0 0 * * *", zone);
    const TimeZone clocks = *TimeZone::find(zone);
    Timestamp last = at("2008-01-01T12:00:00Z");
    std::int64_t day = clocks.local(last).ms / 86'400'000;
    for (int i = 0; i < 12 * 365; ++i) {
      last = *boundary_after(daily, last);
      ++day;
      ASSERT_EQ(clocks.local(last).ms / 86'400'000, day) << zone << ' ' << format_timestamp(last);
      ASSERT_EQ(boundary_until(daily, last), last);
      ASSERT_EQ(*boundary_after(daily, {last.ms - 1}), last);
    }
  }
}

TEST(SeasonScheduleTest, EitherDayWillDoWhenBothAreNamedAsInCrontab) {
  EXPECT_EQ(boundaries(by_cron("0 12 13 * fri"), "2026-02-01T00:00:00Z", 4),
            (Times{"2026-02-06T12:00:00Z", "2026-02-13T12:00:00Z", "2026-02-20T12:00:00Z", "2026-02-27T12:00:00Z"}));
  EXPECT_EQ(boundaries(by_cron("0 12 13 * *"), "2026-02-01T00:00:00Z", 2),
            (Times{"2026-02-13T12:00:00Z", "2026-03-13T12:00:00Z"}));
  EXPECT_EQ(boundaries(by_cron("0 0 29 2 *"), "2026-01-01T00:00:00Z", 2),
            (Times{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}));
  EXPECT_EQ(boundaries(by_cron("0 0 29 2 *"), "1896-03-01T00:00:00Z", 1), Times{"1904-02-29T00:00:00Z"});
  EXPECT_EQ(boundaries(by_cron("15,45 8-10/2 1 jan-mar/2 *"), "2026-02-01T00:00:00Z", 5),
            (Times{"2026-03-01T08:15:00Z", "2026-03-01T08:45:00Z", "2026-03-01T10:15:00Z", "2026-03-01T10:45:00Z",
                   "2027-01-01T08:15:00Z"}));
  EXPECT_EQ(boundaries(by_cron("@monthly"), "2026-02-01T00:00:00Z", 1), Times{"2026-03-01T00:00:00Z"});
  EXPECT_EQ(boundaries(by_cron("0 0 * * 7"), "2026-10-12T00:00:00Z", 1), Times{"2026-10-18T00:00:00Z"});
}

TEST(SeasonScheduleTest, ALeapDayOnASundayIsWaitedForOverDecades) {
  const Definition rare = by_cron("0 0 29 2 */7");  // a star before the step: both days must be right
  EXPECT_EQ(boundaries(rare, "2026-01-01T00:00:00Z", 2), (Times{"2032-02-29T00:00:00Z", "2060-02-29T00:00:00Z"}));
  EXPECT_EQ(boundaries(rare, "2088-03-01T00:00:00Z", 1), (Times{"2128-02-29T00:00:00Z"}));
  EXPECT_EQ(boundary_until(rare, at("2026-01-01T00:00:00Z")), at("2004-02-29T00:00:00Z"));
  EXPECT_EQ(boundary_until(rare, at("2128-02-28T23:59:59.999Z")), at("2088-02-29T00:00:00Z"));
}

TEST(SeasonScheduleTest, TheLastBoundaryIsTheOneThatTheNextOnesFollow) {
  for (const std::string cron : {"* * * 1 *", "*/7 5 * * *", "30 2 * * *", "0 0 1 * *", "15 3 * 3,10 sun"}) {
    const Definition definition = by_cron(cron, "Europe/Berlin");
    Timestamp last = *boundary_after(definition, at("2026-01-31T23:30:00+01:00"));
    for (int i = 0; i < 40; ++i) {
      const Timestamp next = *boundary_after(definition, last);
      EXPECT_EQ(boundary_until(definition, last), last) << cron;
      EXPECT_EQ(boundary_until(definition, Timestamp{next.ms - 1}), last) << cron;
      last = next;
    }
  }
}

TEST(SeasonScheduleTest, WhatIsNoCronExpressionIsRefused) {
  for (const std::string_view text :
       {"",           "* * * *",     "* * * * * *",  "60 * * * *",         "* 24 * * *",  "* * 0 * *",
        "* * 32 * *", "* * * 13 * ", "* * * 0 *",    "* * * * 8",          "*/0 * * * *", "5-1 * * * *",
        "a * * * *",  "1, * * * *",  "1--2 * * * *", "-1 * * * *",         "0 0 30 2 *",  "0 0 31 4,6,9,11 *",
        "@reboot",    "* * * foo *", "1/ * * * *",   "99999999999 * * * *"}) {
    EXPECT_FALSE(Cron::parse(text)) << text;
  }
  Definition definition = test::with_rule("speed", Rule::best);
  definition.schedule.cron = "0 25 * * *";
  const auto valid = validate(definition);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().field, "seasonCron");
  EXPECT_NE(valid.error().detail.find("hour"), std::string::npos);
}

TEST(SeasonScheduleTest, FieldsThatDoNotGoTogetherAreNamed) {
  const auto field_of = [](SeasonSchedule schedule) {
    const auto valid = validate(schedule);
    return valid ? std::string() : valid.error().field;
  };
  const std::chrono::hours day{24};
  EXPECT_EQ(field_of({"@daily", day, Timestamp{}}), "seasonEvery");
  EXPECT_EQ(field_of({{}, day, {}}), "seasonFrom");
  EXPECT_EQ(field_of({{}, {}, Timestamp{}}), "seasonFrom");
  EXPECT_EQ(field_of({{}, std::chrono::seconds{59}, Timestamp{}}), "seasonEvery");
  EXPECT_EQ(field_of({{}, 3661 * day, Timestamp{}}), "seasonEvery");
  EXPECT_EQ(field_of({{}, day, Timestamp{kMaxTimestamp.ms + 1}}), "seasonFrom");
  EXPECT_EQ(field_of({"@daily", {}, Timestamp{}}), "");
  EXPECT_EQ(field_of({}), "");
}

TEST(SeasonScheduleTest, NineteenDaysAndSixHoursFromAnInstantToTheMillisecond) {
  const Definition definition = every("19d6h", "2026-10-01T09:30:00.250Z");
  auto season = next_season(definition, std::nullopt, at("2026-09-01T00:00:00Z"));
  ASSERT_TRUE(season);
  EXPECT_EQ(season->id.value, 1);
  EXPECT_EQ(format_timestamp(*season->start), "2026-10-01T09:30:00.250Z");
  EXPECT_EQ(format_timestamp(*season->end), "2026-10-20T15:30:00.250Z");
  season = next_season(definition, season, *season->end);
  EXPECT_EQ(season->id.value, 2);
  EXPECT_EQ(format_timestamp(*season->start), "2026-10-20T15:30:00.250Z");
  EXPECT_EQ(format_timestamp(*season->end), "2026-11-08T21:30:00.250Z");
}

TEST(SeasonScheduleTest, SeasonsFollowOneAnotherWithoutAGapOverYears) {
  const Definition weekly = by_cron("30 2 * * mon", "America/New_York");
  auto last = next_season(weekly, std::nullopt, at("2020-01-01T00:00:00Z"));
  EXPECT_EQ(format_timestamp(*last->start), "2019-12-30T07:30:00Z");
  for (int i = 2; i < 300; ++i) {
    const auto next = next_season(weekly, last, *last->end);
    ASSERT_EQ(next->start, last->end);
    ASSERT_EQ(next->id.value, i);
    last = next;
  }
}

TEST(SeasonScheduleTest, SeasonsThatNobodyCouldPlayInAreLeftOut) {
  const Definition daily = by_cron("0 0 * * *");
  const Season last{{7}, at("2026-10-01T00:00:00Z"), at("2026-10-02T00:00:00Z")};
  // Within the grace of the season after it, that one can still be played.
  auto next = next_season(daily, last, at("2026-10-03T00:09:59.999Z"));
  EXPECT_EQ(format_timestamp(*next->start), "2026-10-02T00:00:00Z");
  next = next_season(daily, last, at("2026-10-03T00:10:00Z"));
  EXPECT_EQ(next->id.value, 8);
  EXPECT_EQ(format_timestamp(*next->start), "2026-10-03T00:00:00Z");
  EXPECT_EQ(format_timestamp(*next->end), "2026-10-04T00:00:00Z");
}

TEST(SeasonScheduleTest, AfterASeasonByHandTheNextBoundaryCounts) {
  const Definition daily = by_cron("0 0 * * *");
  const Season by_hand{{3}, at("2026-10-01T00:00:00Z"), at("2026-10-02T15:00:00Z")};
  const auto next = next_season(daily, by_hand, at("2026-10-02T15:00:00Z"));
  EXPECT_EQ(format_timestamp(*next->start), "2026-10-03T00:00:00Z");
  EXPECT_FALSE(next_season(daily, Season{{3}, at("2026-10-01T00:00:00Z"), {}}, at("2026-10-02T15:00:00Z")));
  const Season last_id{
      {static_cast<std::int32_t>(kMaxSeasonId)}, at("2026-10-01T00:00:00Z"), at("2026-10-02T00:00:00Z")};
  EXPECT_FALSE(next_season(daily, last_id, at("2026-10-02T15:00:00Z")));
  EXPECT_FALSE(next_season(test::with_rule("speed", Rule::best), std::nullopt, at("2026-10-02T15:00:00Z")));
}

TEST(SeasonScheduleTest, NoSeasonBeginsBeforeFrom) {
  Definition definition = by_cron("0 0 1 * *");
  definition.schedule.from = at("2026-10-15T00:00:00Z");
  const auto first = next_season(definition, std::nullopt, at("2026-10-12T00:00:00Z"));
  EXPECT_EQ(format_timestamp(*first->start), "2026-11-01T00:00:00Z");
  EXPECT_EQ(boundary_until(definition, at("2026-10-31T23:59:59Z")), std::nullopt);
  EXPECT_EQ(boundary_until(definition, at("2026-11-01T00:00:00Z")), at("2026-11-01T00:00:00Z"));
}

}  // namespace
}  // namespace scoreline::leaderboards
