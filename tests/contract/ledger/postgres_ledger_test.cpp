#include "adapters/postgres/postgres_ledger.h"

#include "contract/ledger/calendar_contract.h"
#include "contract/ledger/criteria_contract.h"
#include "contract/ledger/ledger_contract.h"
#include "contract/ledger/moderation_contract.h"
#include "support/postgres_server.h"

namespace scoreline::leaderboards {
namespace {

/// One for the whole program; nullptr when PostgreSQL is not installed.
const test::PostgresServer* server() {
  static const std::unique_ptr<test::PostgresServer> server =
      test::PostgresServer::programs().empty() ? nullptr : std::make_unique<test::PostgresServer>();
  return server.get();
}

class PostgresHarness final : public LedgerHarness {
 public:
  PostgresHarness() : url_(test::new_schema_url(*server())) { open(); }
  Ledger& ledger() override { return *ledger_; }
  void reopen() override {
    ledger_.reset();
    open();
  }

 private:
  void open() {
    auto opened = postgres::PostgresLedger::open(url_, {}, clock_, random_);
    if (!opened) throw std::runtime_error(opened.error().detail);
    ledger_ = std::move(*opened);
  }

  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
  std::unique_ptr<postgres::PostgresLedger> ledger_;
};

std::vector<LedgerMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {LedgerMaker{"postgres", [] { return std::make_unique<PostgresHarness>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Postgres, LedgerContract, ::testing::ValuesIn(makers()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LedgerContract);

TEST(PostgresLedgerContract, HasAServer) {
  if (server() == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
}

}  // namespace
}  // namespace scoreline::leaderboards
