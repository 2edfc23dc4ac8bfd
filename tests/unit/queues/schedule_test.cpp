// Which ticks of a schedule are due, and which one comes next.
#include "queues/schedule.h"

#include <gtest/gtest.h>

namespace scoreline::queues {
namespace {

Timestamp at(std::string_view text) { return *parse_timestamp(text); }

Schedule schedule(std::string cron, std::string zone = "UTC") { return {"report", std::move(cron), std::move(zone)}; }

std::string text(std::optional<Timestamp> tick) { return tick ? format_timestamp(*tick) : "none"; }

TEST(ScheduleTest, TellsWhatIsDueAndWhatComesNext) {
  const Schedule hourly = schedule("0 * * * *");
  const Timestamp made = at("2026-12-03T10:00:00Z");
  const Ticks before = ticks(hourly, made, at("2026-12-03T10:59:59.999Z"));
  EXPECT_EQ(text(before.due), "none");
  EXPECT_EQ(text(before.next), "2026-12-03T11:00:00Z");
  const Ticks on_time = ticks(hourly, made, at("2026-12-03T11:00:00Z"));
  EXPECT_EQ(text(on_time.due), "2026-12-03T11:00:00Z");
  EXPECT_EQ(text(on_time.next), "2026-12-03T12:00:00Z");
  EXPECT_EQ(text(ticks(hourly, *on_time.due, at("2026-12-03T11:00:00Z")).due), "none");
}

TEST(ScheduleTest, WhoWasAwayMakesUpForTheLastTickAlone) {
  const Ticks late = ticks(schedule("0 * * * *"), at("2026-12-01T00:00:00Z"), at("2026-12-03T10:20:00Z"));
  EXPECT_EQ(text(late.due), "2026-12-03T10:00:00Z");
  EXPECT_EQ(text(late.next), "2026-12-03T11:00:00Z");
}

TEST(ScheduleTest, AClockSetBackBringsNoTickAgain) {
  const Ticks back = ticks(schedule("0 * * * *"), at("2026-12-03T11:00:00Z"), at("2026-12-03T10:30:00Z"));
  EXPECT_EQ(text(back.due), "none");
  EXPECT_EQ(text(back.next), "2026-12-03T12:00:00Z");
}

TEST(ScheduleTest, GoesByTheClocksOfItsZoneOverBothChanges) {
  const Schedule early = schedule("30 2 * * *", "Europe/Berlin");
  // Put forward at 02:00: 02:30 does not exist, and the first instant after the gap stands for it.
  EXPECT_EQ(text(ticks(early, at("2026-03-28T12:00:00Z"), at("2026-03-28T12:00:00Z")).next), "2026-03-29T01:00:00Z");
  // Put back at 03:00: 02:30 comes twice, and counts once.
  EXPECT_EQ(text(ticks(early, at("2026-10-24T12:00:00Z"), at("2026-10-24T12:00:00Z")).next), "2026-10-25T00:30:00Z");
  EXPECT_EQ(text(ticks(early, at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")).due), "none");
}

TEST(ScheduleTest, AfterTheYear9999NothingComes) {
  EXPECT_EQ(text(ticks(schedule("@yearly"), at("9999-06-01T00:00:00Z"), at("9999-06-01T00:00:00Z")).next), "none");
}

TEST(ScheduleTest, EachTickHasAnId) {
  EXPECT_EQ(tick_id(schedule("@daily"), at("2026-12-03T00:00:00Z")), "report@2026-12-03T00:00:00Z");
}

TEST(ScheduleTest, WhatIsWrongIsNamed) {
  const auto field_of = [](Schedule wrong) {
    const auto checked = check(wrong, QueueOptions{});
    return checked ? "" : checked.error().field;
  };
  Schedule wrong = schedule("@daily");
  EXPECT_EQ(field_of(wrong), "");
  wrong.name = "No";
  EXPECT_EQ(field_of(wrong), "name");
  EXPECT_EQ(field_of(schedule("61 * * * *")), "cron");
  EXPECT_EQ(field_of(schedule("@daily", "Europe/Nowhere")), "timeZone");
  wrong = schedule("@daily");
  wrong.priority = 10;
  EXPECT_EQ(field_of(wrong), "priority");
  wrong = schedule("@daily");
  wrong.max_attempts = 0;
  EXPECT_EQ(field_of(wrong), "maxAttempts");
  wrong = schedule("@daily");
  wrong.payload.assign(kDefaultPayloadBytes + 1, 'x');
  EXPECT_EQ(field_of(wrong), "payload");
}

}  // namespace
}  // namespace scoreline::queues
