// What every ledger of jobs keeps to, whatever it is made of.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "queues/job_ledger.h"

namespace scoreline::queues {

class JobLedgerHarness {
 public:
  virtual ~JobLedgerHarness() = default;
  virtual JobLedger& ledger() = 0;
  /// Closes it, and opens it as another process would.
  virtual void reopen() = 0;
};

struct JobLedgerMaker {
  std::string name;
  std::function<std::unique_ptr<JobLedgerHarness>()> make;
};

inline void PrintTo(const JobLedgerMaker& maker, std::ostream* out) { *out << maker.name; }

/// Everything that a ledger holds, as text that is easy to compare.
struct Kept {
  std::map<std::string, std::string> queues;                // by name
  std::map<std::string, std::string> schedules;             // by queue number and name
  std::map<std::pair<int, std::uint64_t>, StoredJob> jobs;  // by queue number and sequence
};

inline Kept kept_in(JobLedger& ledger) {
  Kept kept;
  int asked = 0;
  const auto loaded = ledger.load(
      [&](const QueueRecord& record) {
        EXPECT_TRUE(kept.schedules.empty() && kept.jobs.empty()) << "queues come first";
        kept.queues[record.name] = std::to_string(record.number) + (record.paused ? " paused " : " ") +
                                   std::string(to_string(record.options.durability)) + " " +
                                   std::to_string(record.options.max_attempts);
      },
      [&](const ScheduleRecord& record) {
        EXPECT_TRUE(kept.jobs.empty()) << "jobs come last";
        const Schedule& schedule = record.schedule;
        kept.schedules[std::to_string(record.queue) + "/" + schedule.name] =
            schedule.cron + "|" + schedule.time_zone + "|" + schedule.payload + "|" +
            std::to_string(schedule.priority) + "|" +
            (schedule.max_attempts ? std::to_string(*schedule.max_attempts) : "-") + "|" +
            std::to_string(record.last.ms);
      },
      [&](QueueNumber queue, const JobRow& row) {
        ++asked;
        kept.jobs[{static_cast<int>(queue), row.sequence}] = stored(row);
      });
  EXPECT_TRUE(loaded) << loaded.error().detail;
  EXPECT_EQ(static_cast<int>(kept.jobs.size()), asked) << "each job once";
  return kept;
}

inline void expect_equal(const StoredJob& a, const StoredJob& b) {
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.max_attempts, b.max_attempts);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.crashes, b.crashes);
  EXPECT_EQ(a.lease_ms, b.lease_ms);
  EXPECT_EQ(a.run_at, b.run_at);
  EXPECT_EQ(a.until, b.until);
  EXPECT_EQ(a.receipt, b.receipt);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.reason, b.reason);
}

/// With the most that each field holds.
inline StoredJob full_job(std::uint64_t sequence) {
  StoredJob job;
  job.sequence = sequence;
  job.state = JobState::leased;
  job.priority = 9;
  job.max_attempts = kMaxAttempts;
  job.failures = kMaxAttempts;
  job.crashes = kMaxAttempts + 1;
  job.lease_ms = static_cast<std::uint32_t>(kMaxLease.count());
  job.run_at = kMaxTimestamp;
  job.until = kMinTimestamp;
  job.receipt = {~std::uint64_t{0}};
  job.id = std::string(kMaxJobIdBytes - 4, 'i') + "\xf0\x9f\x8e\xb2";
  job.payload = std::string("\0\xff bytes", 8) + std::to_string(sequence);
  job.reason = std::string("\0\xc3 cut", 6);
  return job;
}

inline JobChange added(const StoredJob& job, QueueNumber queue = 1) { return {queue, Change::added, job}; }
inline JobChange changed(Change change, StoredJob job, QueueNumber queue = 1) {
  job.id.clear();
  job.payload.clear();
  return {queue, change, std::move(job)};
}

class JobLedgerContract : public ::testing::TestWithParam<JobLedgerMaker> {
 protected:
  JobLedger& ledger() { return harness_->ledger(); }
  void commit(const LedgerBatch& batch, Durability durability = Durability::disk) {
    const auto done = ledger().commit(batch, durability);
    ASSERT_TRUE(done) << done.error().detail;
  }
  /// As another process finds it.
  Kept kept() {
    harness_->reopen();
    return kept_in(ledger());
  }

  std::unique_ptr<JobLedgerHarness> harness_ = GetParam().make();
};

TEST_P(JobLedgerContract, BeginsEmpty) {
  const Kept kept = kept_in(ledger());
  EXPECT_TRUE(kept.queues.empty() && kept.schedules.empty() && kept.jobs.empty());
  EXPECT_FALSE(ledger().write_failure());
}

TEST_P(JobLedgerContract, KeepsEveryFieldOfAJobThroughItsLife) {
  StoredJob job = full_job(1);
  commit({{{1, "mail", {}, false}}, {}, {added(job)}});
  expect_equal(kept().jobs.at({1, 1}), job);

  job.state = JobState::dead;
  job.cause = DeadCause::crash_loop;
  job.failures = 1;
  job.crashes = 2;
  job.max_attempts = 3;
  job.priority = 0;
  job.lease_ms = 0;
  job.receipt = {};
  job.run_at = Timestamp{-5};
  job.until = Timestamp{7};
  job.reason = "because";
  commit({{}, {}, {changed(Change::updated, job)}}, Durability::os);
  expect_equal(kept().jobs.at({1, 1}), job);

  job.state = JobState::done;
  job.cause = DeadCause::none;
  job.payload.clear();
  job.reason.clear();
  commit({{}, {}, {changed(Change::emptied, job)}});
  expect_equal(kept().jobs.at({1, 1}), job);

  commit({{}, {}, {changed(Change::removed, job)}});
  EXPECT_TRUE(kept().jobs.empty());
}

TEST_P(JobLedgerContract, JobsOfTwoQueuesWithOneSequenceAreTwo) {
  StoredJob mail = full_job(1), sms = full_job(1);
  sms.payload = "sms";
  commit({{{1, "mail", {}, false}, {2, "sms", {}, false}}, {}, {added(mail, 1), added(sms, 2)}});
  commit({{}, {}, {changed(Change::removed, mail, 1)}});
  const Kept kept = this->kept();
  ASSERT_EQ(kept.jobs.size(), 1U);
  EXPECT_EQ(kept.jobs.at({2, 1}).payload, "sms");
}

TEST_P(JobLedgerContract, KeepsQueuesAndWhatTheyAreSetTo) {
  QueueOptions options;
  options.durability = Durability::os;
  options.max_attempts = 77;
  commit({{{1, "mail", {}, false}, {2, "sms", options, true}}, {}, {}});
  EXPECT_EQ(kept().queues, (std::map<std::string, std::string>{{"mail", "1 disk 10"}, {"sms", "2 paused os 77"}}));
  commit({{{2, "sms", {}, false}}, {}, {}});
  EXPECT_EQ(kept().queues.at("sms"), "2 disk 10");
}

TEST_P(JobLedgerContract, KeepsSchedulesAndTheirLastTick) {
  const Schedule daily{"daily", "@daily", "Europe/Berlin", std::string("\0\xff", 2), 3, 7};
  const Schedule hourly{"hourly", "0 * * * *", "UTC", "", 5, {}};
  commit({{{1, "mail", {}, false}}, {{1, daily, Timestamp{5}}, {1, hourly, Timestamp{6}}}, {}});
  EXPECT_EQ(kept().schedules, (std::map<std::string, std::string>{
                                  {"1/daily", "@daily|Europe/Berlin|" + std::string("\0\xff", 2) + "|3|7|5"},
                                  {"1/hourly", "0 * * * *|UTC||5|-|6"}}));
  commit({{}, {{1, daily, Timestamp{500}}, {1, hourly, {}, true}}, {}});
  const auto schedules = kept().schedules;
  ASSERT_EQ(schedules.size(), 1U);
  EXPECT_EQ(schedules.at("1/daily"), "@daily|Europe/Berlin|" + std::string("\0\xff", 2) + "|3|7|500");
}

TEST_P(JobLedgerContract, FindsSomeJobsAsTheyAre) {
  commit({{}, {}, {added(full_job(1)), added(full_job(2)), added(full_job(3)), added(full_job(2), 7)}});
  commit({{}, {}, {changed(Change::removed, full_job(3))}});
  std::vector<StoredJob> found;
  const std::uint64_t wanted[] = {3, 2, 99};
  ASSERT_TRUE(ledger().find(1, wanted, [&](const JobRow& row) { found.push_back(stored(row)); }));
  ASSERT_EQ(found.size(), 1u);
  expect_equal(found[0], full_job(2));
}

TEST_P(JobLedgerContract, TheSameBatchAgainChangesNothing) {
  StoredJob one = full_job(1), two = full_job(2), three = full_job(3);
  commit({{{1, "mail", {}, false}}, {}, {added(one), added(two)}});
  one.state = JobState::ready;
  const LedgerBatch batch{{{1, "mail", {}, true}},
                          {{1, {"daily", "@daily"}, Timestamp{5}}},
                          {changed(Change::updated, one), changed(Change::removed, two), added(three)}};
  commit(batch);
  const Kept once = kept();
  commit(batch);
  const Kept twice = kept();
  EXPECT_EQ(once.queues, twice.queues);
  EXPECT_EQ(once.schedules, twice.schedules);
  ASSERT_EQ(twice.jobs.size(), 2U);
  expect_equal(twice.jobs.at({1, 1}), one);
  expect_equal(twice.jobs.at({1, 3}), three);
}

TEST_P(JobLedgerContract, TakesBatchesOfAnySize) {
  constexpr std::uint64_t kJobs = 2'500;
  LedgerBatch batch{{{1, "mail", {}, false}}, {}, {}};
  for (std::uint64_t sequence = 1; sequence <= kJobs; ++sequence) batch.jobs.push_back(added(full_job(sequence)));
  batch.jobs.back().job.payload.assign(kMaxPayloadBytes, 'p');
  commit(batch);
  const Kept kept = this->kept();
  ASSERT_EQ(kept.jobs.size(), kJobs);
  EXPECT_EQ(kept.jobs.at({1, kJobs}).payload.size(), kMaxPayloadBytes);
  expect_equal(kept.jobs.at({1, 1'234}), full_job(1'234));
  LedgerBatch all_gone;
  for (const JobChange& change : batch.jobs) all_gone.jobs.push_back(changed(Change::removed, change.job));
  commit(all_gone);
  EXPECT_TRUE(this->kept().jobs.empty());
}

}  // namespace scoreline::queues
