#include "cli/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

namespace scoreline::cli {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, TellsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line({1'234'567, 250, 1'000}, seconds{100}),
            "[######                  ]  25 %  1,234,567 rows  12,345/s  5:00 left");
  EXPECT_EQ(progress_line({10, 1'000, 1'000}, seconds{1}),
            "[########################] 100 %  10 rows  10/s  0:00 left");
}

TEST(ProgressLine, WithoutATotalTellsRowsAndRate) {
  EXPECT_EQ(progress_line({500, 9'999, std::nullopt}, seconds{2}), "500 rows  250/s");
}

TEST(ProgressBar, DrawsAtMostTenTimesASecondAndGoesAway) {
  ManualClock clock;
  std::ostringstream err;
  ProgressBar bar(err, clock, true);
  bar.show({1, 0, std::nullopt});
  bar.show({2, 0, std::nullopt});
  clock.advance(std::chrono::milliseconds{100});
  bar.show({3, 0, std::nullopt});
  EXPECT_EQ(err.str().find("2 rows"), std::string::npos);
  EXPECT_NE(err.str().find("3 rows"), std::string::npos);
  bar.clear();
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K"));
}

TEST(ProgressBar, DrawsNothingWhereNobodyLooks) {
  ManualClock clock;
  std::ostringstream err;
  ProgressBar bar(err, clock, false);
  bar.show({1, 0, std::nullopt});
  bar.clear();
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace scoreline::cli
