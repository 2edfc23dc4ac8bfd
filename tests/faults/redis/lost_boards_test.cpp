// Boards that the server lost, as a whole or in part, or that it brought back from an earlier time.
#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class LostBoards : public IndexFaults {};
ON_EVERY_SERVER(LostBoards);

TEST_P(LostBoards, ABoardThatNobodyLoadedIsNotReadyAndNotEmpty) {
  fill_ledger();
  expect_lost_and_healed();
}

TEST_P(LostBoards, ServerRestartedEmptyIsNotAnEmptyBoard) {
  load_some();
  server_->crash();
  for (const Told& told : ask_everything(index(), board_, offer("p3", 13))) {
    EXPECT_TRUE(told.error) << told.call;
  }
  server_->start();
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_) && other().is_loaded(board_); }));
  expect_lost_and_healed();
}

TEST_P(LostBoards, FlushAndDeletedKeysAreSeenAtTheNextCall) {
  load_some();
  std::vector<std::string> faults = {"FLUSHALL",
                                     "DEL lb:{s12}:meta",
                                     "DEL lb:{s12}",
                                     "UNLINK lb:{s12} lb:{s12}:meta",
                                     "RENAME lb:{s12} other",
                                     "PEXPIRE lb:{s12} 1",
                                     "PEXPIRE lb:{s12}:meta 1"};
  if (board_.key == KeyKind::wide) faults.emplace_back("DEL lb:{s12}:prefixes");
  for (const std::string& fault : faults) {
    SCOPED_TRACE(fault);
    admin(fault);
    if (fault.starts_with("PEXPIRE")) {
      ASSERT_TRUE(eventually([&] { return admin("EXISTS " + words_of(fault)[1]) == "0"; }));
    }
    expect_lost_and_healed();
  }
}

TEST_P(LostBoards, AServerThatComesBackWithADumpIsNotBelieved) {
  load_some();
  ASSERT_EQ(admin("SAVE"), "OK");
  ASSERT_TRUE(submit(index(), "late", 100).value());
  server_->crash();
  server_->start();
  ASSERT_EQ(admin("EXISTS lb:{s12} lb:{s12}:meta"), "2");  // all there, and one result short
  // The node that has not seen the late result is asked first.
  ASSERT_TRUE(eventually([&] { return other().is_loaded(board_).has_value(); }));
  EXPECT_EQ(code_of(other().range(board_, 1, 10)), Code::not_ready);
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_).has_value(); }));
  expect_lost_and_healed();
}

TEST_P(LostBoards, AnotherRunIsNotBelievedEvenWithEverythingInPlace) {
  load_some();
  ASSERT_EQ(admin("SAVE"), "OK");
  server_->crash();
  server_->start();
  other_.emplace(url());  // a node that has seen nothing before
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_).has_value(); }));
  expect_lost_and_healed();
}

TEST_P(LostBoards, AnEarlierStateOfTheSameRunIsSeenByTheNodeThatKnewBetterAndThenByAll) {
  load_some();
  const auto copy = [&](const std::string& from, const std::string& to) {
    for (const std::string key : {"", ":meta", ":prefixes"}) {
      admin("COPY " + from + key + " " + to + key + " REPLACE");
    }
  };
  copy("lb:{s12}", "kept{s12}");
  ASSERT_TRUE(submit(index(), "late", 100).value());
  copy("kept{s12}", "lb:{s12}");
  EXPECT_EQ(code_of(index().range(board_, 1, 10)), Code::not_ready);
  expect_lost_and_healed();
}

TEST_P(LostBoards, ABoardOfAnotherLedgerOrDefinitionIsNotBelieved) {
  load_some();
  RedisNode stranger(url(), {.epoch = "another ledger"});
  EXPECT_EQ(code_of(stranger.index->range(board_, 1, 10)), Code::not_ready);
  Board changed = board_;
  changed.ties = leaderboards::Ties::last;
  EXPECT_EQ(code_of(index().range(changed, 1, 10)), Code::not_ready);
  expect_right();
}

}  // namespace
}  // namespace scoreline::test
