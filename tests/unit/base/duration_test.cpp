#include "base/duration.h"

#include <gtest/gtest.h>

namespace scoreline {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(DurationTest, IsNumbersWithUnitsTheLargestFirst) {
  EXPECT_EQ(*parse_duration("0"), milliseconds{0});
  EXPECT_EQ(*parse_duration("250ms"), milliseconds{250});
  EXPECT_EQ(*parse_duration("90s"), milliseconds{90'000});
  EXPECT_EQ(*parse_duration("19d6h"), hours{19 * 24 + 6});
  EXPECT_EQ(*parse_duration("1d2h3m4s5ms"), hours{26} + milliseconds{184'005});
}

TEST(DurationTest, AnythingElseIsRefused) {
  for (const std::string_view text : {"", "1", "d", "-1d", "1h1d", "1d1d", "1.5h", "1d ", " 1d", "1d6", "1w",
                                      "9223372036854775808ms", "106751991168d", "106751991167d23h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(DurationTest, IsShownInTheLargestExactUnit) {
  for (const std::string_view text : {"0", "250ms", "90s", "10m", "12h", "3d", "462h"}) {
    EXPECT_EQ(format_duration(*parse_duration(text)), text);
  }
}

}  // namespace
}  // namespace scoreline
