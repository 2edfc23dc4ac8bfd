// Players hidden, restored and erased, and matches voided, on every pair of stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contract/cases/cases_fixture.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ModerationCasesTest : public CasesTest {
 protected:
  bool hide(const std::string& player) {
    return world_->service().hide_player(kMain, test::player(player), {"eve", "cheats"}).value();
  }
  bool restore(const std::string& player) {
    return world_->service().restore_player(kMain, test::player(player)).value();
  }
  std::uint64_t void_match(int number) {
    return world_->service().void_match(kMain, test::match(static_cast<std::uint64_t>(number))).value();
  }
  Timestamp time_of(const std::string& player) {
    return world_->service().place_of(board_, test::player(player))->entry.standing.achieved_at;
  }

  const LeaderboardName kMain = test::leaderboard("main");
};

TEST_P(ModerationCasesTest, C28_HidingIsAtOnceAndRestoringBringsBackScoreAndTieTimeUnderEveryRule) {
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    SCOPED_TRACE(to_string(rule));
    define(rule);
    const bool ascending = rule == Rule::least;
    submit("top", ascending ? 10 : 300, t(1));
    submit("Q", 80, t(2));
    submit("Q", 120, t(3));
    if (rule == Rule::least || rule == Rule::sum) submit("Q", rule == Rule::sum ? 0 : 80, t(5));
    submit("low", ascending ? 400 : 50, t(4));
    const auto before = world_->service().top(board_, 10).value().entries;
    ASSERT_EQ(before.size(), 3u);
    ASSERT_EQ(before[1].player.text(), "Q");

    EXPECT_TRUE(hide("Q"));
    EXPECT_FALSE(hide("Q"));
    live_and_rebuilt([&] {
      const auto page = world_->service().top(board_, 10).value();
      EXPECT_EQ(page.players, 2u);
      EXPECT_EQ(page.entries.back().rank, 2u);
      const auto place = world_->service().place_of(board_, test::player("Q"));
      ASSERT_FALSE(place);
      EXPECT_EQ(place.error().code, Code::not_found);
      expect_all_reads_agree();
    });
    EXPECT_TRUE(restore("Q"));
    EXPECT_FALSE(restore("Q"));
    live_and_rebuilt([&] {
      EXPECT_EQ(world_->service().top(board_, 10).value().entries, before);
      expect_all_reads_agree();
    });
    test::must(world_->service().drop(kMain));
  }
}

TEST_P(ModerationCasesTest, C28_WhatComesWhileHiddenIsRecordedAndCountsOnceRestored) {
  for (const Rule rule : {Rule::best, Rule::sum}) {
    SCOPED_TRACE(to_string(rule));
    define(rule);
    submit("a", 100, t(1), test::match(1));
    submit("b", 100, t(2));
    hide("a");
    const auto receipt = world_->submit("a", 150, t(3), test::match(2)).value();
    EXPECT_EQ(receipt.outcome, Outcome::unchanged);
    EXPECT_FALSE(receipt.rank);
    EXPECT_EQ(submit("a", 150, t(3), test::match(2)), Outcome::duplicate);
    EXPECT_EQ(submit("a", 100, t(1), test::match(1)), Outcome::duplicate);
    expect_order({"b=100"});
    restore("a");
    expect_order({rule == Rule::sum ? "a=250" : "a=150", "b=100"});
    EXPECT_EQ(time_of("a"), t(3));
    test::must(world_->service().drop(kMain));
  }
}

TEST_P(ModerationCasesTest, C28_HidingIsOnEverySeasonAndOnThatLeaderboardOnly) {
  ASSERT_TRUE(world_->put(test::with_rule("other", Rule::best)));
  for (const int season : {1, 2, 3}) {
    for (const char* const leaderboard : {"main", "other"}) {
      auto submission = test::WorldOver::result("p", 10, t(1));
      submission.leaderboard = leaderboard;
      submission.season_id = season;
      test::must(world_->submit(submission).map([](const auto&) {}));
    }
  }
  hide("p");
  live_and_rebuilt([&] {
    for (const int season : {1, 2, 3}) {
      EXPECT_THAT(world_->top(world_->board("main", season)), IsEmpty());
      EXPECT_THAT(world_->top(world_->board("other", season)), ElementsAre("p=10"));
    }
  });
}

TEST_P(ModerationCasesTest, C26_AnErasedPlayerStaysErasedAndAHiddenOneHiddenAfterARebuild) {
  submit("erased", 100, t(1));
  submit("hidden", 90, t(2));
  submit("stays", 80, t(3));
  ASSERT_TRUE(world_->service().erase_player(kMain, test::player("erased"), Ledger::Erase::from_boards));
  hide("hidden");
  test::must(world_->service().maker().make(world_->service().resolve(board_).value(), [](ScanProgress) {}));
  expect_order({"stays=80"});
  restore("erased");
  expect_order({"stays=80"});
}

TEST_P(ModerationCasesTest, C46_AmongFriendsTheBannedOneIsAbsent) {
  for (int i = 0; i < 20; ++i) submit("f" + std::to_string(i), 1000 - i, t(i));
  hide("f3");
  live_and_rebuilt([&] {
    const std::vector<PlayerId> asked{test::player("f7"), test::player("gone"), test::player("f3"), test::player("f1")};
    const auto friends = world_->service().friends(board_, asked).value();
    ASSERT_EQ(friends.entries.size(), 2u);
    EXPECT_EQ(friends.entries[0].entry.player.text(), "f1");
    EXPECT_EQ(friends.entries[0].entry.rank, 2u);
    EXPECT_EQ(friends.entries[1].entry.player.text(), "f7");
    EXPECT_EQ(friends.entries[1].rank_among, 2u);
    EXPECT_EQ(friends.entries[1].entry.rank, 7u);
    EXPECT_THAT(friends.absent, ElementsAre(test::player("gone"), test::player("f3")));
  });
}

TEST_P(ModerationCasesTest, ABoardOfThePastShowsNobodyWhoIsHiddenNow) {
  submit("a", 100, t(1));
  submit("b", 90, t(2));
  BoardRef past = board_;
  past.as_of = t(10);
  EXPECT_THAT(world_->top(past), ElementsAre("a=100", "b=90"));
  hide("a");
  EXPECT_THAT(world_->top(past), ElementsAre("b=90"));
  restore("a");
  EXPECT_THAT(world_->top(past), ElementsAre("a=100", "b=90"));
}

TEST_P(ModerationCasesTest, AVoidMatchTakesItsPlayersDownUnderEveryRule) {
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    SCOPED_TRACE(to_string(rule));
    define(rule);
    const bool ascending = rule == Rule::least;
    submit("a", ascending ? 50 : 10, t(1), test::match(1));
    submit("b", ascending ? 40 : 20, t(2), test::match(1));
    submit("c", 30, t(3), test::match(2));
    submit("a", ascending ? 5 : 90, t(4), test::match(3));
    submit("d", ascending ? 6 : 80, t(4), test::match(3));
    EXPECT_EQ(void_match(3), 2u);
    EXPECT_EQ(void_match(3), 0u);
    expect_order(ascending ? std::vector<std::string>{"c=30", "b=40", "a=50"}
                           : std::vector<std::string>{"c=30", "b=20", "a=10"});
    EXPECT_EQ(time_of("a"), t(1));
    // The id stays taken: for who was in it, and for who comes late.
    EXPECT_EQ(submit("a", ascending ? 5 : 90, t(4), test::match(3)), Outcome::duplicate);
    EXPECT_EQ(submit("e", ascending ? 5 : 90, t(4), test::match(3)), Outcome::duplicate);
    EXPECT_EQ(world_->top().size(), 3u);
    test::must(world_->service().drop(kMain));
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, ModerationCasesTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
