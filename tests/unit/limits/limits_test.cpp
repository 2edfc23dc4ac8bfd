// The limiter's arithmetic, case by case.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "limits/sliding_log.h"
#include "limits/token_bucket.h"
#include "limits/windows.h"

namespace scoreline::limits {
namespace {

/// Any algorithm behind one call.
class Subject {
 public:
  explicit Subject(const Limit& limit) : limit_(limit) { EXPECT_TRUE(check(limit)); }
  Decision decide(Nanos now, std::uint64_t cost = 1) {
    EXPECT_TRUE(check_cost(limit_, cost));
    switch (limit_.algorithm) {
      case Algorithm::sliding_log: return log_.decide(limit_, now, cost);
      case Algorithm::token_bucket: return limits::decide(limit_, bucket_, now, cost);
      case Algorithm::fixed_window: return limits::decide(limit_, window_, now, cost);
      case Algorithm::sliding_counter:
      case Algorithm::concurrency: break;
    }
    return limits::decide(limit_, counter_, now, cost);
  }
  void refund(Nanos now, std::uint64_t cost) {
    switch (limit_.algorithm) {
      case Algorithm::sliding_log: return log_.refund(limit_, now, cost);
      case Algorithm::token_bucket: return limits::refund(limit_, bucket_, now, cost);
      case Algorithm::fixed_window: return limits::refund(limit_, window_, now, cost);
      case Algorithm::sliding_counter: return limits::refund(limit_, counter_, now, cost);
      case Algorithm::concurrency: return;
    }
  }
  void change(const Limit& to, Nanos now) {
    if (limit_.algorithm == Algorithm::token_bucket) bucket_ = under_another(limit_, to, bucket_, now);
    limit_ = to;
  }

 private:
  Limit limit_;
  SlidingLog log_;
  TokenBucket bucket_;
  FixedWindow window_;
  SlidingCounter counter_;
};

class EachAlgorithm : public ::testing::TestWithParam<Algorithm> {
 protected:
  static Limit limit(std::uint64_t limit, Nanos window) { return {GetParam(), limit, window, {}}; }
  /// A full window after its own begin, so that every algorithm starts afresh.
  static constexpr Nanos kBegin = 1'000 * kSecond;
};

TEST_P(EachAlgorithm, AllowsExactlyTheLimit) {
  for (const std::uint64_t n : {1, 2, 10}) {
    Subject subject(limit(n, 10 * kSecond));
    for (std::uint64_t i = 1; i <= n; ++i) {
      const Decision decision = subject.decide(kBegin);
      EXPECT_TRUE(decision.allowed) << i;
      EXPECT_EQ(decision.remaining, n - i);
    }
    EXPECT_FALSE(subject.decide(kBegin).allowed);
  }
}

TEST_P(EachAlgorithm, ARefusedCallTakesNothing) {
  Subject subject(limit(10, 10 * kSecond));
  EXPECT_EQ(subject.decide(kBegin, 8).remaining, 2U);
  const Decision refused = subject.decide(kBegin, 5);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 2U);
  EXPECT_EQ(subject.decide(kBegin, 1).remaining, 1U);
}

TEST_P(EachAlgorithm, CostZeroLooksAndTakesNothing) {
  Subject subject(limit(2, 10 * kSecond));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(subject.decide(kBegin, 0).remaining, 2U);
  subject.decide(kBegin, 2);
  const Decision look = subject.decide(kBegin, 0);
  EXPECT_TRUE(look.allowed);
  EXPECT_EQ(look.remaining, 0U);
}

TEST_P(EachAlgorithm, ARefundGivesBackNoMoreThanWasTaken) {
  Subject subject(limit(10, 10 * kSecond));
  subject.decide(kBegin, 7);
  subject.refund(kBegin, 3);
  EXPECT_EQ(subject.decide(kBegin, 0).remaining, 6U);
  subject.refund(kBegin, 100);
  EXPECT_EQ(subject.decide(kBegin, 0).remaining, 10U);
}

TEST_P(EachAlgorithm, AnotherLimitCountsAtOnceAndKeepsWhatWasUsed) {
  Subject subject(limit(100, 60 * kSecond));
  subject.decide(kBegin, 1);
  subject.change(limit(10, 60 * kSecond), kBegin);
  EXPECT_EQ(subject.decide(kBegin, 0).remaining, 9U);
  subject.decide(kBegin, 6);
  subject.change(limit(5, 60 * kSecond), kBegin);
  EXPECT_EQ(subject.decide(kBegin, 0).remaining, 0U);
  EXPECT_FALSE(subject.decide(kBegin, 1).allowed);
}

TEST_P(EachAlgorithm, ARaisedLimitHelpsAtOnceWhateverWasRefused) {
  Subject subject(limit(10, 3'600 * kSecond));
  for (int i = 0; i < 50; ++i) subject.decide(kBegin);
  subject.change(limit(20, 3'600 * kSecond), kBegin);
  int allowed = 0;
  for (int i = 0; i < 50; ++i) allowed += subject.decide(kBegin).allowed;
  EXPECT_EQ(allowed, 10);
}

TEST_P(EachAlgorithm, AfterALongRestAllIsThereAgainAndNotMore) {
  const std::uint64_t most = GetParam() == Algorithm::sliding_log ? kMaxLogLimit : kMaxLimit;
  for (const Nanos rest : {12 * 3'600 * kSecond, 400 * 86'400 * kSecond, 3'650 * 86'400 * kSecond}) {
    Subject subject(limit(most, kSecond));
    subject.decide(kBegin, most);
    EXPECT_EQ(subject.decide(kBegin + rest, 0).remaining, most);
    EXPECT_EQ(subject.decide(kBegin + rest, 0).reset_after, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachAlgorithm,
                         ::testing::Values(Algorithm::sliding_log, Algorithm::sliding_counter, Algorithm::token_bucket,
                                           Algorithm::fixed_window),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SlidingLogTest, ACallExactlyOneWindowLaterNoLongerSeesTheFirst) {
  Subject subject({Algorithm::sliding_log, 1, kSecond, {}});
  EXPECT_TRUE(subject.decide(0).allowed);
  const Decision refused = subject.decide(kSecond - 1);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after, 1);
  EXPECT_TRUE(subject.decide(kSecond).allowed);
}

TEST(SlidingLogTest, RefusedCallsCostNoMemory) {
  const Limit limit{Algorithm::sliding_log, 100, kSecond, {}};
  SlidingLog log;
  for (int i = 0; i < 100; ++i) log.decide(limit, i, 1);
  const std::uint64_t full = log.memory_bytes();
  EXPECT_EQ(full, 100 * sizeof(Nanos));
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(log.decide(limit, 1'000, 1).allowed);
  EXPECT_EQ(log.memory_bytes(), full);
  log.decide(limit, 3 * kSecond, 0);
  EXPECT_EQ(log.memory_bytes(), 0U) << "an idle subject costs nothing";
}

TEST(TokenBucketTest, RefillsEvenlyAndNeverAllAtOnce) {
  Subject subject({Algorithm::token_bucket, 3, kSecond, {}});
  int allowed = 0;
  for (Nanos at = 0; at <= 60 * kSecond; at += 100 * kMillisecond) allowed += subject.decide(at).allowed;
  EXPECT_EQ(allowed, 3 + 180);
}

TEST(TokenBucketTest, HighRatesAreExactToTheLastCall) {
  struct Case {
    std::uint64_t burst, rate;
  };
  for (const auto& [burst, rate] : {Case{1, 2'000}, {21, 1'500}, {6'001, 6'000}, {1, 1'000'000}, {7, 999'999'937}}) {
    Subject subject({Algorithm::token_bucket, rate, kSecond, burst});
    std::uint64_t at_once = 0;
    while (subject.decide(0).allowed) ++at_once;
    EXPECT_EQ(at_once, burst);
    // One after another, each as early as it may: in one second so many as the rate says.
    Nanos now = 0;
    std::uint64_t taken = 0;
    const std::uint64_t calls = std::min<std::uint64_t>(rate, 10'000);
    for (; taken < calls; ++taken) {
      now += subject.decide(now).retry_after;
      ASSERT_TRUE(subject.decide(now).allowed);
    }
    // Each waits for the next full nanosecond, and the part of one is not lost.
    const auto exact = static_cast<Nanos>((static_cast<unsigned __int128>(calls) * kSecond + rate - 1) / rate);
    EXPECT_EQ(now, exact) << burst << " " << rate;
  }
}

TEST(TokenBucketTest, CapacityIsWhatIsSaid) {
  Subject subject({Algorithm::token_bucket, 10, kSecond, 15});
  EXPECT_EQ(subject.decide(0, 15).remaining, 0U);
  EXPECT_FALSE(subject.decide(0).allowed);
}

TEST(SlidingCounterTest, TheWindowBeforeCountsAsFarAsItReaches) {
  const Limit limit{Algorithm::sliding_counter, 100, 180 * kSecond, {}};
  Subject subject(limit);
  subject.decide(0, 100);
  EXPECT_EQ(subject.decide(180 * kSecond + 162 * kSecond, 0).remaining, 90U);
}

TEST(LimitsTest, WhatCannotBeIsRefusedByName) {
  const auto field_of = [](Limit limit) {
    const auto checked = check(limit);
    return checked ? "" : checked.error().field;
  };
  const Limit right{Algorithm::token_bucket, 10, kSecond, 5};
  EXPECT_EQ(field_of(right), "");
  const auto with = [&](auto change) {
    Limit wrong = right;
    change(wrong);
    return field_of(wrong);
  };
  EXPECT_EQ(with([](Limit& l) { l.limit = 0; }), "limit");
  EXPECT_EQ(with([](Limit& l) { l.limit = kMaxLimit + 1; }), "limit");
  EXPECT_EQ(with([](Limit& l) { l.window = 0; }), "window");
  EXPECT_EQ(with([](Limit& l) { l.window = kMaxWindow + 1; }), "window");
  EXPECT_EQ(with([](Limit& l) { l.burst = 0; }), "burst");
  EXPECT_EQ(with([](Limit& l) { l.burst = kMaxLimit + 1; }), "burst");
  EXPECT_EQ(with([](Limit& l) { l.algorithm = Algorithm::fixed_window; }), "burst");
  EXPECT_EQ(with([](Limit& l) {
              l.window = kMaxWindow;
              l.burst = 11;
            }),
            "burst");
  EXPECT_EQ(field_of({Algorithm::sliding_log, kMaxLogLimit + 1, kSecond, {}}), "limit");
  EXPECT_EQ(check_cost(right, 6).error().field, "cost");
  EXPECT_TRUE(check_cost(right, 5));
}

TEST(LimitsTest, NamesOfAlgorithmsGoBothWays) {
  for (const Algorithm algorithm :
       {Algorithm::sliding_log, Algorithm::sliding_counter, Algorithm::token_bucket, Algorithm::fixed_window}) {
    EXPECT_EQ(parse_algorithm(to_string(algorithm)), algorithm);
  }
  EXPECT_FALSE(parse_algorithm("leaky"));
}

}  // namespace
}  // namespace scoreline::limits
