// Each algorithm against another way to say the same: a list of all calls, or a bucket that is filled step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "limits/sliding_log.h"
#include "limits/token_bucket.h"
#include "limits/windows.h"

namespace scoreline::limits {
namespace {

struct Taken {
  Nanos at;
  std::uint64_t cost;
};

class LimitsProperty : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t below(std::uint64_t end) { return random_.below(end); }
  Limit limit(Algorithm algorithm) {
    Limit made{algorithm, 1 + below(20), kMinWindow + static_cast<Nanos>(below(1'000)), {}};
    if (algorithm == Algorithm::token_bucket && below(2) == 0) made.burst = 1 + below(30);
    EXPECT_TRUE(check(made));
    return made;
  }
  /// Often none, often to the very edge of a window.
  Nanos pause(const Limit& limit) {
    switch (below(6)) {
      case 0:
      case 1: return 0;
      case 2: return limit.window - static_cast<Nanos>(below(3));
      case 3: return static_cast<Nanos>(below(static_cast<std::uint64_t>(limit.window) * 3));
      default: return static_cast<Nanos>(below(static_cast<std::uint64_t>(limit.window) / 8 + 1));
    }
  }
  std::uint64_t cost(const Limit& limit) { return below(3) == 0 ? below(limit.capacity() + 1) : below(2); }

  SeededRandom random_{GetParam()};
};

constexpr int kLimits = 60, kSteps = 400;

/// What is refused is allowed after exactly the time that was told, and not a nanosecond before.
template <typename Decide>
void expect_right_retry(const Decision& decision, Nanos now, Decide decide) {
  if (decision.allowed) {
    EXPECT_EQ(decision.retry_after, 0);
    return;
  }
  ASSERT_GT(decision.retry_after, 0);
  EXPECT_FALSE(decide(now + decision.retry_after - 1).allowed) << "too late";
  EXPECT_TRUE(decide(now + decision.retry_after).allowed) << "too early";
}

TEST_P(LimitsProperty, ASlidingLogAllowsWhatFitsIntoTheWindow) {
  for (int i = 0; i < kLimits; ++i) {
    const Limit limit = this->limit(Algorithm::sliding_log);
    SlidingLog log;
    std::vector<Taken> taken;
    const auto used_at = [&](Nanos now) {
      std::uint64_t used = 0;
      for (const Taken& call : taken) used += call.at > now - limit.window && call.at <= now ? call.cost : 0;
      return used;
    };
    Nanos now = static_cast<Nanos>(below(1'000'000'000));
    for (int step = 0; step < kSteps; ++step) {
      now += pause(limit);
      const std::uint64_t cost = this->cost(limit);
      const std::uint64_t used = used_at(now);
      const Decision decision = log.decide(limit, now, cost);
      ASSERT_EQ(decision.allowed, used + cost <= limit.limit) << "used " << used << " cost " << cost;
      if (decision.allowed && cost > 0) taken.push_back({now, cost});
      ASSERT_EQ(decision.remaining, limit.limit - used_at(now));
      if (!decision.allowed) {
        // The brute way: nothing else comes.
        ASSERT_LE(used_at(now + decision.retry_after) + cost, limit.limit);
        ASSERT_GT(used_at(now + decision.retry_after - 1) + cost, limit.limit);
      }
      ASSERT_EQ(used_at(now + decision.reset_after), 0U);
      if (decision.reset_after > 0) {
        ASSERT_GT(used_at(now + decision.reset_after - 1), 0U);
      }
    }
  }
}

TEST_P(LimitsProperty, ATokenBucketIsOneThatIsFilledStepByStep) {
  for (int i = 0; i < kLimits; ++i) {
    const Limit limit = this->limit(Algorithm::token_bucket);
    const auto window = static_cast<std::uint64_t>(limit.window);
    TokenBucket bucket;
    std::uint64_t level = limit.capacity() * window;  // in tokens times the window
    Nanos now = 0;
    for (int step = 0; step < kSteps; ++step) {
      const Nanos passed = pause(limit);
      now += passed;
      level = std::min(limit.capacity() * window, level + static_cast<std::uint64_t>(passed) * limit.limit);
      const std::uint64_t cost = this->cost(limit);
      const TokenBucket before = bucket;
      const Decision decision = decide(limit, bucket, now, cost);
      ASSERT_EQ(decision.allowed, cost * window <= level) << "level " << level << " cost " << cost;
      if (decision.allowed) level -= cost * window;
      ASSERT_EQ(decision.remaining, level / window);
      if (!decision.allowed || cost == 0) {
        ASSERT_EQ(bucket, before) << "refused, and yet it took something";
      }
      expect_right_retry(decision, now, [&](Nanos later) {
        TokenBucket copy = bucket;
        return decide(limit, copy, later, cost);
      });
    }
  }
}

TEST_P(LimitsProperty, WindowsCountWhatFellIntoThem) {
  for (int i = 0; i < kLimits; ++i) {
    const Limit fixed = limit(Algorithm::fixed_window);
    const Limit sliding{Algorithm::sliding_counter, fixed.limit, fixed.window, {}};
    FixedWindow window;
    SlidingCounter counter;
    std::vector<Taken> in_window, in_counter;
    const auto sum = [&](const std::vector<Taken>& taken, Nanos number) {
      std::uint64_t used = 0;
      for (const Taken& call : taken) used += call.at / fixed.window == number ? call.cost : 0;
      return used;
    };
    Nanos now = static_cast<Nanos>(below(1'000'000'000));
    for (int step = 0; step < kSteps; ++step) {
      now += pause(fixed);
      const Nanos number = now / fixed.window;
      const std::uint64_t cost = this->cost(fixed);

      const std::uint64_t used = sum(in_window, number);
      const Decision by_window = decide(fixed, window, now, cost);
      ASSERT_EQ(by_window.allowed, used + cost <= fixed.limit);
      if (by_window.allowed) in_window.push_back({now, cost});
      ASSERT_EQ(by_window.remaining, fixed.limit - sum(in_window, number));
      expect_right_retry(by_window, now, [&](Nanos later) {
        FixedWindow copy = window;
        return decide(fixed, copy, later, cost);
      });

      const auto length = static_cast<std::uint64_t>(fixed.window);
      const std::uint64_t weight =
          sum(in_counter, number - 1) * static_cast<std::uint64_t>(fixed.window - now % fixed.window);
      const std::uint64_t estimate = weight + sum(in_counter, number) * length;
      const Decision by_counter = decide(sliding, counter, now, cost);
      ASSERT_EQ(by_counter.allowed, cost == 0 || estimate + cost * length <= fixed.limit * length);
      if (by_counter.allowed) in_counter.push_back({now, cost});
      expect_right_retry(by_counter, now, [&](Nanos later) {
        SlidingCounter copy = counter;
        return decide(sliding, copy, later, cost);
      });
    }
    // The stated bounds, over every window that ends with a call.
    for (const auto& [taken, most] : {std::pair(in_window, 2 * fixed.limit), std::pair(in_counter, 2 * fixed.limit)}) {
      for (const Taken& last : taken) {
        std::uint64_t used = 0;
        for (const Taken& call : taken) {
          if (call.at > last.at - fixed.window && call.at <= last.at) used += call.cost;
        }
        ASSERT_LE(used, most);
      }
    }
  }
}

/// A store's clock that jumps; `real` does not.
TEST_P(LimitsProperty, AClockThatStepsBackGrantsNothingTwiceAndLocksNobodyOut) {
  for (const Algorithm algorithm :
       {Algorithm::sliding_log, Algorithm::token_bucket, Algorithm::fixed_window, Algorithm::sliding_counter}) {
    for (int i = 0; i < kLimits; ++i) {
      Limit limit = this->limit(algorithm);
      limit.burst.reset();
      SlidingLog log;
      TokenBucket bucket;
      FixedWindow window;
      SlidingCounter counter;
      const auto decide_one = [&](Nanos now, std::uint64_t cost) {
        switch (algorithm) {
          case Algorithm::sliding_log: return log.decide(limit, now, cost);
          case Algorithm::token_bucket: return decide(limit, bucket, now, cost);
          case Algorithm::fixed_window: return decide(limit, window, now, cost);
          case Algorithm::sliding_counter:
          case Algorithm::concurrency: break;
        }
        return decide(limit, counter, now, cost);
      };
      Nanos real = 0, shown = 1'000'000'000'000;
      std::vector<Taken> taken;
      for (int step = 0; step < kSteps; ++step) {
        const Nanos passed = pause(limit);
        real += passed;
        shown += passed;
        if (below(10) == 0) shown -= static_cast<Nanos>(below(static_cast<std::uint64_t>(limit.window) * 5));
        const Decision decision = decide_one(shown, 1);
        if (decision.allowed) taken.push_back({real, 1});
        const Nanos longest = algorithm == Algorithm::sliding_counter ? 2 * limit.window : limit.window;
        ASSERT_LE(decision.retry_after, longest) << to_string(algorithm);
        ASSERT_LE(decision.reset_after, longest) << to_string(algorithm);
      }
      // An exact algorithm stays exact; the others keep to their bound.
      const std::uint64_t most = algorithm == Algorithm::sliding_log ? limit.limit : 2 * limit.limit;
      for (const Taken& last : taken) {
        const auto in_window = std::count_if(taken.begin(), taken.end(), [&](const Taken& call) {
          return call.at > last.at - limit.window && call.at <= last.at;
        });
        ASSERT_LE(static_cast<std::uint64_t>(in_window), most) << to_string(algorithm);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LimitsProperty, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace scoreline::limits
