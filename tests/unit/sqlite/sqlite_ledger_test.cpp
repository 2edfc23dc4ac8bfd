// What is SQLite's own about the embedded ledger: its files, its schema, its log, its report.
#include "adapters/sqlite/sqlite_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <string>

#include "adapters/sqlite/migrations.h"
#include "support/scratch_folder.h"

namespace scoreline::sqlite {
namespace {

namespace fs = std::filesystem;
using leaderboards::LeaderboardName;
using leaderboards::MatchResult;
using leaderboards::PlayerId;
using ::testing::HasSubstr;

std::vector<MatchResult> batch_of(std::uint64_t number, int rows = 20) {
  std::vector<MatchResult> batch;
  for (int row = 0; row < rows; ++row) {
    Uuid match;
    const std::uint64_t spread = (number * 1'000 + static_cast<std::uint64_t>(row)) * 0x9E37'79B9'7F4A'7C15;
    for (std::size_t i = 0; i < 8; ++i) match.bytes[i] = static_cast<std::uint8_t>(spread >> (8 * i));
    batch.push_back({LeaderboardName::trusted("main"),
                     match,
                     PlayerId::trusted("p" + std::to_string(row)),
                     {1},
                     static_cast<std::int64_t>(number),
                     {row}});
  }
  return batch;
}

/// Somebody else's hands on the database.
class Stranger {
 public:
  explicit Stranger(const fs::path& file) { sqlite3_open(file.c_str(), &database_); }
  ~Stranger() { sqlite3_close(database_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void run(const std::string& sql) {
    ASSERT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database_);
  }
  sqlite3* database() { return database_; }

 private:
  sqlite3* database_ = nullptr;
};

class SqliteLedgerTest : public ::testing::Test {
 protected:
  fs::path folder() const { return scratch_.path() / "data"; }
  fs::path database() const { return folder() / "ledger.sqlite"; }
  std::unique_ptr<SqliteLedger> open(const Options& options = {}) {
    auto ledger = SqliteLedger::open(folder(), options);
    if (!ledger) throw std::runtime_error(ledger.error().detail);
    return std::move(*ledger);
  }
  Error refusal() {
    const auto ledger = SqliteLedger::open(folder());
    if (ledger) throw std::runtime_error("the ledger opened");
    return ledger.error();
  }
  void change(const std::string& sql) { Stranger(database()).run(sql); }

  test::ScratchFolder scratch_;
};

TEST_F(SqliteLedgerTest, MakesItsFolderForItsOwnerOnly) {
  open();
  struct stat info {};
  ASSERT_EQ(::stat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(SqliteLedgerTest, SecondOwnerIsRefusedWithTheFirstOnesNumber) {
  const auto first = open();
  const Error refused = refusal();
  EXPECT_EQ(refused.code, Code::locked);
  EXPECT_THAT(refused.detail, HasSubstr("process " + std::to_string(::getpid())));
}

TEST_F(SqliteLedgerTest, ClosedLedgerLeavesTheLockAndNoLog) {
  open()->append(batch_of(1)).value();
  EXPECT_FALSE(fs::exists(folder() / "ledger.sqlite-wal"));
  EXPECT_TRUE(
      open()->contains(LeaderboardName::trusted("main"), batch_of(1)[0].match_id, PlayerId::trusted("p0")).value());
}

TEST_F(SqliteLedgerTest, NewerSchemaIsRefusedAndLeftAlone) {
  open()->append(batch_of(1)).value();
  const std::int64_t newer = migrations().back().number + 1;
  change("PRAGMA user_version = " + std::to_string(newer));
  const Error refused = refusal();
  EXPECT_EQ(refused.code, Code::conflict);
  EXPECT_THAT(refused.detail, HasSubstr("newer Scoreline (schema " + std::to_string(newer)));
  change("PRAGMA user_version = " + std::to_string(newer - 1));
  EXPECT_TRUE(open()->verify(nullptr).value().findings.empty());
}

TEST_F(SqliteLedgerTest, ALedgerMadeBeforeThereWereCriteriaVerifiesAndTakesThem) {
  const leaderboards::Definition definition{.name = LeaderboardName::trusted("main")};
  {
    const auto ledger = open();
    ASSERT_TRUE(ledger->put_definition(definition));
    ledger->append(batch_of(1)).value();
  }
  // Back to what schema 5 was, without a batch to seal it: nothing sealed may have changed by it.
  change("DROP TABLE criteria; ALTER TABLE match_results DROP COLUMN extra; PRAGMA user_version = 5");
  auto batch = batch_of(2, 1);
  batch[0].extra = ~std::uint64_t{0};
  {
    const auto ledger = open();
    EXPECT_THAT(ledger->verify(nullptr).value().findings, ::testing::IsEmpty());
    ledger->append(batch).value();
  }
  EXPECT_THAT(open()->verify(nullptr).value().findings, ::testing::IsEmpty());
  change("UPDATE match_results SET extra = 0 WHERE extra <> 0");
  EXPECT_THAT(open()->verify(nullptr).value().findings, ::testing::Not(::testing::IsEmpty()));
}

TEST_F(SqliteLedgerTest, ChangedSchemaIsDamage) {
  open();
  change("CREATE INDEX sneaky ON match_results(points)");
  EXPECT_EQ(refusal().code, Code::damaged);
}

TEST_F(SqliteLedgerTest, StrangersDatabaseIsNeitherTakenNorChanged) {
  fs::create_directories(folder());
  change("CREATE TABLE theirs(a); INSERT INTO theirs VALUES (1)");
  EXPECT_EQ(refusal().code, Code::damaged);
  change("PRAGMA user_version = 1");
  const Error refused = refusal();
  EXPECT_EQ(refused.code, Code::damaged);
  EXPECT_THAT(refused.detail, HasSubstr("not a ledger of Scoreline"));
  change("INSERT INTO theirs VALUES (2)");
}

TEST_F(SqliteLedgerTest, FileThatIsNoDatabaseIsDamage) {
  open();
  fs::resize_file(database(), 0);
  FILE* const file = std::fopen(database().c_str(), "wb");
  std::fputs("this was a ledger once, and somebody wrote a letter over it to see what would happen to it", file);
  std::fclose(file);
  EXPECT_EQ(refusal().code, Code::damaged);
}

TEST_F(SqliteLedgerTest, EveryTamperedTableIsTold) {
  const char* const tampering[] = {
      "UPDATE match_results SET points = points + 1 WHERE player_id = 'p3'",
      "UPDATE match_results SET batch = 1",
      "DELETE FROM match_results WHERE player_id = 'p3'",
      "UPDATE match_results SET by_player = 1",
      "UPDATE leaderboards SET rule = 'least'",
      "UPDATE seasons SET end_at = 7",
      "DELETE FROM erasures",
      "UPDATE erasures SET up_to_batch = 1",
      "UPDATE batches SET rows = rows + 1 WHERE seq = 3",
      "UPDATE batches SET kind = 'erase' WHERE seq = 3",
      "DELETE FROM batches WHERE seq = 4",
  };
  for (const char* sql : tampering) {
    SCOPED_TRACE(sql);
    fs::remove_all(folder());
    {
      auto ledger = open();
      const auto name = LeaderboardName::trusted("main");
      ASSERT_TRUE(ledger->put_definition({name}));
      ASSERT_TRUE(ledger->put_season(name, {{1}, std::nullopt, Timestamp{5}}));
      for (std::uint64_t number = 1; number <= 5; ++number) ledger->append(batch_of(number)).value();
      ledger->erase_player(name, PlayerId::trusted("p4"), leaderboards::Ledger::Erase::from_boards, {}).value();
    }
    change(sql);
    auto ledger = open();
    const auto scanned = ledger->scan([](const leaderboards::LedgerRow&) {}, nullptr);
    ASSERT_FALSE(scanned);
    EXPECT_EQ(scanned.error().code, Code::damaged);
    EXPECT_FALSE(ledger->verify(nullptr).value().findings.empty());
  }
}

TEST_F(SqliteLedgerTest, ReportCountsWhatIsThere) {
  auto ledger = open();
  const auto name = LeaderboardName::trusted("main");
  ASSERT_TRUE(ledger->put_definition({name}));
  ASSERT_TRUE(ledger->put_season(name, {{1}, std::nullopt, std::nullopt}));
  for (std::uint64_t number = 1; number <= 3; ++number) ledger->append(batch_of(number)).value();
  ledger->append(batch_of(3)).value();
  ledger->erase_player(name, PlayerId::trusted("p4"), leaderboards::Ledger::Erase::from_boards, {}).value();
  ledger->erase_player(name, PlayerId::trusted("p5"), leaderboards::Ledger::Erase::from_ledger, {}).value();
  const AuditReport report = ledger->verify(nullptr).value();
  EXPECT_THAT(report.findings, ::testing::IsEmpty());
  EXPECT_EQ(report.results, 57u);
  EXPECT_EQ(report.erased_results, 3u);
  EXPECT_EQ(report.leaderboards, 1u);
  EXPECT_EQ(report.seasons, 1u);
  EXPECT_EQ(report.erasures, 1u);
  EXPECT_EQ(report.batches, 7u) << "a batch of duplicates leaves none";
}

TEST_F(SqliteLedgerTest, ReaderThatStaysMakesTheLogGrowAndNotForEver) {
  auto ledger = open({.checkpoint_pages = 50, .cache_kib = 512, .sync = Sync::off});
  for (std::uint64_t number = 1; number <= 100; ++number) ledger->append(batch_of(number)).value();
  const std::uint64_t bound = 4 * 50 * kPageBytes;
  EXPECT_LT(ledger->wal_bytes(), bound);
  {
    Stranger reader(database());
    reader.run("BEGIN; SELECT count(*) FROM match_results");
    for (std::uint64_t number = 101; number <= 300; ++number) ledger->append(batch_of(number)).value();
    EXPECT_GT(ledger->wal_bytes(), bound) << "pinned";
    reader.run("COMMIT");
  }
  for (std::uint64_t number = 301; number <= 320; ++number) ledger->append(batch_of(number)).value();
  EXPECT_LT(ledger->wal_bytes(), bound);
  EXPECT_LT(fs::file_size(folder() / "ledger.sqlite-wal"), bound) << "the file gives its room back";
  EXPECT_TRUE(ledger->verify(nullptr).value().findings.empty());
}

TEST_F(SqliteLedgerTest, BackupTakenWhileWritingVerifies) {
  auto ledger = open();
  for (std::uint64_t number = 1; number <= 20; ++number) ledger->append(batch_of(number)).value();
  const fs::path copy_folder = scratch_.path() / "copy";
  fs::create_directories(copy_folder);
  {
    Stranger from(database()), to(copy_folder / "ledger.sqlite");
    sqlite3_backup* const backup = sqlite3_backup_init(to.database(), "main", from.database(), "main");
    ASSERT_NE(backup, nullptr);
    std::uint64_t number = 21;
    while (sqlite3_backup_step(backup, 20) == SQLITE_OK) {
      if (number < 25) ledger->append(batch_of(number++)).value();
    }
    EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_OK);
  }
  auto copy = SqliteLedger::open(copy_folder).value();
  EXPECT_THAT(copy->notes(), ::testing::ElementsAre(HasSubstr("ledger.head was missing")));
  const AuditReport report = copy->verify(nullptr).value();
  EXPECT_THAT(report.findings, ::testing::IsEmpty());
  EXPECT_GE(report.results, 400u);
  EXPECT_EQ(report.results % 20, 0u);
}

}  // namespace
}  // namespace scoreline::sqlite
