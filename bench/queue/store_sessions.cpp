// Through the port of stores, in this process: the embedded one, and that on Redis.
#include <future>
#include <thread>
#include <vector>

#include "adapters/redis/redis_job_store.h"
#include "adapters/redis/url.h"
#include "adapters/sqlite/sqlite_job_ledger.h"
#include "queue/sessions.h"
#include "queues/embedded_job_store.h"

namespace scoreline::bench {
namespace {

using queues::HeldJob;
using queues::JobSpec;
using queues::JobStore;
using queues::StoredJob;

template <typename T>
T given(Result<T> result) {
  if (!result) give_up(result.error().detail);
  return *std::move(result);
}

template <typename T, typename Call>
T ask(Call call) {
  std::promise<Result<T>> answer;
  call([&](Result<T> result) { answer.set_value(std::move(result)); });
  return given(answer.get_future().get());
}

class OfStore final : public Session {
 public:
  explicit OfStore(JobStore& store) : store_(store) {}

  void put(std::size_t first, std::size_t jobs) override {
    std::vector<JobSpec> specs(jobs);
    for (std::size_t i = 0; i < jobs; ++i) {
      specs[i].id = job_id(first + i);
      specs[i].payload = kPayload;
    }
    ask<std::vector<queues::EnqueueAnswer>>([&](auto done) { store_.enqueue("mail", std::move(specs), done); });
  }

  std::size_t work(std::size_t jobs) override {
    const auto taken = ask<std::vector<StoredJob>>([&](auto done) {
      store_.take("mail", {jobs, std::chrono::seconds{60}, std::chrono::milliseconds{50}}, done);
    });
    if (taken.empty()) return 0;
    std::vector<HeldJob> held;
    for (const StoredJob& job : taken) held.push_back({job.id, job.receipt});
    const auto acked = ask<std::vector<Result<void>>>([&](auto done) { store_.ack("mail", std::move(held), done); });
    for (const auto& each : acked) {
      if (!each) give_up(each.error().detail);
    }
    return taken.size();
  }

 private:
  JobStore& store_;
};

struct OnRedis {
  explicit OnRedis(const std::string& port)
      : client(given(redis::open_client(given(redis::parse_url("redis://127.0.0.1:" + port)), {}, clock, random))),
        store(given(redis::RedisJobStore::open(*client, {}, clock, random))) {}
  SystemClock clock;
  SeededRandom random{system_seed()};
  std::unique_ptr<redis::Client> client;
  std::unique_ptr<JobStore> store;
};

struct InProcess {
  explicit InProcess(const std::string& folder) {
    if (!folder.empty()) ledger = given(sqlite::SqliteJobLedger::open(folder));
    store = given(queues::EmbeddedJobStore::open(ledger.get(), clock, random));
    queues::QueueOptions options;
    options.durability = folder.empty() ? queues::Durability::memory : queues::Durability::disk;
    std::promise<bool> set;
    store->set_options("mail", options, [&](const Result<void>& done) { set.set_value(done.has_value()); });
    if (!set.get_future().get()) give_up("the options are refused");
  }
  SystemClock clock;
  SeededRandom random{system_seed()};
  std::unique_ptr<queues::JobLedger> ledger;
  std::unique_ptr<JobStore> store;
};

}  // namespace

NewSession library_sessions(const std::string& where) {
  const auto process = std::make_shared<InProcess>(where);
  return [process] { return std::make_unique<OfStore>(*process->store); };
}

NewSession redis_store_sessions(const std::string& port) {
  const auto process = std::make_shared<OnRedis>(port);
  return [process] { return std::make_unique<OfStore>(*process->store); };
}

}  // namespace scoreline::bench
