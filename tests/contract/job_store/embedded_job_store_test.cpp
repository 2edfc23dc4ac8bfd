#include "queues/embedded_job_store.h"

#include "adapters/sqlite/sqlite_job_ledger.h"
#include "contract/job_store/job_store_contract.h"
#include "support/scratch_folder.h"

namespace scoreline::queues {
namespace {

class InMemory final : public JobStoreHarness {
 public:
  JobStore& store() override { return *store_; }

 private:
  SystemClock clock_;
  SeededRandom random_{system_seed()};
  std::unique_ptr<EmbeddedJobStore> store_ = *EmbeddedJobStore::open(nullptr, clock_, random_);
};

class OverSqlite final : public JobStoreHarness {
 public:
  OverSqlite() { open(); }
  JobStore& store() override { return *store_; }
  bool reopen() override {
    store_.reset();
    ledger_.reset();
    open();
    return true;
  }

 private:
  void open() {
    auto ledger = sqlite::SqliteJobLedger::open(folder_.path());
    if (!ledger) throw std::runtime_error(ledger.error().detail);
    ledger_ = *std::move(ledger);
    auto store = EmbeddedJobStore::open(ledger_.get(), clock_, random_);
    if (!store) throw std::runtime_error(store.error().detail);
    store_ = *std::move(store);
  }

  SystemClock clock_;
  SeededRandom random_{system_seed()};
  test::ScratchFolder folder_;
  std::unique_ptr<JobLedger> ledger_;
  std::unique_ptr<EmbeddedJobStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, JobStoreContract,
                         ::testing::Values(JobStoreMaker{"memory", [] { return std::make_unique<InMemory>(); }},
                                           JobStoreMaker{"sqlite", [] { return std::make_unique<OverSqlite>(); }}),
                         [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace scoreline::queues
