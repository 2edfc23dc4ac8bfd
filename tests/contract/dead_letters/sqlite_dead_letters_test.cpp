#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "adapters/sqlite/sqlite_ledger.h"
#include "contract/dead_letters/dead_letters_contract.h"
#include "support/model_dead_letters.h"
#include "support/scratch_folder.h"

namespace scoreline::ingest {
namespace {

class SqliteHarness final : public DeadLettersHarness {
 public:
  SqliteHarness() { open(); }
  DeadLetters& letters() override { return *letters_; }
  sqlite::SqliteLedger& ledger() { return *ledger_; }
  void reopen() override {
    letters_.reset();
    ledger_.reset();
    open();
  }

 private:
  void open() {
    auto opened = sqlite::SqliteLedger::open(folder_.path() / "data");
    if (!opened) throw std::runtime_error(opened.error().detail);
    ledger_ = std::move(*opened);
    letters_ = ledger_->open_dead_letters().value();
  }
  test::ScratchFolder folder_;
  std::unique_ptr<sqlite::SqliteLedger> ledger_;
  std::unique_ptr<DeadLetters> letters_;
};

class ModelHarness final : public DeadLettersHarness {
 public:
  DeadLetters& letters() override { return letters_; }
  void reopen() override {}

 private:
  test::ModelDeadLetters letters_;
};

INSTANTIATE_TEST_SUITE_P(Model, DeadLettersContract,
                         ::testing::Values(DeadLettersMaker{"model", [] { return std::make_unique<ModelHarness>(); }}));
INSTANTIATE_TEST_SUITE_P(Sqlite, DeadLettersContract,
                         ::testing::Values(DeadLettersMaker{"sqlite",
                                                            [] { return std::make_unique<SqliteHarness>(); }}));

leaderboards::MatchResult result(std::uint8_t number) {
  Uuid match;
  match.bytes[15] = number;
  return {
      leaderboards::LeaderboardName::trusted("main"), match, leaderboards::PlayerId::trusted("a"), {1}, 10, {1'000}};
}

TEST(SqliteDeadLetters, TheLedgerVerifiesWithThemAndWithoutThem) {
  SqliteHarness harness;
  const auto sound = [&] { return harness.ledger().verify(nullptr).value().findings.empty(); };
  ASSERT_TRUE(harness.ledger().append(std::vector{result(1)}));
  ASSERT_TRUE(harness.letters().add(std::vector{letter(1), letter(2)}, kNow));
  ASSERT_TRUE(harness.ledger().append(std::vector{result(2)}));
  EXPECT_TRUE(sound());
  ASSERT_TRUE(harness.letters().refuse_again(std::vector<RefusedAgain>{{1, {Code::conflict, "again", {}, {}}}}));
  ASSERT_TRUE(harness.letters().remove(std::vector<DeadLetterId>{2}));
  EXPECT_TRUE(sound());
  harness.reopen();
  ASSERT_TRUE(harness.ledger().append(std::vector{result(3)}));
  EXPECT_TRUE(sound());
  EXPECT_EQ(harness.ledger().verify(nullptr)->results, 3u);
  EXPECT_EQ(harness.letters().count().value(), 1u);
}

TEST(SqliteDeadLetters, WithoutRoomNoneIsKeptAndLaterAllAre) {
  SqliteHarness harness;
  std::vector<DeadLetter> batch;
  for (int i = 0; i < 200; ++i) batch.push_back(letter(i, std::string(kMaxDeadLetterBytes, 'v')));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{256 * 1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto refused = harness.letters().add(batch, kNow);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::storage_full) << refused.error().detail;
  EXPECT_TRUE(refused.error().retry_after);
  EXPECT_EQ(harness.letters().count().value(), 0U);
  EXPECT_EQ(harness.letters().add(batch, kNow).value(), 200U);
}

TEST(SqliteDeadLetters, WhatWasAddedIsThereAfterTheProcessWasKilled) {
  const test::ScratchFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto ledger = sqlite::SqliteLedger::open(folder.path() / "data").value();
    const auto letters = ledger->open_dead_letters().value();
    const bool added = letters->add(std::vector{letter(1), letter(2)}, kNow).has_value();
    if (added) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto ledger = sqlite::SqliteLedger::open(folder.path() / "data").value();
  const auto letters = ledger->open_dead_letters().value();
  EXPECT_EQ(letters->count().value(), 2u);
  EXPECT_EQ(letters->add(std::vector{letter(1), letter(2), letter(3)}, kNow).value(), 1u);
}

}  // namespace
}  // namespace scoreline::ingest
