#include "base/clock.h"

#include <gtest/gtest.h>

namespace scoreline {
namespace {

TEST(Clock, MonotonicNeverStepsBack) {
  const SystemClock clock;
  Monotonic last = clock.monotonic();
  for (int i = 0; i < 1'000; ++i) {
    const Monotonic next = clock.monotonic();
    EXPECT_LE(last, next);
    last = next;
  }
}

TEST(Clock, SettingTheWallLeavesTheMonotonicAlone) {
  ManualClock clock({1'000});
  clock.advance(std::chrono::milliseconds{250});
  const Monotonic before = clock.monotonic();
  clock.set_wall({0});
  EXPECT_EQ(clock.now(), Timestamp{0});
  EXPECT_EQ(clock.monotonic(), before);
  EXPECT_EQ(before - Monotonic{}, std::chrono::milliseconds{250});
}

}  // namespace
}  // namespace scoreline
