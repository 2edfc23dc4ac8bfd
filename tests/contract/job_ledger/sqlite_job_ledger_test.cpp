#include "adapters/sqlite/sqlite_job_ledger.h"

#include <fstream>

#include "contract/job_ledger/job_ledger_contract.h"
#include "support/scratch_folder.h"

namespace scoreline::queues {
namespace {

using sqlite::SqliteJobLedger;

class SqliteHarness final : public JobLedgerHarness {
 public:
  SqliteHarness() { open(); }
  JobLedger& ledger() override { return *ledger_; }
  void reopen() override {
    ledger_.reset();
    open();
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  void close() { ledger_.reset(); }
  std::uintmax_t bytes_on_disk() const {
    std::uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder())) bytes += file.file_size();
    return bytes;
  }

 private:
  void open() {
    auto opened = SqliteJobLedger::open(folder_.path());
    if (!opened) throw std::runtime_error(opened.error().detail);
    ledger_ = std::move(*opened);
  }

  test::ScratchFolder folder_;
  std::unique_ptr<SqliteJobLedger> ledger_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, JobLedgerContract,
                         ::testing::Values(JobLedgerMaker{"sqlite", [] { return std::make_unique<SqliteHarness>(); }}));

LedgerBatch many_jobs(std::uint64_t first, std::uint64_t count, std::size_t payload) {
  LedgerBatch batch{{{1, "mail", {}, false}}, {}, {}};
  for (std::uint64_t sequence = first; sequence < first + count; ++sequence) {
    StoredJob job;
    job.sequence = sequence;
    job.id = "job-" + std::to_string(sequence);
    job.payload.assign(payload, 'p');
    batch.jobs.push_back(added(job));
  }
  return batch;
}

TEST(SqliteJobs, AnotherThatOpensTheSameFileIsToldThatItIsLocked) {
  SqliteHarness harness;
  const auto refused = SqliteJobLedger::open(harness.folder());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::locked);
}

TEST(SqliteJobs, AFileOfSomebodyElseIsLeftAlone) {
  SqliteHarness harness;
  harness.close();
  const auto file = harness.folder() / sqlite::kJobsFile;
  std::filesystem::remove(file);
  std::ofstream(file) << "This is a diary, and no database at all, however one looks at it.";
  const auto refused = SqliteJobLedger::open(harness.folder());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::damaged);
  std::ifstream again(file);
  std::string word;
  again >> word;
  EXPECT_EQ(word, "This");
}

// Jobs that are taken and given back for ever, beside one that lies there for as long: what is on the disk stays what
// is alive and a log (Q19).
TEST(SqliteJobs, EndlessTakingAndReleasingDoesNotGrowTheFile) {
  constexpr std::uint64_t kJobs = 20'000;
  constexpr std::size_t kPayload = 100;
  SqliteHarness harness;
  StoredJob old = full_job(1);
  old.state = JobState::dead;
  ASSERT_TRUE(harness.ledger().commit({{{1, "mail", {}, false}}, {}, {added(old)}}, Durability::os));
  LedgerBatch jobs = many_jobs(2, kJobs, kPayload);
  ASSERT_TRUE(harness.ledger().commit(jobs, Durability::os));
  std::uint64_t alive = 0;
  for (const JobChange& change : jobs.jobs) alive += change.job.id.size() + change.job.payload.size() + 60;
  for (JobChange& change : jobs.jobs) change = changed(Change::updated, change.job);
  for (int round = 0; round < 50; ++round) {
    for (const JobState state : {JobState::leased, JobState::delayed}) {
      for (JobChange& change : jobs.jobs) {
        change.job.state = state;
        change.job.receipt.bits = state == JobState::leased ? ~std::uint64_t{0} - static_cast<unsigned>(round) : 0;
        change.job.until = Timestamp{1'800'000'000'000 + round};
      }
      ASSERT_TRUE(harness.ledger().commit(jobs, Durability::os));
    }
  }
  constexpr std::uint64_t kSegment = 16 * 1024 * 1024;
  EXPECT_LE(harness.bytes_on_disk(), 3 * alive + 2 * kSegment);
  harness.close();
  EXPECT_LE(harness.bytes_on_disk(), 3 * alive);
}

TEST(SqliteJobs, RoomOfJobsThatAreGoneIsUsedAgain) {
  SqliteHarness harness;
  std::uintmax_t after_first = 0;
  for (std::uint64_t round = 0; round < 10; ++round) {
    LedgerBatch jobs = many_jobs(1 + round * 5'000, 5'000, 1'000);
    ASSERT_TRUE(harness.ledger().commit(jobs, Durability::os));
    for (JobChange& change : jobs.jobs) change = changed(Change::removed, change.job);
    ASSERT_TRUE(harness.ledger().commit(jobs, Durability::os));
    harness.reopen();
    if (round == 0) after_first = harness.bytes_on_disk();
  }
  EXPECT_LE(harness.bytes_on_disk(), after_first * 3 / 2);
}

}  // namespace
}  // namespace scoreline::queues
