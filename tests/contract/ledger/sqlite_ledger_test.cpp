#include "adapters/sqlite/sqlite_ledger.h"

#include "contract/ledger/calendar_contract.h"
#include "contract/ledger/criteria_contract.h"
#include "contract/ledger/ledger_contract.h"
#include "contract/ledger/moderation_contract.h"
#include "support/model_ledger.h"
#include "support/scratch_folder.h"

namespace scoreline::leaderboards {
namespace {

class ModelHarness final : public LedgerHarness {
 public:
  Ledger& ledger() override { return ledger_; }
  void reopen() override {}

 private:
  test::ModelLedger ledger_;
};

class SqliteHarness final : public LedgerHarness {
 public:
  SqliteHarness() { open(); }
  Ledger& ledger() override { return *ledger_; }
  void reopen() override {
    ledger_.reset();
    open();
  }

 private:
  void open() {
    auto opened = sqlite::SqliteLedger::open(folder_.path() / "data");
    if (!opened) throw std::runtime_error(opened.error().detail);
    ledger_ = std::move(*opened);
  }
  test::ScratchFolder folder_;
  std::unique_ptr<sqlite::SqliteLedger> ledger_;
};

INSTANTIATE_TEST_SUITE_P(Model, LedgerContract,
                         ::testing::Values(LedgerMaker{"model", [] { return std::make_unique<ModelHarness>(); }}));
INSTANTIATE_TEST_SUITE_P(Sqlite, LedgerContract,
                         ::testing::Values(LedgerMaker{"sqlite", [] { return std::make_unique<SqliteHarness>(); }}));

}  // namespace
}  // namespace scoreline::leaderboards
