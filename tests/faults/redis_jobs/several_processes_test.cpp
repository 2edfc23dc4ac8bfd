// Two processes on one queue.
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "faults/redis_jobs/job_store_fixture.h"

namespace scoreline::test {
namespace {

class SeveralProcesses : public JobFaults {
 protected:
  void SetUp() override {
    JobFaults::SetUp();
    if (IsSkipped()) return;
    start();
    for (auto& process : processes_) process = std::make_unique<JobProcess>(server_->port());
  }
  JobProcess& one() { return *processes_[0]; }
  JobProcess& other() { return *processes_[1]; }

  std::unique_ptr<JobProcess> processes_[2];
};
JOBS_ON_BOTH_SERVERS(SeveralProcesses);

/// Who holds what: nobody twice.
class Holders {
 public:
  bool take(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return held_.insert(id).second;
  }
  void give(const std::string& id, bool finished) {
    const std::lock_guard lock(mutex_);
    held_.erase(id);
    if (finished) ++finished_[id];
  }
  std::map<std::string, int> finished() {
    const std::lock_guard lock(mutex_);
    return finished_;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> held_;
  std::map<std::string, int> finished_;
};

TEST_P(SeveralProcesses, NoJobIsLostAndNoneIsHeldTwiceWhileConnectionsBreak) {
  constexpr int kJobs = 400;
  // An enqueue that is sent again may come when its job is done already.
  QueueOptions options;
  options.dedup_for = std::chrono::minutes{5};
  ASSERT_TRUE(one().ask<void>([&](auto done) { one().store().set_options("mail", options, done); }));
  Holders holders;
  std::atomic<bool> done{false};
  std::atomic<int> twice{0};
  std::vector<std::thread> threads;
  for (int p = 0; p < 2; ++p) {
    threads.emplace_back([&, p] {
      for (int i = p; i < kJobs; i += 2) {
        while (!processes_[p]->push("job-" + std::to_string(i))) std::this_thread::sleep_for(milliseconds{5});
      }
    });
    for (int worker = 0; worker < 3; ++worker) {
      threads.emplace_back([&, p] {
        JobProcess& process = *processes_[p];
        while (!done) {
          auto taken = process.take_later(milliseconds{200}, milliseconds{2'000}).get();
          if (!taken || taken->empty()) continue;
          const StoredJob& job = taken->front();
          if (!holders.take(job.id)) ++twice;
          Result<void> acked = fail(Code::internal, {});
          // Unknown: again, until it is certain that the lease is over. Then the job is done, or another's.
          do {
            holders.give(job.id, false);
            acked = process.ack(job);
          } while (!acked && acked.error().code != Code::conflict);
          holders.give(job.id, acked.has_value());
        }
      });
    }
  }
  const Monotonic until = SystemClock().monotonic() + std::chrono::seconds{25};
  const auto left = [&] {
    const auto stats = one().ask<QueueStats>([&](auto answer) { one().store().stats("mail", answer); });
    return !stats || stats->enqueued < kJobs || stats->ready + stats->delayed + stats->leased > 0;
  };
  for (int breaks = 0; SystemClock().monotonic() < until && left(); ++breaks) {
    if (breaks < 10) admin("CLIENT KILL TYPE normal");
    std::this_thread::sleep_for(milliseconds{20});
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(twice, 0);
  const QueueStats stats = one().stats();
  EXPECT_EQ(stats.ready + stats.delayed + stats.leased + stats.dead, 0u);
  EXPECT_EQ(stats.enqueued, static_cast<std::uint64_t>(kJobs));
  EXPECT_EQ(stats.acked, static_cast<std::uint64_t>(kJobs)) << "each was done once";
  for (const auto& [id, times] : holders.finished()) EXPECT_EQ(times, 1) << id;
}

TEST_P(SeveralProcesses, ATakeThatWaitsHearsOfWhatAnotherProcessDoes) {
  const auto soon = [](std::future<Taken>& waiting, milliseconds within) {
    return waiting.wait_for(within) == std::future_status::ready;
  };
  auto waiting = one().take_later(milliseconds{20'000});
  std::this_thread::sleep_for(milliseconds{100});
  ASSERT_TRUE(other().push("pushed"));
  ASSERT_TRUE(soon(waiting, milliseconds{300}));
  ASSERT_TRUE(one().ack(only(waiting.get(), "pushed")));

  waiting = one().take_later(milliseconds{20'000});
  std::this_thread::sleep_for(milliseconds{100});
  ASSERT_TRUE(other().push("due", milliseconds{250}));
  EXPECT_FALSE(soon(waiting, milliseconds{200}));
  ASSERT_TRUE(soon(waiting, milliseconds{300}));
  ASSERT_TRUE(one().ack(only(waiting.get(), "due")));

  ASSERT_TRUE(other().push("lost"));
  only(other().take(milliseconds{400}), "lost");
  waiting = one().take_later(milliseconds{20'000});
  EXPECT_FALSE(soon(waiting, milliseconds{300}));
  ASSERT_TRUE(soon(waiting, milliseconds{250})) << "within 100 ms of its end, and some slack";
  EXPECT_EQ(only(waiting.get(), "lost").crashes, 1);
}

TEST_P(SeveralProcesses, TenThousandWaitingTakesCostNothingAndAreServedInTheirOrder) {
  constexpr std::size_t kTakes = 10'000;
  std::vector<std::future<Taken>> waiting;
  for (std::size_t i = 0; i < kTakes; ++i) waiting.push_back(one().take_later(milliseconds{120'000}));
  std::this_thread::sleep_for(milliseconds{500});
  const auto cpu = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double before = cpu();
  std::this_thread::sleep_for(milliseconds{1'000});
  EXPECT_LT(cpu() - before, 0.05);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(other().push("job-" + std::to_string(i)));
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(waiting[i].wait_for(milliseconds{1'000}), std::future_status::ready) << i;
    only(waiting[i].get(), "job-" + std::to_string(i));
  }
  EXPECT_EQ(waiting[3].wait_for(milliseconds{0}), std::future_status::timeout);
}

TEST_P(SeveralProcesses, ATickThatNobodyWasThereForIsPutInOnce) {
  const queues::Schedule schedule{"hourly", "0 * * * *", "UTC", "now", 5, {}};
  ASSERT_TRUE(one().ask<void>([&](auto done) { one().store().put_schedule("mail", schedule, done); }));
  // As it is after nobody ran for three days.
  const Timestamp last{SystemClock().now().ms - 3 * 86'400'000};
  admin("HSET queue:{mail}:schedules l:hourly " + std::to_string(last.ms));
  const auto taken = other().take_later(milliseconds{10'000}).get();
  ASSERT_TRUE(taken && taken->size() == 1);
  EXPECT_EQ(taken->front().payload, "now");
  EXPECT_THAT(taken->front().id, testing::StartsWith("hourly@"));
  EXPECT_TRUE(other().ack(taken->front()));
  std::this_thread::sleep_for(milliseconds{1'500});
  EXPECT_EQ(one().stats().enqueued, 1u);
  EXPECT_EQ(one().stats().duplicates, 0u);
  const auto states =
      one().ask<std::vector<queues::ScheduleState>>([&](auto done) { one().store().schedules("mail", done); });
  ASSERT_EQ(states->size(), 1u);
  EXPECT_EQ(tick_id(schedule, states->front().last.value()), taken->front().id);
}

}  // namespace
}  // namespace scoreline::test
