// What a queue promises, case by case.
#include "queues/queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;
using Names = std::vector<std::string>;

struct NoLedger final : Transitions {
  void record(const Transition&) override {}
};

class QueueCases : public testing::Test {
 protected:
  struct Held {
    std::string id;
    Receipt receipt;
    int attempt = 0;
  };

  EnqueueOutcome push(std::string_view id, int priority = kDefaultPriority, std::int64_t delay = 0) {
    const NewJob job{id, "p", priority, Timestamp{now_.wall.ms + delay}, std::nullopt};
    Enqueued answer;
    EXPECT_TRUE(queue_.enqueue({&job, 1}, {&answer, 1}, now_));
    return answer.outcome;
  }
  std::vector<Held> take(std::size_t max = 100, milliseconds lease = milliseconds{100}) {
    std::vector<Held> held;
    queue_.take(max, lease, now_, [&](const JobRow& row) {
      held.push_back({std::string(row.id), row.receipt, row.attempt()});
    });
    return held;
  }
  Names names(const std::vector<Held>& held) {
    Names names;
    for (const Held& each : held) names.push_back(each.id);
    return names;
  }
  void pass(std::int64_t ms) {
    now_.wall.ms += ms;
    now_.steady = now_.steady + milliseconds{ms};
  }

  Instant now_{Timestamp{1'800'000'000'000}, Monotonic{0}};
  SeededRandom random_{1};
  NoLedger ledger_;
  Queue queue_{QueueOptions{}, random_, ledger_};
};

TEST_F(QueueCases, PriorityThenOrderOfEnqueueWithinOneMillisecondAndOverAStepBack) {
  push("z", 3);
  push("m", 3);
  now_.wall.ms -= 3'600'000;
  push("a", 3);
  push("urgent", 0);
  EXPECT_EQ(names(take()), (Names{"urgent", "z", "m", "a"}));
}

TEST_F(QueueCases, LostLeaseCannotAckNorExtend) {
  push("x");
  const Held first = take(1).at(0);
  pass(150);
  EXPECT_EQ(queue_.ack("x", first.receipt, now_).error().code, Code::conflict);
  const Held second = take(1).at(0);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_FALSE(queue_.ack("x", first.receipt, now_));
  EXPECT_FALSE(queue_.extend("x", first.receipt, milliseconds{100}, now_));
  EXPECT_TRUE(queue_.ack("x", second.receipt, now_));
  EXPECT_EQ(queue_.stats(now_).acked, 1u);
}

TEST_F(QueueCases, LostWorkersHaveABudgetOfTheirOwnAndPoisonGoesBehind) {
  push("poison");
  push("other");
  EXPECT_EQ(take(1).at(0).id, "poison");
  pass(100);
  EXPECT_EQ(names(take()), (Names{"other", "poison"}));
  for (int loss = 2; loss <= 3; ++loss) {
    pass(100);
    take();
    EXPECT_EQ(queue_.find("poison", now_)->state, JobState::leased) << "lost " << loss << " times";
  }
  pass(100);
  take();
  const auto row = queue_.find("poison", now_);
  EXPECT_EQ(row->state, JobState::dead);
  EXPECT_EQ(row->cause, DeadCause::crash_loop);
  EXPECT_EQ(row->failures, 0);
}

TEST_F(QueueCases, WindowOfIdsGoesByScheduledTime) {
  QueueOptions options;
  options.dedup_for = milliseconds{12 * 60'000};
  queue_.set_options(options);
  push("x");
  EXPECT_TRUE(queue_.ack("x", take(1).at(0).receipt, now_));
  EXPECT_EQ(push("x", 5, 60'000), EnqueueOutcome::duplicate);
  EXPECT_EQ(push("x", 5, 13 * 60'000), EnqueueOutcome::enqueued);
}

TEST_F(QueueCases, ReservedPlacesAreForUrgentJobs) {
  QueueOptions options;
  options.max_leased = 10;
  options.reserved = 2;
  options.reserved_for = 2;
  queue_.set_options(options);
  for (int i = 0; i < 10; ++i) push("slow-" + std::to_string(i), 9);
  EXPECT_EQ(take().size(), 8u);
  push("urgent", 0);
  EXPECT_EQ(names(take()), Names{"urgent"});
}

TEST_F(QueueCases, AgingLetsTheLowestPriorityHaveItsTurn) {
  QueueOptions options;
  options.aging = milliseconds{10'000};
  queue_.set_options(options);
  push("low", 9);
  pass(89'000);
  push("high-1", 0);
  EXPECT_EQ(take(1).at(0).id, "high-1");
  pass(1'000);
  push("high-2", 0);
  EXPECT_EQ(take(1).at(0).id, "low");
}

TEST_F(QueueCases, DeadJobsOverTheLimitAreCounted) {
  QueueOptions options;
  options.max_dead = 2;
  options.max_attempts = 1;
  queue_.set_options(options);
  for (const char* const id : {"a", "b", "c"}) push(id);
  for (const Held& held : take()) EXPECT_TRUE(queue_.nack(held.id, held.receipt, std::nullopt, "no", now_));
  EXPECT_EQ(queue_.stats(now_).dead, 2u);
  EXPECT_EQ(queue_.stats(now_).dead_evicted, 1u);
  EXPECT_FALSE(queue_.find("a", now_));
}

}  // namespace
}  // namespace scoreline::queues
