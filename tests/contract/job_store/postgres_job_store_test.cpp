// The embedded store over PostgreSQL.
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

std::vector<JobStoreMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {JobStoreMaker{"postgres", [] { return std::make_unique<OverPostgres>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Embedded, JobStoreContract, ::testing::ValuesIn(makers()),
                         [](const auto& made) { return made.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JobStoreContract);

}  // namespace
}  // namespace scoreline::queues
