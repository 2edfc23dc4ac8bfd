// The embedded store over PostgreSQL.
#include <atomic>
#include <future>
#include <thread>

#include "adapters/postgres/postgres_job_ledger.h"
#include "contract/job_store/job_store_contract.h"
#include "queues/embedded_job_store.h"
#include "support/postgres_server.h"

namespace scoreline::queues {
namespace {

const test::PostgresServer& server() {
  static const test::PostgresServer server;
  return server;
}

class OverPostgres final : public JobStoreHarness {
 public:
  OverPostgres() { open(); }
  JobStore& store() override { return *store_; }
  bool reopen() override {
    store_.reset();
    ledger_.reset();
    open();
    return true;
  }

 private:
  void open() {
    // The server may take a moment to see that the session before is gone.
    for (int attempt = 0; attempt < 500 && !ledger_; ++attempt) {
      auto ledger = postgres::PostgresJobLedger::open(url_, {}, clock_, random_);
      if (ledger) ledger_ = *std::move(ledger);
      if (!ledger_ && ledger.error().code != Code::not_ready) throw std::runtime_error(ledger.error().detail);
      if (!ledger_) std::this_thread::sleep_for(milliseconds{10});
    }
    auto store = EmbeddedJobStore::open(ledger_.get(), clock_, random_);
    if (!store) throw std::runtime_error(store.error().detail);
    store_ = *std::move(store);
  }

  SystemClock clock_;
  SeededRandom random_{system_seed()};
  std::string url_ = test::new_schema_url(server());
  std::unique_ptr<JobLedger> ledger_;
  std::unique_ptr<EmbeddedJobStore> store_;
};

// The server ends the session again and again: whatever was answered is there, once, and nothing that was refused.
TEST(JobsInPostgres, AnswersAreKeptThoughTheSessionEndsAgainAndAgain) {
  if (test::PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
  OverPostgres harness;
  std::atomic<bool> over{false};
  std::thread ending([&] {
    while (!over) {
      std::this_thread::sleep_for(milliseconds{60});
      server().sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
          "AND backend_type = 'client backend'");
    }
  });
  const auto answer_to = [](auto call) {
    auto promise = std::make_shared<std::promise<Result<void>>>();
    call([promise](const auto& result) { promise->set_value(result ? Result<void>() : fail(result.error())); });
    return promise->get_future().get();
  };
  Names kept, refused;
  for (int i = 0; i < 300; ++i) {
    std::vector<JobSpec> jobs(1);
    jobs[0].id = "job-" + std::to_string(i);
    const auto answer = answer_to([&](auto done) {
      harness.store().enqueue("mail", jobs, [done](Result<std::vector<EnqueueAnswer>> result) { done(result); });
    });
    if (answer) kept.push_back(jobs[0].id);
    if (!answer && answer.error().code != Code::unknown_outcome) refused.push_back(jobs[0].id);
  }
  over = true;
  ending.join();
  EXPECT_GT(kept.size(), 100u);
  ASSERT_TRUE(harness.reopen());
  Names there;
  harness.store().list("mail", {JobState::ready, 0, kMaxJobs}, [&](Result<std::vector<StoredJob>> jobs) {
    for (const StoredJob& job : jobs.value()) there.push_back(job.id);
  });
  EXPECT_THAT(there, ::testing::IsSupersetOf(kept));
  for (const std::string& id : refused) EXPECT_THAT(there, ::testing::Not(::testing::Contains(id)));
}

std::vector<JobStoreMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {JobStoreMaker{"postgres", [] { return std::make_unique<OverPostgres>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Embedded, JobStoreContract, ::testing::ValuesIn(makers()),
                         [](const auto& made) { return made.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JobStoreContract);

}  // namespace
}  // namespace scoreline::queues
