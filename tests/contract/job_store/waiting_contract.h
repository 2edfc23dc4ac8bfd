// What every JobStore must do with takes that wait.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "contract/job_store/job_store_fixture.h"

namespace scoreline::queues {

TEST_P(JobStoreContract, AWaitingTakeIsServedByAnEnqueue) {
  auto waiting = later(1, milliseconds{30'000}, milliseconds{20'000});
  EXPECT_FALSE(waiting.came_within(milliseconds{50}));
  push("x");
  ASSERT_TRUE(waiting.came_within(milliseconds{2'000}));
  EXPECT_EQ(names(good(waiting.get())), Names{"x"});
}

TEST_P(JobStoreContract, TheFirstThatWaitsIsServedFirst) {
  std::vector<Answer<std::vector<StoredJob>>> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(later(1, milliseconds{30'000}, milliseconds{20'000}));
  for (int i = 0; i < 20; ++i) push("job-" + std::to_string(i));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(names(good(waiting[static_cast<std::size_t>(i)].get())), Names{"job-" + std::to_string(i)});
  }
}

TEST_P(JobStoreContract, AWaitThatIsOverIsAnsweredEmptyAndOnTime) {
  const auto begin = Clock::now();
  auto waiting = later(1, milliseconds{30'000}, milliseconds{200});
  EXPECT_EQ(good(waiting.get()).size(), 0u);
  EXPECT_GE(since(begin), milliseconds{195});
  EXPECT_LE(since(begin), milliseconds{1'000});
  push("x");
  EXPECT_EQ(take().size(), 1u) << "it is not handed to the one that waits no more";
}

TEST_P(JobStoreContract, ADelayedJobWakesWhoWaitsWhenItFallsDue) {
  auto waiting = later(1, milliseconds{30'000}, milliseconds{20'000});
  const auto begin = Clock::now();
  push("x", 5, milliseconds{200});
  EXPECT_EQ(names(good(waiting.get())), Names{"x"});
  EXPECT_GE(since(begin), milliseconds{195});
  EXPECT_LE(since(begin), milliseconds{700});
}

TEST_P(JobStoreContract, ALeaseThatEndsWakesWhoWaits) {
  push("x");
  const auto begin = Clock::now();
  EXPECT_EQ(take(1, milliseconds{200}).size(), 1u);
  auto waiting = later(1, milliseconds{30'000}, milliseconds{20'000});
  const auto again = good(waiting.get());
  ASSERT_EQ(names(again), Names{"x"});
  EXPECT_EQ(again[0].attempt(), 2);
  EXPECT_GE(since(begin), milliseconds{195});
  EXPECT_LE(since(begin), milliseconds{700});
}

TEST_P(JobStoreContract, ReleaseNackResumeAndNewLimitsWakeWhoWaits) {
  const milliseconds lease{30'000}, wait{20'000};
  push("x");
  auto held = take_one();
  auto waiting = later(1, lease, wait);
  EXPECT_TRUE(release(*held));
  auto jobs = good(waiting.get());
  ASSERT_EQ(names(jobs), Names{"x"});

  waiting = later(1, lease, wait);
  EXPECT_TRUE(nack(jobs[0], milliseconds{0}));
  jobs = good(waiting.get());
  ASSERT_EQ(names(jobs), Names{"x"});

  pause(true);
  waiting = later(1, lease, wait);
  push("y");
  EXPECT_FALSE(waiting.came_within(milliseconds{100}));
  pause(false);
  EXPECT_EQ(names(good(waiting.get())), Names{"y"});

  QueueOptions options;
  options.max_leased = 2;
  set(options);
  push("z");
  waiting = later(1, lease, wait);
  EXPECT_FALSE(waiting.came_within(milliseconds{100}));
  options.max_leased = 3;
  set(options);
  EXPECT_EQ(names(good(waiting.get())), Names{"z"});

  push("w");
  waiting = later(1, lease, wait);
  EXPECT_FALSE(waiting.came_within(milliseconds{100}));
  EXPECT_TRUE(ack(jobs[0])) << "a place is free";
  EXPECT_EQ(names(good(waiting.get())), Names{"w"});
}

TEST_P(JobStoreContract, ACancelledTakeTakesNothingAndTheNextOneIsServed) {
  TakeTicket ticket;
  auto cancelled = later(1, milliseconds{30'000}, milliseconds{20'000}, &ticket);
  auto next = later(1, milliseconds{30'000}, milliseconds{20'000});
  EXPECT_NE(ticket.number, 0u);
  store().cancel(ticket);
  expect_error(cancelled.get(), Code::conflict, "");
  store().cancel(ticket);
  store().cancel(TakeTicket{});
  store().cancel(TakeTicket{~std::uint64_t{0}});
  push("x");
  EXPECT_EQ(names(good(next.get())), Names{"x"});
}

TEST_P(JobStoreContract, ThoseThatWaitAtOneQueueDoNotHoldUpAnother) {
  std::vector<Answer<std::vector<StoredJob>>> waiting;
  for (int i = 0; i < 1'000; ++i) waiting.push_back(later(1, milliseconds{30'000}, milliseconds{20'000}));
  queue_ = "images";
  const auto begin = Clock::now();
  push("x");
  EXPECT_EQ(take().size(), 1u);
  EXPECT_LE(since(begin), milliseconds{1'000});
}

TEST_P(JobStoreContract, WhoeverAsksWhileOthersPutInNothingIsLostAndNothingDoubled) {
  constexpr int kThreads = 2, kJobs = 2'000;
  std::mutex lock;
  std::multiset<std::string> seen;
  std::atomic<int> left{kThreads * kJobs};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kJobs; ++i) push("job-" + std::to_string(t) + "-" + std::to_string(i));
    });
    threads.emplace_back([&] {
      while (left > 0) {
        Names got;
        if (const auto polled = poll()) got.push_back(polled->id);
        for (const StoredJob& job : good(later(3, milliseconds{30'000}, milliseconds{20}).get())) {
          EXPECT_TRUE(ack(job));
          got.push_back(job.id);
        }
        left -= static_cast<int>(got.size());
        const std::lock_guard guard(lock);
        seen.insert(got.begin(), got.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kThreads * kJobs));
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), seen.size());
  const QueueStats counts = stats();
  EXPECT_EQ(counts.ready + counts.leased, 0u);
}

}  // namespace scoreline::queues
