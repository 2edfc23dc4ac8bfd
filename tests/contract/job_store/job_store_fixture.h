// What every JobStore must do, whatever it is made of: the parts that the cases share. A store's test includes
// job_store_contract.h, and says with INSTANTIATE_TEST_SUITE_P(NAME, JobStoreContract, ::testing::Values(
// JobStoreMaker{…})) how stores are made.
//
// Times are real, since a store may have a clock of its own: short spans, with generous bounds above.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "queues/job_store.h"

namespace scoreline::queues {

using std::chrono::milliseconds;
using Names = std::vector<std::string>;

/// One store under test, empty at first.
class JobStoreHarness {
 public:
  virtual ~JobStoreHarness() = default;
  virtual JobStore& store() = 0;
  /// Ends the store and makes it again over what it kept. False: it keeps nothing.
  virtual bool reopen() { return false; }
};

struct JobStoreMaker {
  std::string name;
  std::function<std::unique_ptr<JobStoreHarness>()> make;
  friend std::ostream& operator<<(std::ostream& out, const JobStoreMaker& maker) { return out << maker.name; }
};

/// An answer that comes later, on any thread.
template <typename T>
class Answer {
 public:
  JobStore::Done<T> done() {
    return [promise = promise_](Result<T> result) { promise->set_value(std::move(result)); };
  }
  bool came_within(milliseconds span) const { return future_.wait_for(span) == std::future_status::ready; }
  /// Fails the test when none comes.
  Result<T> get() {
    if (came_within(milliseconds{30'000})) return future_.get();
    ADD_FAILURE() << "no answer came";
    return fail(Code::internal, "no answer came");
  }

 private:
  std::shared_ptr<std::promise<Result<T>>> promise_ = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> future_ = promise_->get_future();
};

class JobStoreContract : public ::testing::TestWithParam<JobStoreMaker> {
 protected:
  using Clock = std::chrono::steady_clock;

  JobStore& store() { return harness_->store(); }

  template <typename T, typename Call>
  Result<T> ask(Call call) {
    Answer<T> answer;
    call(answer.done());
    return answer.get();
  }
  template <typename T>
  static T good(Result<T> result) {
    EXPECT_TRUE(result) << result.error().detail << " " << result.error().field;
    return result ? std::move(*result) : T{};
  }
  template <typename T>
  static void expect_error(const Result<T>& result, Code code, const std::string& field) {
    ASSERT_FALSE(result);
    EXPECT_EQ(traits(result.error().code).name, traits(code).name) << result.error().detail;
    EXPECT_EQ(result.error().field, field) << result.error().detail;
  }

  Result<std::vector<EnqueueAnswer>> try_push(std::vector<JobSpec> jobs) {
    return ask<std::vector<EnqueueAnswer>>([&](auto done) { store().enqueue(queue_, std::move(jobs), done); });
  }
  EnqueueAnswer push(JobSpec job) {
    const auto answers = good(try_push({std::move(job)}));
    return answers.empty() ? EnqueueAnswer{} : answers.front();
  }
  EnqueueAnswer push(const std::string& id, int priority = kDefaultPriority, milliseconds delay = {}) {
    JobSpec job;
    job.id = id;
    job.payload = "payload of " + id;
    job.priority = priority;
    if (delay.count() > 0) job.delay = delay;
    return push(std::move(job));
  }
  static std::vector<JobSpec> specs(const Names& ids) {
    std::vector<JobSpec> jobs(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) jobs[i].id = ids[i];
    return jobs;
  }

  std::vector<StoredJob> take(std::size_t max = 1, milliseconds lease = milliseconds{30'000}) {
    return good(later(max, lease, milliseconds{0}).get());
  }
  Answer<std::vector<StoredJob>> later(std::size_t max, milliseconds lease, milliseconds wait,
                                       TakeTicket* ticket = nullptr) {
    Answer<std::vector<StoredJob>> answer;
    const TakeTicket given = store().take(queue_, {max, lease, wait}, answer.done());
    if (ticket != nullptr) *ticket = given;
    return answer;
  }
  /// Of one job, or nullopt and a failed test.
  std::optional<StoredJob> take_one(milliseconds lease = milliseconds{30'000}, milliseconds wait = {}) {
    auto jobs = good(later(1, lease, wait).get());
    if (jobs.size() == 1) return std::move(jobs.front());
    return std::nullopt;
  }
  std::optional<StoredJob> poll() {
    return good(ask<std::optional<StoredJob>>([&](auto done) { store().poll(queue_, done); }));
  }
  Names poll_all() {
    Names names;
    while (const auto job = poll()) names.push_back(job->id);
    return names;
  }
  static Names names(const std::vector<StoredJob>& jobs) {
    Names names;
    for (const StoredJob& job : jobs) names.push_back(job.id);
    return names;
  }

  template <typename T, typename Call>
  Result<T> ask_one(Call call) {
    auto all = ask<std::vector<Result<T>>>(call);
    if (!all) return fail(all.error());
    EXPECT_EQ(all->size(), 1u);
    return std::move(all->at(0));
  }
  Result<void> ack(const StoredJob& job) {
    return ask_one<void>([&](auto done) { store().ack(queue_, {{job.id, job.receipt}}, done); });
  }
  Result<JobState> nack(const StoredJob& job, std::optional<milliseconds> delay = {}, std::string reason = "why") {
    return ask_one<JobState>([&](auto done) {
      store().nack(queue_, {{job.id, job.receipt}}, delay, std::move(reason), done);
    });
  }
  Result<Timestamp> extend(const StoredJob& job, milliseconds lease) {
    return ask_one<Timestamp>([&](auto done) { store().extend(queue_, {{job.id, job.receipt}}, lease, done); });
  }
  Result<JobState> release(const StoredJob& job, std::optional<milliseconds> delay = {}) {
    return ask_one<JobState>([&](auto done) { store().release(queue_, {{job.id, job.receipt}}, delay, done); });
  }

  void set(const QueueOptions& options) {
    EXPECT_TRUE(ask<void>([&](auto done) { store().set_options(queue_, options, done); }));
  }
  void pause(bool paused) {
    EXPECT_TRUE(ask<void>([&](auto done) { store().set_paused(queue_, paused, done); }));
  }
  QueueStats stats() {
    return good(ask<QueueStats>([&](auto done) { store().stats(queue_, done); }));
  }
  std::optional<StoredJob> find(const std::string& id) {
    return good(ask<std::optional<StoredJob>>([&](auto done) { store().find(queue_, id, done); }));
  }
  Names list(JobState state, std::size_t first = 0, std::size_t count = 100) {
    return names(good(ask<std::vector<StoredJob>>([&](auto done) {
      store().list(queue_, {state, first, count}, done);
    })));
  }
  static void pass(milliseconds span) { std::this_thread::sleep_for(span); }
  static milliseconds since(Clock::time_point begin) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  }

  std::string queue_ = "mail";
  std::unique_ptr<JobStoreHarness> harness_ = GetParam().make();
};

}  // namespace scoreline::queues
