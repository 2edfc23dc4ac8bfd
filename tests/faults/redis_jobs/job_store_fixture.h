// A server, and stores of jobs on it as processes have them. What must always hold: no job is lost, and nobody holds
// one that another holds.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/redis_job_store.h"
#include "adapters/redis/url.h"
#include "support/redis_admin.h"
#include "support/redis_index.h"
#include "support/tcp_proxy.h"

namespace scoreline::test {

using queues::EnqueueAnswer;
using queues::EnqueueOutcome;
using queues::HeldJob;
using queues::JobSpec;
using queues::JobState;
using queues::JobStore;
using queues::QueueOptions;
using queues::QueueStats;
using queues::StoredJob;
using queues::TakeTicket;
using std::chrono::milliseconds;

using Taken = Result<std::vector<StoredJob>>;

/// One process: its own connections, its own waiting takes. Calls wait for their answers, but not for ever.
class JobProcess {
 public:
  explicit JobProcess(int port, redis::ClientOptions options = {})
      : client_(redis::open_client(redis::parse_url("redis://127.0.0.1:" + std::to_string(port)).value(), options,
                                   clock_, random_)
                    .value()),
        store_(redis::RedisJobStore::open(*client_, {}, clock_, random_).value()) {}

  JobStore& store() { return *store_; }
  void end() { store_.reset(); }

  template <typename T, typename Call>
  Result<T> ask(Call call) {
    auto future = later<T>(std::move(call));
    if (future.wait_for(std::chrono::seconds{30}) == std::future_status::ready) return future.get();
    ADD_FAILURE() << "no answer came";
    return fail(Code::internal, "no answer came");
  }
  template <typename T, typename Call>
  std::future<Result<T>> later(Call call) {
    auto promise = std::make_shared<std::promise<Result<T>>>();
    auto future = promise->get_future();
    call([promise](Result<T> result) { promise->set_value(std::move(result)); });
    return future;
  }

  Result<std::vector<EnqueueAnswer>> push(const std::string& id, milliseconds delay = {}) {
    JobSpec job;
    job.id = id;
    job.payload = "payload of " + id;
    if (delay.count() > 0) job.delay = delay;
    return ask<std::vector<EnqueueAnswer>>([&](auto done) { store().enqueue("mail", {job}, done); });
  }
  Taken take(milliseconds lease = milliseconds{30'000}) { return take_later(milliseconds{0}, lease).get(); }
  std::future<Taken> take_later(milliseconds wait, milliseconds lease = milliseconds{30'000}) {
    return later<std::vector<StoredJob>>([&](auto done) { store().take("mail", {1, lease, wait}, done); });
  }
  Result<void> ack(const StoredJob& job) {
    auto all = ask<std::vector<Result<void>>>([&](auto done) {
      store().ack("mail", {HeldJob{job.id, job.receipt}}, done);
    });
    if (!all) return fail(all.error());
    return all->front();
  }
  Result<JobState> give_back(const StoredJob& job) {
    auto all = ask<std::vector<Result<JobState>>>([&](auto done) {
      store().release("mail", {HeldJob{job.id, job.receipt}}, std::nullopt, done);
    });
    if (!all) return fail(all.error());
    return all->front();
  }
  QueueStats stats() {
    return ask<QueueStats>([&](auto done) { store().stats("mail", done); }).value();
  }

 private:
  SystemClock clock_;
  SeededRandom random_{system_seed()};
  std::unique_ptr<redis::Client> client_;
  std::unique_ptr<redis::RedisJobStore> store_;
};

class JobFaults : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override { SKIP_UNLESS_INSTALLED(GetParam()); }
  void start(std::vector<std::string> options = {}) { server_.emplace(path_of(GetParam()), std::move(options)); }
  std::string admin(const std::string& words) const { return say_to(server_->port(), words); }

  std::optional<RedisServer> server_;
};

/// Nothing when it went well.
template <typename T>
std::optional<Code> code_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code);
}

/// One job, which is `id`.
inline StoredJob only(const Taken& taken, const std::string& id) {
  EXPECT_TRUE(taken) << taken.error().detail;
  if (!taken || taken->size() != 1) {
    ADD_FAILURE() << "not one job, as " << id << " is";
    return {};
  }
  EXPECT_EQ(taken->front().id, id);
  return taken->front();
}

#define JOBS_ON_BOTH_SERVERS(suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Servers, suite, testing::Values(Program::redis, Program::valkey), \
                           testing::PrintToStringParamName())

}  // namespace scoreline::test
