#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace scoreline {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct Good {
  const char* text;
  int scale;
  std::int64_t scaled;
};

class DecimalReads : public testing::TestWithParam<Good> {};

TEST_P(DecimalReads, Exactly) {
  const auto decimal = parse_decimal(GetParam().text);
  ASSERT_TRUE(decimal) << decimal.error().detail;
  const auto scaled = to_scaled(*decimal, GetParam().scale);
  ASSERT_TRUE(scaled) << scaled.error().detail;
  EXPECT_EQ(*scaled, GetParam().scaled);
}

INSTANTIATE_TEST_SUITE_P(Numbers, DecimalReads,
                         testing::Values(Good{"0", 0, 0}, Good{"-0", 0, 0}, Good{"0.0", 0, 0}, Good{"-0.000e9", 0, 0},
                                         Good{"120", 0, 120}, Good{"12.5", 1, 125}, Good{"12.50", 1, 125},
                                         Good{"-5.7", 1, -57}, Good{"1e2", 0, 100}, Good{"1E+2", 0, 100},
                                         Good{"150e-2", 1, 15}, Good{"0.000000001", 9, 1}, Good{"100.000", 0, 100},
                                         Good{"9007199254740993", 0, 9'007'199'254'740'993},
                                         Good{"9223372036854775807", 0, kMax}, Good{"-9223372036854775808", 0, kMin},
                                         Good{"9223372036.854775807", 9, kMax}, Good{"0e999999999999", 0, 0},
                                         Good{"92233720368547758070e-1", 0, kMax},
                                         Good{"1000000000000000000000e-20", 0, 10}));

class DecimalRefuses : public testing::TestWithParam<const char*> {};

TEST_P(DecimalRefuses, WhatIsNoJsonNumber) {
  const auto decimal = parse_decimal(GetParam());
  ASSERT_FALSE(decimal);
  EXPECT_EQ(decimal.error().code, Code::invalid);
}

INSTANTIATE_TEST_SUITE_P(NoNumbers, DecimalRefuses,
                         testing::Values("", "-", "+1", " 1", "1 ", "0x10", "NaN", "Infinity", "-inf", ".5", "5.", "1e",
                                         "1e+", "01", "--1", "1,5", "1_000", "1e400", "9223372036854775808",
                                         "-9223372036854775809", "1e19", "99999999999999999999.5"));

TEST(Decimal, RefusesMoreDigitsThanTheScaleKeeps) {
  const auto half = parse_decimal("-5.7");
  ASSERT_TRUE(half);
  EXPECT_EQ(to_scaled(*half, 0).error().detail, "must be a whole number");
  EXPECT_EQ(to_scaled(*parse_decimal("0.125"), 2).error().detail, "must have at most 2 digits after the point");
  EXPECT_EQ(to_scaled(*parse_decimal("1e-400"), 9).error().code, Code::invalid);
}

TEST(Decimal, RefusesWhatOverflowsAtTheScale) {
  const auto big = parse_decimal("9223372036854775807");
  ASSERT_TRUE(big);
  EXPECT_EQ(to_scaled(*big, 1).error().code, Code::invalid);
}

TEST(Decimal, WritesTheShortestNumber) {
  EXPECT_EQ(format_scaled(125, 1), "12.5");
  EXPECT_EQ(format_scaled(120, 1), "12");
  EXPECT_EQ(format_scaled(-57, 1), "-5.7");
  EXPECT_EQ(format_scaled(-1, 9), "-0.000000001");
  EXPECT_EQ(format_scaled(0, 9), "0");
  EXPECT_EQ(format_scaled(kMin, 0), "-9223372036854775808");
  EXPECT_EQ(format_scaled(kMin, 9), "-9223372036.854775808");
}

TEST(Decimal, RoundTripsThroughTextAtEveryScale) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-10}, std::int64_t{987'654'321}, kMax, kMin}) {
    for (int scale = 0; scale <= 9; ++scale) {
      const auto decimal = parse_decimal(format_scaled(value, scale));
      ASSERT_TRUE(decimal);
      EXPECT_EQ(to_scaled(*decimal, scale).value(), value) << value << " at scale " << scale;
    }
  }
}

TEST(Decimal, OfAnIntegerIsThatOfItsText) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1200}, std::int64_t{-7}, kMax, kMin}) {
    EXPECT_EQ(decimal_from(value), parse_decimal(std::to_string(value)).value());
  }
}

}  // namespace
}  // namespace scoreline
