// What every JobStore must do with jobs that workers hold, fail, lose and give back.
#pragma once

#include "contract/job_store/job_store_fixture.h"

namespace scoreline::queues {

TEST_P(JobStoreContract, AHeldJobIsNobodyElsesAndIsGoneWhenItIsAcked) {
  push("x");
  const auto held = take_one();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->state, JobState::leased);
  EXPECT_EQ(held->attempt(), 1);
  EXPECT_EQ(take().size(), 0u);
  EXPECT_TRUE(ack(*held));
  expect_error(ack(*held), Code::conflict, "receipt");
  EXPECT_EQ(find("x"), std::nullopt);
  EXPECT_EQ(stats().acked, 1u);
}

TEST_P(JobStoreContract, AWorkerThatWasTooSlowCannotFinishWhatAnotherHolds) {
  push("x");
  const auto first = take_one(milliseconds{100});
  ASSERT_TRUE(first);
  pass(milliseconds{150});
  const auto second = take_one(milliseconds{30'000});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->attempt(), 2);
  EXPECT_NE(second->receipt, first->receipt);
  expect_error(ack(*first), Code::conflict, "receipt");
  expect_error(extend(*first, milliseconds{1'000}), Code::conflict, "receipt");
  expect_error(nack(*first), Code::conflict, "receipt");
  expect_error(release(*first), Code::conflict, "receipt");
  EXPECT_EQ(find("x")->state, JobState::leased);
  EXPECT_TRUE(ack(*second));
  EXPECT_EQ(stats().acked, 1u);
}

TEST_P(JobStoreContract, ALeaseThatRanOutIsRefusedEvenBeforeAnybodyTookTheJobAgain) {
  push("x");
  const auto held = take_one(milliseconds{50});
  pass(milliseconds{100});
  expect_error(ack(*held), Code::conflict, "receipt");
  EXPECT_EQ(take_one()->id, "x");
}

TEST_P(JobStoreContract, ALeaseThatIsExtendedGoesOn) {
  push("x");
  const auto held = take_one(milliseconds{400});
  for (int i = 0; i < 8; ++i) {
    pass(milliseconds{100});
    ASSERT_TRUE(extend(*held, milliseconds{400})) << i;
    ASSERT_EQ(take().size(), 0u);
  }
  EXPECT_TRUE(ack(*held));
}

TEST_P(JobStoreContract, ALostWorkerCostsNoRetryAndIsCountedApart) {
  QueueOptions options;
  options.crash_limit = 1;
  set(options);
  JobSpec job;
  job.id = "x";
  job.max_attempts = 1;
  push(job);
  take_one(milliseconds{30});
  pass(milliseconds{80});
  const auto again = take_one(milliseconds{30});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->crashes, 1);
  EXPECT_EQ(again->failures, 0);
  pass(milliseconds{150});
  EXPECT_EQ(take().size(), 0u);
  const auto dead = find("x");
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->state, JobState::dead);
  EXPECT_EQ(dead->cause, DeadCause::crash_loop);
}

TEST_P(JobStoreContract, AJobThatKillsItsWorkersDoesNotBlockTheOthers) {
  push("poison");
  push("other");
  EXPECT_EQ(take_one(milliseconds{30})->id, "poison");
  pass(milliseconds{150});
  EXPECT_EQ(take_one()->id, "other");
  EXPECT_EQ(take_one()->id, "poison");
}

TEST_P(JobStoreContract, AFailedJobComesBackAfterItsDelayUntilItsAttemptsAreUsedUp) {
  JobSpec job;
  job.id = "x";
  job.payload = "kept";
  job.max_attempts = 2;
  push(job);
  EXPECT_EQ(good(nack(*take_one(), milliseconds{100})), JobState::delayed);
  EXPECT_EQ(take().size(), 0u);
  pass(milliseconds{150});
  const auto again = take_one();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt(), 2);
  EXPECT_EQ(good(nack(*again, {}, "the server said no")), JobState::dead);
  const auto dead = find("x");
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->cause, DeadCause::failed);
  EXPECT_EQ(dead->reason, "the server said no");
  EXPECT_EQ(dead->payload, "kept");
  EXPECT_EQ(push("x").outcome, EnqueueOutcome::duplicate) << "a dead job has its id";
}

TEST_P(JobStoreContract, ALongReasonIsCutBetweenCharacters) {
  std::string reason = "x";
  while (reason.size() <= 2 * queues::kMaxReasonBytes) reason += "ä";
  push("x");
  good(nack(*take_one(), milliseconds{0}, reason));
  EXPECT_EQ(find("x")->reason, reason.substr(0, queues::kMaxReasonBytes - 1));
}

TEST_P(JobStoreContract, BackoffDoublesWithSomeChanceInIt) {
  QueueOptions options;
  options.backoff = milliseconds{10'000};
  set(options);
  push("x");
  const auto held = take_one();
  EXPECT_EQ(good(nack(*held)), JobState::delayed);
  const std::int64_t wait = find("x")->run_at.ms - (held->until.ms - 30'000);
  EXPECT_GE(wait, 5'000);
  EXPECT_LE(wait, 12'000);
}

TEST_P(JobStoreContract, ARetryOfAJobIsNoDuplicateOfItself) {
  QueueOptions options;
  options.dedup_for = milliseconds{60'000};
  set(options);
  push("x");
  EXPECT_EQ(good(nack(*take_one(), milliseconds{0})), JobState::ready);
  EXPECT_EQ(take_one()->attempt(), 2);
}

TEST_P(JobStoreContract, ReleasedJobsGoBackToTheirPlacesOrForLater) {
  push("a");
  push("b");
  const auto a = take_one();
  EXPECT_EQ(good(release(*a)), JobState::ready);
  const auto again = take_one();
  EXPECT_EQ(again->id, "a");
  EXPECT_EQ(again->attempt(), 1) << "it counts as no attempt";
  EXPECT_EQ(good(release(*again, milliseconds{60'000})), JobState::delayed);
  EXPECT_EQ(poll_all(), Names{"b"});
}

TEST_P(JobStoreContract, ManyAreAnsweredOneByOne) {
  for (const char* const id : {"a", "b"}) push(id);
  const auto jobs = take(2);
  ASSERT_EQ(jobs.size(), 2u);
  const auto answers = good(ask<std::vector<Result<void>>>([&](auto done) {
    store().ack(queue_, {{"a", jobs[0].receipt}, {"b", jobs[0].receipt}, {"none", jobs[1].receipt}}, done);
  }));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(answers[0]);
  EXPECT_FALSE(answers[1]);
  EXPECT_FALSE(answers[2]);
  EXPECT_TRUE(ack(jobs[1]));
}

TEST_P(JobStoreContract, DeadJobsAreKeptUpToACapAndCountedBeyondIt) {
  QueueOptions options;
  options.max_dead = 3;
  options.max_attempts = 1;
  set(options);
  for (int i = 0; i < 5; ++i) {
    push("job-" + std::to_string(i));
    EXPECT_EQ(good(nack(*take_one())), JobState::dead);
  }
  EXPECT_EQ(list(JobState::dead), (Names{"job-2", "job-3", "job-4"}));
  EXPECT_EQ(stats().dead_evicted, 2u);
  const auto retry = [&](std::optional<std::string> id) {
    return ask<std::uint64_t>([&](auto done) { store().retry_dead(queue_, std::move(id), done); });
  };
  EXPECT_EQ(good(retry("job-3")), 1u);
  expect_error(retry("job-3"), Code::conflict, "id");
  expect_error(retry("job-0"), Code::not_found, "id");
  EXPECT_EQ(good(retry({})), 2u);
  EXPECT_EQ(poll_all(), (Names{"job-3", "job-2", "job-4"}));
}

TEST_P(JobStoreContract, ReservedPlacesAreForUrgentJobs) {
  QueueOptions options;
  options.max_leased = 4;
  options.reserved = 1;
  options.reserved_for = 2;
  set(options);
  for (int i = 0; i < 6; ++i) push("long-" + std::to_string(i), 9);
  EXPECT_EQ(take(10).size(), 3u);
  push("urgent", 0);
  EXPECT_EQ(names(take(10)), Names{"urgent"});
}

TEST_P(JobStoreContract, WithAgingALowPriorityIsTakenInTheEnd) {
  QueueOptions options;
  options.aging = milliseconds{50};
  set(options);
  push("old", 9);
  pass(milliseconds{600});
  push("new", 0);
  EXPECT_EQ(take_one()->id, "old");
}

TEST_P(JobStoreContract, LeasesOrderAndPauseOutliveTheStore) {
  push("late", 5, milliseconds{60'000});
  for (const char* const id : {"held", "z", "a"}) push(id);
  push("urgent", 0);
  EXPECT_EQ(poll()->id, "urgent");
  const auto held = take_one(milliseconds{60'000});
  pause(true);
  if (!harness_->reopen()) GTEST_SKIP() << "this store keeps nothing";
  EXPECT_TRUE(stats().paused);
  pause(false);
  EXPECT_EQ(list(JobState::delayed), Names{"late"});
  EXPECT_EQ(list(JobState::leased), Names{"held"});
  EXPECT_EQ(names(take(10)), (Names{"z", "a"})) << "the held one is nobody else's before its deadline";
  EXPECT_TRUE(ack(*held)) << "the old receipt is good";
}

}  // namespace scoreline::queues
