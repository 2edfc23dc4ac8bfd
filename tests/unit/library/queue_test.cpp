// Only the public header, as a user's program has it: first, so that it needs nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <scoreline/queue.h>

#include <atomic>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"

namespace {

using namespace std::chrono_literals;
using scoreline::Failure;
using scoreline::Job;
using scoreline::JobState;
using scoreline::NewJob;
using scoreline::Queue;
using scoreline::Scoreline;
using scoreline::Time;
using testing::ElementsAre;

Time now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

class QueueTest : public testing::Test {
 protected:
  Queue open(const std::string& name = "email-jobs") { return Scoreline::open(folder_.path()).queue(name); }
  static std::string id_of(const std::optional<Job>& job) { return job ? job->id : "none"; }
  static std::string code_of(const std::function<void()>& call, std::string* field = nullptr) {
    try {
      call();
    } catch (const Failure& failure) {
      if (field != nullptr) *field = failure.field();
      return failure.code();
    }
    return "no failure";
  }

  scoreline::test::ScratchFolder folder_;
};

// The examples of the article.

TEST_F(QueueTest, ThePasswordResetGoesBeforeTheNewsletter) {
  Queue queue = open();
  queue.enqueue("newsletter", 5);
  queue.enqueue("password-reset", 0);
  EXPECT_EQ(id_of(queue.poll()), "password-reset");
  EXPECT_EQ(id_of(queue.poll()), "newsletter");
  EXPECT_EQ(id_of(queue.poll()), "none");
  std::string field;
  EXPECT_EQ(code_of([&] { queue.enqueue("newsletter", 10); }, &field), "invalid");
  EXPECT_EQ(field, "priority");
}

TEST_F(QueueTest, WhoWaitsIsWokenByWhatComes) {
  Queue queue = open();
  EXPECT_EQ(id_of(queue.take(20ms)), "none");
  auto waiting = std::async(std::launch::async, [&] { return queue.take(20s); });
  std::this_thread::sleep_for(50ms);
  queue.enqueue("newsletter", 5);
  EXPECT_EQ(id_of(waiting.get()), "newsletter");
}

TEST_F(QueueTest, AReminderComesWhenItIsDueAndNotBefore) {
  Queue queue = open("delayed");
  queue.schedule("payment-reminder", now() + 200ms);
  EXPECT_EQ(id_of(queue.poll_due()), "none");
  EXPECT_EQ(id_of(queue.poll()), "none");
  std::this_thread::sleep_for(250ms);
  EXPECT_EQ(id_of(queue.poll_due()), "payment-reminder");
  EXPECT_EQ(id_of(queue.poll_due()), "none");
}

TEST_F(QueueTest, WhatIsTakenAndNotAcknowledgedComesAgain) {
  Queue queue = open();
  queue.enqueue("newsletter", 5);
  const auto first = queue.take(0ms, 50ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->attempt, 1);
  const auto second = queue.take(20s);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, "newsletter");
  EXPECT_EQ(second->attempt, 2);
  std::string field;
  EXPECT_EQ(code_of([&] { queue.ack(*first); }, &field), "conflict") << "it is another's by now";
  EXPECT_EQ(field, "receipt");
  queue.ack(*second);
  EXPECT_EQ(queue.counts().leased, 0u);
}

// What a program needs beyond them.

TEST_F(QueueTest, FailedJobsAreTriedAgainAndDieInTheEnd) {
  Queue queue = open();
  NewJob job{"newsletter", std::string("\0\xff", 2)};
  job.max_attempts = 2;
  queue.enqueue(job);
  auto taken = queue.take(0ms);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->payload, job.payload);
  EXPECT_EQ(queue.nack(*taken, "no such mailbox", 0ms), JobState::ready);
  taken = queue.take(0ms);
  ASSERT_TRUE(taken);
  EXPECT_EQ(queue.nack(*taken, "no such mailbox"), JobState::dead);
  EXPECT_EQ(queue.counts().dead, 1u);
}

TEST_F(QueueTest, ALeaseIsExtendedAndAJobGivenBack) {
  Queue queue = open();
  queue.enqueue("newsletter", 5);
  auto taken = queue.take(0ms, 5s);
  ASSERT_TRUE(taken);
  EXPECT_GT(queue.extend(*taken, 60s), taken->lease_until);
  EXPECT_EQ(queue.release(*taken), JobState::ready);
  taken = queue.take(0ms);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->attempt, 1) << "giving back is no attempt";
}

TEST_F(QueueTest, AnIdIsThereOnceAndABatchGoesInWhole) {
  Queue queue = open();
  EXPECT_FALSE(queue.enqueue("newsletter", 5).duplicate);
  EXPECT_TRUE(queue.enqueue("newsletter", 0).duplicate);
  const std::vector<NewJob> jobs{{"one"}, {}, {"newsletter"}};
  const auto answers = queue.enqueue(jobs);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_FALSE(answers[1].id.empty());
  EXPECT_TRUE(answers[2].duplicate);
  const std::vector<NewJob> with_a_bad_one{{"two"}, {"three", {}, 10}};
  std::string field;
  EXPECT_EQ(code_of([&] { queue.enqueue(with_a_bad_one); }, &field), "invalid");
  EXPECT_EQ(field, "jobs[1].priority");
  EXPECT_EQ(queue.counts().ready, 3u);
}

TEST_F(QueueTest, ACallbackGetsWhatComes) {
  Queue queue = open();
  std::promise<std::vector<Job>> got, none;
  queue.take(10, 20s, {}, [&](std::vector<Job> jobs) { got.set_value(std::move(jobs)); });
  const std::vector<NewJob> jobs{{"one"}, {"two"}};
  queue.enqueue(jobs);
  std::vector<std::string> ids;
  for (const Job& job : got.get_future().get()) ids.push_back(job.id);
  EXPECT_THAT(ids, ElementsAre("one", "two"));
  queue.take(1, 10ms, {}, [&](std::vector<Job> taken) { none.set_value(std::move(taken)); });
  EXPECT_TRUE(none.get_future().get().empty());
  std::string field;
  EXPECT_EQ(code_of([&] { queue.take(0, 0ms, {}, [](auto) {}); }, &field), "invalid");
  EXPECT_EQ(field, "max");
}

TEST_F(QueueTest, JobsAndLeasesOutliveTheProgram) {
  std::optional<Job> held;
  {
    Queue queue = open();
    queue.enqueue("one", 5);
    queue.enqueue("two", 5);
    held = queue.take(0ms, 60s);
  }
  Queue queue = open();
  EXPECT_EQ(id_of(queue.take(0ms)), "two") << "one is held still";
  queue.ack(*held);
  EXPECT_EQ(queue.counts().leased, 1u);
}

TEST_F(QueueTest, ThreadsShareAQueueAndNoJobIsDoneTwice) {
  Queue queue = open();
  constexpr int kJobs = 200;
  std::atomic<int> acked{0};
  std::mutex lock;
  std::set<std::string> seen;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (auto job = queue.take(500ms)) {
        queue.ack(*job);
        ++acked;
        const std::lock_guard guard(lock);
        EXPECT_TRUE(seen.insert(job->id).second) << job->id;
      }
    });
  }
  for (int i = 0; i < kJobs; ++i) queue.enqueue("job-" + std::to_string(i), i % 10);
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(acked, kJobs);
}

TEST_F(QueueTest, WhatIsWrongIsNamed) {
  std::string field;
  EXPECT_EQ(code_of([&] { open("No Name"); }, &field), "invalid");
  EXPECT_EQ(field, "queue");
  Queue queue = open();
  EXPECT_EQ(queue.counts().ready, 0u) << "of a queue that nothing was ever put in";
  EXPECT_EQ(code_of([&] { queue.ack({"newsletter", {}, 5, 1, "no receipt", {}}); }, &field), "invalid");
  EXPECT_EQ(field, "receipt");
}

}  // namespace
