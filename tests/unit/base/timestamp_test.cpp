#include "base/timestamp.h"

#include <gtest/gtest.h>

namespace scoreline {
namespace {

TEST(Timestamp, ReadsRfc3339) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z")->ms, 0);
  EXPECT_EQ(parse_timestamp("2026-10-12T18:00:00Z")->ms, 1'791'828'000'000);
  EXPECT_EQ(parse_timestamp("2026-10-12T18:00:00.5Z")->ms, 1'791'828'000'500);
  EXPECT_EQ(parse_timestamp("2026-10-12t18:00:00.123999z")->ms, 1'791'828'000'123);
  EXPECT_EQ(parse_timestamp("2026-10-12T20:00:00+02:00")->ms, 1'791'828'000'000);
  EXPECT_EQ(parse_timestamp("2026-10-12T13:15:00-04:45")->ms, 1'791'828'000'000);
}

TEST(Timestamp, ReadsTimesBefore1970) {
  EXPECT_EQ(parse_timestamp("1916-07-02T13:10:00Z")->ms, -1'688'295'000'000);
  EXPECT_EQ(parse_timestamp("1969-12-31T23:59:59.999Z")->ms, -1);
  EXPECT_EQ(*parse_timestamp("1600-01-01T00:00:00Z"), kMinTimestamp);
  EXPECT_EQ(*parse_timestamp("9999-12-31T23:59:59.999Z"), kMaxTimestamp);
}

TEST(Timestamp, RangeFitsFortyEightBits) {
  EXPECT_LT(static_cast<std::uint64_t>(kMaxTimestamp.ms - kMinTimestamp.ms), std::uint64_t{1} << 48);
}

TEST(Timestamp, TakesALeapSecondAsTheLastMillisecondOfItsMinute) {
  EXPECT_EQ(parse_timestamp("2016-12-31T23:59:60Z")->ms, parse_timestamp("2016-12-31T23:59:59.999Z")->ms);
}

TEST(Timestamp, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "now", "2026-10-12", "2026-10-12T18:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z", "2026-10-12T24:00:00Z", "2026-10-12T18:60:00Z", "2026-10-12T18:00:61Z",
        "2026-10-12T18:00:00.Z", "2026-10-12T18:00:00+2:00", "2026-10-12T18:00:00+24:00", "2026-10-12T18:00:00Z ",
        " 2026-10-12T18:00:00Z", "1599-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00",
        "1791828000000"}) {
    const auto at = parse_timestamp(text);
    ASSERT_FALSE(at) << text;
    EXPECT_EQ(at.error().code, Code::invalid) << text;
  }
}

TEST(Timestamp, WritesMillisecondsOnlyWhenThereAreAny) {
  EXPECT_EQ(format_timestamp({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_timestamp({-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_timestamp({1'791'828'000'050}), "2026-10-12T18:00:00.050Z");
}

TEST(Timestamp, RoundTripsThroughText) {
  for (std::int64_t ms = kMinTimestamp.ms; ms < kMaxTimestamp.ms; ms += 999'999'999'937) {
    EXPECT_EQ(parse_timestamp(format_timestamp({ms}))->ms, ms);
  }
}

}  // namespace
}  // namespace scoreline
