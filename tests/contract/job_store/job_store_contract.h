// What every JobStore must do: what is put in, its order, and what an operator sees and does.
#pragma once

#include "contract/job_store/job_store_fixture.h"
#include "contract/job_store/leases_contract.h"
#include "contract/job_store/schedules_contract.h"
#include "contract/job_store/waiting_contract.h"

namespace scoreline::queues {

TEST_P(JobStoreContract, WithinOnePriorityTheOrderOfEnqueueCountsAndNotThatOfNames) {
  for (const int priority : {9, 5, 0}) {
    Names ids;
    for (int i = 999; i >= 0; --i) ids.push_back("job-" + std::to_string(priority * 1'000 + i));
    auto jobs = specs(ids);
    for (JobSpec& job : jobs) job.priority = priority;
    EXPECT_EQ(good(try_push(std::move(jobs))).size(), 1'000u);
    EXPECT_EQ(names(take(1'000)), ids);
  }
}

TEST_P(JobStoreContract, HigherPrioritiesGoFirstAndTheDefaultIsFive) {
  push("last", 9);
  push("z");
  push("m");
  push("a");
  push("first", 0);
  EXPECT_EQ(find("z")->priority, 5);
  EXPECT_EQ(good(ask<std::optional<StoredJob>>([&](auto done) { store().peek(queue_, done); }))->id, "first");
  EXPECT_EQ(poll_all(), (Names{"first", "z", "m", "a", "last"}));
}

TEST_P(JobStoreContract, ANameThatSortsLateDoesNotWaitForLaterOnes) {
  push("job-9999");
  for (int i = 998; i > 0; --i) {
    push("job-" + std::to_string(i));
    ASSERT_EQ(poll()->id, i == 998 ? "job-9999" : "job-" + std::to_string(i + 1));
  }
}

TEST_P(JobStoreContract, AnIdIsThereOnceAndItsSecondEnqueueChangesNothing) {
  EXPECT_EQ(push("x").outcome, EnqueueOutcome::enqueued);
  JobSpec again;
  again.id = "x";
  again.payload = "other";
  again.priority = 0;
  const EnqueueAnswer answer = push(again);
  EXPECT_EQ(answer.outcome, EnqueueOutcome::duplicate);
  EXPECT_EQ(answer.state, JobState::ready);
  const auto held = take_one();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->payload, "payload of x");
  EXPECT_EQ(push("x").state, JobState::leased);
  EXPECT_TRUE(ack(*held));
  EXPECT_EQ(push("x").outcome, EnqueueOutcome::enqueued) << "its id is free again";
}

TEST_P(JobStoreContract, WithoutAnIdAJobGetsOneOfItsOwn) {
  const auto answers = good(try_push(std::vector<JobSpec>(3)));
  ASSERT_EQ(answers.size(), 3u);
  for (const EnqueueAnswer& answer : answers) EXPECT_EQ(answer.id.size(), 36u);
  EXPECT_EQ(poll_all(), (Names{answers[0].id, answers[1].id, answers[2].id}));
}

TEST_P(JobStoreContract, ABatchIsTakenInWholeOrNotAtAll) {
  auto jobs = specs({"a", "b", "c"});
  jobs[2].priority = 10;
  const auto refused = try_push(jobs);
  expect_error(refused, Code::invalid, "jobs[2].priority");
  EXPECT_EQ(refused.error().detail, "priority must be 0..9");
  QueueOptions options;
  options.max_jobs = 2;
  set(options);
  expect_error(try_push(specs({"a", "b", "c"})), Code::overloaded, "");
  EXPECT_EQ(stats().ready, 0u);
  EXPECT_EQ(good(try_push(specs({"a", "b"}))).size(), 2u);
}

TEST_P(JobStoreContract, WhatIsWrongIsNamedAsJsonWritesIt) {
  const auto refused = [&](auto spoil) {
    JobSpec job;
    spoil(job);
    return try_push({job});
  };
  expect_error(refused([](JobSpec& job) { job.priority = -1; }), Code::invalid, "priority");
  expect_error(refused([](JobSpec& job) { job.id = std::string(129, 'x'); }), Code::invalid, "id");
  expect_error(refused([](JobSpec& job) { job.id = "a\n"; }), Code::invalid, "id");
  expect_error(refused([](JobSpec& job) { job.payload.assign(kDefaultPayloadBytes + 1, 'x'); }), Code::too_large,
               "payload");
  expect_error(refused([](JobSpec& job) { job.delay = milliseconds{-1}; }), Code::invalid, "delay");
  expect_error(refused([](JobSpec& job) {
                 job.delay = milliseconds{1};
                 job.run_at = Timestamp{1};
               }),
               Code::invalid, "delay");
  expect_error(refused([](JobSpec& job) { job.max_attempts = 0; }), Code::invalid, "maxAttempts");
  expect_error(try_push({}), Code::invalid, "jobs");
  expect_error(try_push(std::vector<JobSpec>(1'001)), Code::too_many, "jobs");
  expect_error(later(0, milliseconds{1}, {}).get(), Code::invalid, "max");
  expect_error(later(1'001, milliseconds{1}, {}).get(), Code::invalid, "max");
  expect_error(later(1, milliseconds{0}, {}).get(), Code::invalid, "lease");
  expect_error(later(1, milliseconds{1}, kMaxWait + milliseconds{1}).get(), Code::invalid, "wait");
  queue_ = "No Name";
  expect_error(try_push(specs({"x"})), Code::invalid, "queue");
}

TEST_P(JobStoreContract, AQueueComesIntoBeingWhenItIsUsedAndNotWhenItIsLookedAt) {
  expect_error(ask<QueueStats>([&](auto done) { store().stats(queue_, done); }), Code::not_found, "queue");
  expect_error(ask<std::vector<Result<void>>>([&](auto done) {
                 store().ack(queue_, {{"x", Receipt{1}}}, done);
               }),
               Code::not_found, "queue");
  EXPECT_EQ(good(ask<Names>([&](auto done) { store().queues(done); })), Names{});
  push("x");
  queue_ = "images";
  EXPECT_EQ(poll(), std::nullopt);
  EXPECT_EQ(good(ask<Names>([&](auto done) { store().queues(done); })), (Names{"images", "mail"}));
  EXPECT_EQ(good(ask<QueueOptions>([&](auto done) { store().options(queue_, done); })), QueueOptions{});
}

TEST_P(JobStoreContract, PollHandsOverOnceAndForgets) {
  push("x");
  const auto polled = poll();
  ASSERT_TRUE(polled);
  EXPECT_EQ(polled->payload, "payload of x");
  EXPECT_EQ(poll(), std::nullopt);
  EXPECT_EQ(find("x"), std::nullopt);
}

TEST_P(JobStoreContract, BytesComeBackAsTheyWentIn) {
  JobSpec job;
  job.id = "snow \xE2\x9D\x84 {x}:*";
  job.payload = std::string("\0\r\n\xFF{}", 6);
  push(job);
  const auto held = take_one();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->id, job.id);
  EXPECT_EQ(held->payload, job.payload);
}

TEST_P(JobStoreContract, ADelayedJobIsNotHandedOutEarlyAndEntersTheOrderWhenItFallsDue) {
  EXPECT_EQ(push("late", 5, milliseconds{300}).state, JobState::delayed);
  push("now", 5);
  EXPECT_EQ(list(JobState::delayed), Names{"late"});
  EXPECT_EQ(poll_all(), Names{"now"});
  pass(milliseconds{350});
  EXPECT_EQ(find("late")->state, JobState::ready);
  push("later", 5);
  EXPECT_EQ(poll_all(), (Names{"late", "later"}));
}

TEST_P(JobStoreContract, PollDueTakesTheJobThatFellDueFirstWhateverItsPriority) {
  push("ready", 0);
  push("second", 0, milliseconds{60});
  push("first", 9, milliseconds{30});
  const auto poll_due = [&] {
    return good(ask<std::optional<StoredJob>>([&](auto done) { store().poll_due(queue_, done); }));
  };
  EXPECT_EQ(poll_due(), std::nullopt);
  pass(milliseconds{100});
  EXPECT_EQ(poll_due()->id, "first");
  EXPECT_EQ(poll_due()->id, "second");
  EXPECT_EQ(poll_due(), std::nullopt);
}

TEST_P(JobStoreContract, AnIdStaysTakenForTheDedupWindowWhichIsOneOfScheduledTimes) {
  QueueOptions options;
  options.dedup_for = milliseconds{400};
  set(options);
  push("x");
  EXPECT_TRUE(ack(*take_one()));
  const EnqueueAnswer within = push("x");
  EXPECT_EQ(within.outcome, EnqueueOutcome::duplicate);
  EXPECT_EQ(within.state, JobState::done);
  EXPECT_EQ(push("x", 5, milliseconds{5'000}).outcome, EnqueueOutcome::enqueued) << "it is for after the window";
  push("y");
  EXPECT_TRUE(ack(*take_one()));
  pass(milliseconds{450});
  EXPECT_EQ(push("y").outcome, EnqueueOutcome::enqueued);
}

TEST_P(JobStoreContract, WhilePausedNothingIsHandedOutButPutIn) {
  pause(true);
  push("x");
  EXPECT_EQ(take().size(), 0u);
  EXPECT_EQ(poll(), std::nullopt);
  EXPECT_TRUE(stats().paused);
  pause(false);
  EXPECT_EQ(names(take()), Names{"x"});
}

TEST_P(JobStoreContract, ListsAndCountsSayWhatIsThere) {
  for (const char* const id : {"a", "b", "c", "d"}) push(id);
  push("later", 5, milliseconds{60'000});
  const auto held = take(1);
  EXPECT_EQ(list(JobState::ready), (Names{"b", "c", "d"}));
  EXPECT_EQ(list(JobState::ready, 1, 1), Names{"c"});
  EXPECT_EQ(list(JobState::leased), Names{"a"});
  const QueueStats counts = stats();
  EXPECT_EQ(counts.ready, 3u);
  EXPECT_EQ(counts.delayed, 1u);
  EXPECT_EQ(counts.leased, 1u);
  EXPECT_EQ(counts.enqueued, 5u);
  EXPECT_EQ(counts.taken, 1u);
  const auto position = [&](const std::string& id) {
    return good(ask<std::optional<JobPosition>>([&](auto done) { store().position(queue_, id, done); }));
  };
  EXPECT_EQ(position("d")->ahead, 2u);
  EXPECT_FALSE(position("a"));
  EXPECT_FALSE(position("later"));
}

TEST_P(JobStoreContract, PurgeDropsOneStateAndRemoveOneJob) {
  for (const char* const id : {"a", "b", "c"}) push(id);
  push("later", 5, milliseconds{60'000});
  const auto held = take_one();
  EXPECT_TRUE(good(ask<bool>([&](auto done) { store().remove(queue_, "b", done); })));
  EXPECT_FALSE(good(ask<bool>([&](auto done) { store().remove(queue_, "b", done); })));
  EXPECT_EQ(good(ask<std::uint64_t>([&](auto done) { store().purge(queue_, JobState::ready, done); })), 1u);
  EXPECT_EQ(poll(), std::nullopt);
  EXPECT_EQ(list(JobState::delayed), Names{"later"});
  EXPECT_TRUE(ack(*held));
}

}  // namespace scoreline::queues
