#include "http/blocking_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace scoreline::http {
namespace {

TEST(BlockingPool, DoesAllThatWaitsBeforeItStops) {
  std::atomic<int> done{0};
  {
    BlockingPool pool(2, 100);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.run([&done] { ++done; }));
  }
  EXPECT_EQ(done, 100);
}

TEST(BlockingPool, RefusesWhatFindsNoRoomAndTakesAgainLater) {
  std::promise<void> release;
  std::promise<void> begun;
  std::atomic<int> done{0};
  BlockingPool pool(1, 1);
  ASSERT_TRUE(pool.run([&] {
    begun.set_value();
    release.get_future().wait();
  }));
  begun.get_future().wait();
  std::promise<void> second;
  EXPECT_TRUE(pool.run([&] {
    ++done;
    second.set_value();
  }));
  EXPECT_FALSE(pool.run([&done] { done += 100; }));
  release.set_value();
  second.get_future().wait();
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(pool.run([] {}));
}

}  // namespace
}  // namespace scoreline::http
