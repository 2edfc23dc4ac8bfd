// The server answers, but with a refusal: read-only, full, too slow, deadlocked, damaged, too new, or careless.
#include <sys/mount.h>

#include <fstream>

#include "ledger_fixture.h"

namespace scoreline::postgres {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Sets a server-wide setting for as long as it lives.
class Setting {
 public:
  Setting(const test::PostgresServer& server, std::string name, const std::string& value)
      : server_(server), name_(std::move(name)) {
    server_.sql("ALTER SYSTEM SET " + name_ + " = " + value);
    reload(value);
  }
  ~Setting() {
    server_.sql("ALTER SYSTEM RESET " + name_);
    server_.sql("SELECT pg_reload_conf()");
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  void reload(const std::string& value) {
    server_.sql("SELECT pg_reload_conf()");
    eventually([&] { return server_.sql("SHOW " + name_) == value; });
  }
  const test::PostgresServer& server_;
  std::string name_;
};

TEST_F(PostgresFaults, ReadOnlyServerIsReadAndTriedAgainLater) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(batch_of(5)));
  {
    const Setting setting(server(), "default_transaction_read_only", "on");
    Result<std::vector<Recorded>> refused;
    // A running session hears of the setting between two statements.
    std::uint64_t match = 100;
    eventually([&] { return !(refused = ledger->append(batch_of(1, ++match))); });
    EXPECT_EQ(refused.error().code, Code::storage_failed);
    EXPECT_THAT(refused.error().detail, HasSubstr("25006"));
    EXPECT_TRUE(refused.error().retry_after);
    EXPECT_TRUE(ledger->has_results(board_name("main")).value());
    EXPECT_TRUE(open()->has_results(board_name("main")).value()) << "a ledger that is there already can be opened";
  }
  settle(*ledger, batch_of(5, 1'000));
}

TEST_F(PostgresFaults, FullDiskKeepsWholeBatchesAndRecoversWithRoom) {
  const std::filesystem::path folder = server().data().parent_path() / "small";
  std::filesystem::create_directory(folder);
  if (::mount("small", folder.c_str(), "tmpfs", 0, "size=12m,mode=0777") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted here: not root";
  }
  const auto small = [&](const char* inside) { return "'" + (folder / inside).string() + "'"; };
  std::filesystem::create_directory(folder / "space");
  std::filesystem::permissions(folder / "space", std::filesystem::perms::all);
  ASSERT_EQ(::system(("chown --reference=" + server().data().string() + " " + (folder / "space").string()).c_str()), 0);
  server().sql("CREATE TABLESPACE small LOCATION " + small("space"));
  {
    const auto ledger = open({}, url() + "%20-cdefault_tablespace%3Dsmall");
    std::uint64_t kept = 0;
    Result<std::vector<Recorded>> full;
    while ((full = ledger->append(batch_of(2'000, 1 + kept)))) kept += 2'000;
    EXPECT_EQ(full.error().code, Code::storage_full) << full.error().detail;
    EXPECT_TRUE(full.error().retry_after);
    EXPECT_EQ(rows(), static_cast<std::int64_t>(kept));
    ASSERT_EQ(::mount("small", folder.c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
    EXPECT_THAT(ledger->append(batch_of(2'000, 1 + kept)).value(), Each(Recorded::recorded));
  }
  sql("DO $$ BEGIN EXECUTE format('DROP SCHEMA %I CASCADE', current_schema()); END $$");
  server().sql("DROP TABLESPACE small");
  EXPECT_EQ(::umount(folder.c_str()), 0);
}

TEST_F(PostgresFaults, WaitForALockEndsBeforeTheDeadlineWithACertainAnswer) {
  const auto ledger = open({2s, 60s, 3s, 2s, 4});
  Stranger stranger(url());
  stranger.hold(3, "p2");
  const auto slow = ledger->append(batch_of(5));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, Code::storage_failed) << slow.error().detail;
  EXPECT_THAT(slow.error().detail, HasSubstr("55P03"));
  EXPECT_TRUE(slow.error().retry_after);
  stranger.run("COMMIT");
  EXPECT_THAT(ledger->append(batch_of(3)).value(),
              ElementsAre(Recorded::recorded, Recorded::recorded, Recorded::duplicate));
}

TEST_F(PostgresFaults, SlowStatementIsEndedByTheServer) {
  const auto ledger = open({1s, 60s, 3s, 2s, 4});
  sql("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END';"
      "CREATE TRIGGER slow BEFORE INSERT ON match_results FOR EACH ROW EXECUTE FUNCTION slow()");
  const auto slow = ledger->append(batch_of(1));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, Code::storage_failed) << slow.error().detail;
  EXPECT_THAT(slow.error().detail, HasSubstr("57014"));
  EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresFaults, VictimOfADeadlockTriesAgain) {
  const auto ledger = open({5s, 60s, 3s, 2s, 4}, url() + "%20-cdeadlock_timeout%3D500");
  Stranger stranger(url() + "%20-cdeadlock_timeout%3D20000");
  stranger.hold(2, "p1");
  auto answer = append_and_wait_for_lock(*ledger, batch_of(2));  // holds match 1, and waits for match 2
  stranger.insert(1, "p0");                                      // until the ledger has given way
  stranger.run("COMMIT");
  const auto answers = answer.get();
  ASSERT_TRUE(answers) << answers.error().detail;
  EXPECT_THAT(*answers, Each(Recorded::duplicate));
  EXPECT_EQ(rows(), 2);
}

TEST_F(PostgresFaults, TwoWritersInOppositeOrderNeverDeadlock) {
  const auto one = open(), other = open();
  const auto before = server().sql("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'");
  std::atomic<std::int64_t> recorded{0};
  const auto write = [&](PostgresLedger& ledger, bool backwards) {
    for (std::uint64_t round = 0; round < 60; ++round) {
      auto batch = batch_of(200, 1 + 200 * round);
      if (backwards) std::reverse(batch.begin(), batch.end());
      const auto answers = settle(ledger, batch);
      recorded += std::count(answers.begin(), answers.end(), Recorded::recorded);
    }
  };
  std::thread beside([&] { write(*other, true); });
  write(*one, false);
  beside.join();
  EXPECT_EQ(recorded, 60 * 200) << "each result is new to one of the two";
  EXPECT_EQ(rows(), 60 * 200);
  server().sql("SELECT pg_stat_clear_snapshot()");
  EXPECT_EQ(server().sql("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'"), before);
}

TEST_F(PostgresFaults, FlippedBitOnDiskIsDamage) {
  {
    const auto ledger = open();
    ASSERT_TRUE(ledger->append(batch_of(2'000)));
  }
  const std::string file = sql("SELECT pg_relation_filepath('match_results')");
  server().stop();
  {
    std::fstream table(server().data() / file, std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff kInTheSecondPage = 8'192 + 4'000;
    table.seekg(kInTheSecondPage);
    const int byte = table.get();
    table.seekp(kInTheSecondPage);
    table.put(static_cast<char>(byte ^ 1));
    ASSERT_TRUE(table.good());
  }
  server().start();
  const auto ledger = open();
  const auto scanned = ledger->scan([](const LedgerRow&) {}, nullptr);
  ASSERT_FALSE(scanned);
  EXPECT_EQ(scanned.error().code, Code::damaged) << scanned.error().detail;
}

TEST_F(PostgresFaults, NewerSchemaIsRefused) {
  open();
  sql("UPDATE ledger SET schema_version = 99");
  const Error error = error_of_opening(url());
  EXPECT_EQ(error.code, Code::conflict);
  EXPECT_THAT(error.detail, HasSubstr("newer Scoreline (schema 99"));
}

TEST_F(PostgresFaults, BatchWithARefusedRowIsNotKeptAndTheRowAloneIsNamed) {
  const auto ledger = open();
  sql("ALTER TABLE match_results ADD CHECK (points <> 666)");
  auto batch = batch_of(9);
  batch[4].points = 666;
  batch[7].player = player_id("\xFF\xFE");
  const auto whole = ledger->append(batch);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().code, Code::invalid);
  EXPECT_EQ(rows(), 0) << "all of a batch or nothing";
  for (const auto& [row, state] : {std::pair(4, "23514"), std::pair(7, "22021")}) {
    const auto alone = ledger->append({&batch[static_cast<std::size_t>(row)], 1});
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().code, Code::invalid);
    EXPECT_EQ(alone.error().field, "matchId");
    EXPECT_THAT(alone.error().detail, HasSubstr(format_uuid(batch[static_cast<std::size_t>(row)].match_id)));
    EXPECT_THAT(alone.error().detail, HasSubstr(state));
  }
}

TEST_F(PostgresFaults, CarelessSettingsAreToldAndLowerTheDurability) {
  EXPECT_THAT(open()->notes(), IsEmpty());
  EXPECT_EQ(open()->durability(), Durability::disk);
  const auto lazy = open({}, url() + "%20-csynchronous_commit%3Doff");
  EXPECT_THAT(lazy->notes(), ElementsAre(HasSubstr("synchronous_commit")));
  EXPECT_EQ(lazy->durability(), Durability::os);
  for (const char* name : {"fsync", "full_page_writes"}) {
    const Setting setting(server(), name, "off");
    const auto careless = open();
    EXPECT_THAT(careless->notes(), ElementsAre(HasSubstr(name)));
    EXPECT_EQ(careless->durability(), Durability::os);
  }
}

}  // namespace
}  // namespace scoreline::postgres
