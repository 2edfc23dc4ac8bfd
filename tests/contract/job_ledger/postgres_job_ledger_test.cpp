#include "adapters/postgres/postgres_job_ledger.h"

#include <thread>

#include "contract/job_ledger/job_ledger_contract.h"
#include "support/postgres_server.h"
#include "support/tcp_proxy.h"

namespace scoreline::queues {
namespace {

using namespace std::chrono_literals;
using postgres::PostgresJobLedger;

/// One for the whole program; nullptr when PostgreSQL is not installed.
test::PostgresServer* server() {
  static const std::unique_ptr<test::PostgresServer> server =
      test::PostgresServer::programs().empty() ? nullptr : std::make_unique<test::PostgresServer>();
  return server.get();
}

class PostgresHarness final : public JobLedgerHarness {
 public:
  explicit PostgresHarness(std::string url = test::new_schema_url(*server()), const postgres::Options& options = {})
      : url_(std::move(url)), options_(options) {
    open();
  }
  JobLedger& ledger() override { return *ledger_; }
  void reopen() override {
    ledger_.reset();
    open();
  }
  Result<std::unique_ptr<PostgresJobLedger>> open_another() {
    return PostgresJobLedger::open(url_, options_, clock_, random_);
  }

 private:
  void open() {
    // The server may take a moment to see that the session before is gone.
    for (int attempt = 0; attempt < 500; ++attempt) {
      auto opened = open_another();
      if (opened) {
        ledger_ = std::move(*opened);
        return;
      }
      if (opened.error().code != Code::not_ready) throw std::runtime_error(opened.error().detail);
      std::this_thread::sleep_for(10ms);
    }
    throw std::runtime_error("the jobs are still held");
  }

  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
  postgres::Options options_;
  std::unique_ptr<PostgresJobLedger> ledger_;
};

std::vector<JobLedgerMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {JobLedgerMaker{"postgres", [] { return std::make_unique<PostgresHarness>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Postgres, JobLedgerContract, ::testing::ValuesIn(makers()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JobLedgerContract);

const LedgerBatch kOneJob{{{1, "mail", {}, false}}, {}, {added(full_job(1))}};
const LedgerBatch kAnotherJob{{}, {}, {added(full_job(2))}};

class PostgresJobs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (server() == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  }
  std::string through(const test::TcpProxy& proxy, std::string url) const {
    const std::string port = std::to_string(server()->port());
    return url.replace(url.find(port), port.size(), std::to_string(proxy.port()));
  }
};

TEST_F(PostgresJobs, OneProcessHoldsThemUntilItsSessionEnds) {
  const std::string url = test::new_schema_url(*server());
  auto first = std::make_unique<PostgresHarness>(url);
  ASSERT_TRUE(first->ledger().commit(kOneJob, Durability::disk));
  const auto refused = first->open_another();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::not_ready);
  first.reset();
  PostgresHarness second(url);
  EXPECT_EQ(kept_in(second.ledger()).jobs.size(), 1U);
}

TEST_F(PostgresJobs, ALostConnectionIsMadeAgainAndTheBatchSentAgain) {
  PostgresHarness harness;
  ASSERT_TRUE(harness.ledger().commit(kOneJob, Durability::disk));
  server()->sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
      "AND query LIKE '%jobs%'");
  const auto again = harness.ledger().commit(kAnotherJob, Durability::disk);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(kept_in(harness.ledger()).jobs.size(), 2U);
}

TEST_F(PostgresJobs, ALostAnswerIsSettledByTheSameBatchAgain) {
  test::TcpProxy proxy(server()->port());
  const std::string url = test::new_schema_url(*server());
  PostgresHarness harness(through(proxy, url), {1'000ms, 1'000ms, 500ms, 200ms, 4});
  ASSERT_TRUE(harness.ledger().commit(kOneJob, Durability::disk));
  proxy.set(test::TcpProxy::Mode::mute);
  const auto lost = harness.ledger().commit(kAnotherJob, Durability::disk);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::unknown_outcome);
  proxy.set(test::TcpProxy::Mode::pass);
  proxy.reset();
  Result<void> again = fail(Code::internal, "not sent yet");
  for (int i = 0; i < 100 && !again; ++i) {
    again = harness.ledger().commit(kAnotherJob, Durability::disk);
    if (!again) std::this_thread::sleep_for(100ms);
  }
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(kept_in(harness.ledger()).jobs.size(), 2U);
}

TEST_F(PostgresJobs, WhoLostThemToAnotherWritesNoMore) {
  test::TcpProxy proxy(server()->port());
  const std::string url = test::new_schema_url(*server());
  PostgresHarness first(through(proxy, url), {2'000ms, 2'000ms, 500ms, 200ms, 4});
  ASSERT_TRUE(first.ledger().commit(kOneJob, Durability::disk));
  proxy.reset();  // its session ends
  { PostgresHarness second(url); }
  const auto late = first.ledger().commit(kAnotherJob, Durability::disk);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::storage_failed);
  EXPECT_TRUE(first.ledger().write_failure());
  EXPECT_FALSE(first.ledger().commit(kAnotherJob, Durability::disk)) << "for good";
  PostgresHarness third(url);
  EXPECT_EQ(kept_in(third.ledger()).jobs.size(), 1U);
}

TEST_F(PostgresJobs, AServerThatIsAwayIsAnErrorAndThenTheSameGoesOn) {
  PostgresHarness harness(test::new_schema_url(*server()), {1'000ms, 1'000ms, 500ms, 200ms, 4});
  ASSERT_TRUE(harness.ledger().commit(kOneJob, Durability::disk));
  server()->stop();
  const auto away = harness.ledger().commit(kAnotherJob, Durability::disk);
  ASSERT_FALSE(away);
  EXPECT_TRUE(away.error().code == Code::storage_failed || away.error().code == Code::unknown_outcome);
  EXPECT_FALSE(harness.ledger().write_failure());
  server()->start();
  Result<void> again = fail(Code::internal, "not sent yet");
  for (int i = 0; i < 100 && !again; ++i) {
    again = harness.ledger().commit(kAnotherJob, Durability::disk);
    if (!again) std::this_thread::sleep_for(100ms);
  }
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(kept_in(harness.ledger()).jobs.size(), 2U);
}

}  // namespace
}  // namespace scoreline::queues
