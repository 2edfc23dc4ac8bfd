#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace scoreline {
namespace {

TEST(Random, ReplaysFromItsSeed) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom other(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto bits = a.bits();
    EXPECT_EQ(bits, b.bits());
    differs = differs || bits != other.bits();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  SeededRandom random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 7'000; ++i) {
    const auto value = random.below(7);
    ASSERT_LT(value, 7U);
    ++counts[value];
  }
  for (const int count : counts) EXPECT_GT(count, 800);
}

}  // namespace
}  // namespace scoreline
