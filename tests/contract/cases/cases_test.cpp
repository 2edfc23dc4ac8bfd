// Faults that leaderboards elsewhere have had, by their numbers in the collection of cases, on every pair of stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "contract/cases/cases_fixture.h"

namespace scoreline::leaderboards {
namespace {

using ingest::Submission;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST_P(CasesTest, C01_EqualPointsRankByTimeWhateverTheIds) {
  submit("zed", 100, t(1));
  submit("bob", 100, t(2));
  submit("amy", 100, t(3));
  expect_order({"zed=100", "bob=100", "amy=100"});
}

TEST_P(CasesTest, C01_EqualPointsRankByTimeWithTheIdsTurnedRound) {
  submit("amy", 100, t(1));
  submit("bob", 100, t(2));
  submit("zed", 100, t(3));
  expect_order({"amy=100", "bob=100", "zed=100"});
}

TEST_P(CasesTest, C02_AResultThatDoesNotImproveKeepsTheTieTime) {
  submit("bob", 100, t(1));
  submit("amy", 100, t(2));
  EXPECT_EQ(submit("bob", 100, t(3)), Outcome::unchanged);
  expect_order({"bob=100", "amy=100"});
  EXPECT_EQ(world_->service().place_of(board_, test::player("bob"))->entry.standing.achieved_at, t(1));
}

TEST_P(CasesTest, C03_AddingZeroChangesNothing) {
  define(Rule::sum);
  submit("a", 20, t(1));
  submit("a", 30, t(5));
  submit("b", 50, t(4));
  EXPECT_EQ(submit("a", 0, t(6)), Outcome::unchanged);
  expect_order({"b=50", "a=50"});
}

TEST_P(CasesTest, C05_ZeroIsAScoreHoweverItIsWritten) {
  int seconds = 0;
  for (const char* const zero : {"0", "0.0", "-0", "-0.0", "0e5"}) {
    Submission submission = test::WorldOver::result(std::string("p") + zero, 0, t(++seconds));
    submission.points = parse_decimal(zero).value();
    EXPECT_EQ(world_->submit(submission)->outcome, Outcome::improved);
  }
  live_and_rebuilt([&] {
    for (const Entry& entry : test::entries(world_->service().top(board_, 10))) EXPECT_EQ(entry.standing.points, 0);
    EXPECT_EQ(world_->service().place_of(board_, test::player("p0"))->entry.rank, 1U);
    EXPECT_EQ(world_->service().place_of(board_, test::player("p0e5"))->entry.rank, 5U);
  });
}

TEST_P(CasesTest, C07_PointsAreExactBeyondWhatADoubleHolds) {
  define(Rule::best, [](Definition& d) { d.min_points = kMin; });
  for (const std::int64_t points : {std::int64_t{9'007'199'254'740'992}, std::int64_t{9'007'199'254'740'993},
                                    std::int64_t{9'007'199'254'740'994}, kMax, kMin}) {
    submit("p" + std::to_string(points), points, t(1));
  }
  expect_order({"p9223372036854775807=9223372036854775807", "p9007199254740994=9007199254740994",
                "p9007199254740993=9007199254740993", "p9007199254740992=9007199254740992",
                "p-9223372036854775808=-9223372036854775808"});
}

TEST_P(CasesTest, C08_AddingOneToABigTotalAddsOne) {
  define(Rule::sum);
  submit("a", 1'009'651'914'519'660'544, t(1));
  EXPECT_EQ(submit("a", 1, t(2)), Outcome::improved);
  expect_order({"a=1009651914519660545"});
}

TEST_P(CasesTest, C08_ATotalBeyond64BitsIsRefusedAndLeavesEverythingAsItWas) {
  define(Rule::sum);
  submit("a", kMax - 10, t(1));
  const Error error = refused(test::WorldOver::result("a", 11, t(2)));
  EXPECT_EQ(error.code, Code::invalid);
  EXPECT_EQ(error.field, "points");
  EXPECT_EQ(stored(), 1U);
  expect_order({"a=" + std::to_string(kMax - 10)});
  EXPECT_EQ(submit("a", 10, t(3)), Outcome::improved);
  expect_order({"a=" + std::to_string(kMax)});
}

TEST_P(CasesTest, C08_ATotalIsHeldToItsRangeWhicheverResultsAreDuplicates) {
  define(Rule::sum, [](Definition& d) { d.min_points = kMin; });
  submit("a", kMin + 5, t(1), test::match(1));
  submit("b", kMax - 5, t(1), test::match(1));
  // With the first of each pair new they would fit; but those are known, and add nothing.
  submit("a", 10, t(2), test::match(2));
  submit("a", -10, t(3), test::match(3));
  submit("b", -10, t(2), test::match(2));
  submit("b", 10, t(3), test::match(3));
  const auto receipts =
      world_->pipeline()
          .submit({test::WorldOver::result("a", 10, t(4), test::match(2)), test::WorldOver::result("a", -8, t(4)),
                   test::WorldOver::result("b", -10, t(4), test::match(2)), test::WorldOver::result("b", 8, t(4))},
                  Ranks::skip)
          .value();
  EXPECT_EQ(receipts[0]->outcome, Outcome::duplicate);
  EXPECT_EQ(receipts[1].error().field, "points");
  EXPECT_EQ(receipts[2]->outcome, Outcome::duplicate);
  EXPECT_EQ(receipts[3].error().field, "points");
  expect_order({"b=" + std::to_string(kMax - 5), "a=" + std::to_string(kMin + 5)});
}

TEST_P(CasesTest, C10_AFractionIsNeverCutOff) {
  for (const char* const fraction : {"5.7", "0.5", "1e-1"}) {
    Submission submission = test::WorldOver::result("a", 0, t(1));
    submission.points = parse_decimal(fraction).value();
    EXPECT_EQ(refused(submission).field, "points");
  }
  EXPECT_EQ(stored(), 0U);
}

TEST_P(CasesTest, C10_AFractionWithinTheScaleIsExact) {
  define(Rule::sum, [](Definition& d) { d.scale = 2; });
  for (const char* const tenth : {"0.1", "0.2", "1.50e-1"}) {
    Submission submission = test::WorldOver::result("a", 0, t(1));
    submission.points = parse_decimal(tenth).value();
    ASSERT_TRUE(world_->submit(submission));
  }
  expect_order({"a=45"});
  Submission finer = test::WorldOver::result("a", 0, t(1));
  finer.points = parse_decimal("0.001").value();
  EXPECT_EQ(refused(finer).field, "points");
}

TEST_P(CasesTest, C11_BelowTheFloorIsRefusedUnlessTheDefinitionLowersIt) {
  const Error error = refused(test::WorldOver::result("a", -1, t(1)));
  EXPECT_EQ(error.field, "points");
  EXPECT_EQ(error.detail, "must be 0..9223372036854775807");

  define(Rule::sum, [](Definition& d) { d.min_points = -1000; });
  submit("a", 10, t(1));
  submit("a", -25, t(2));
  expect_order({"a=-15"});
}

TEST_P(CasesTest, C11_NegativePointsSortAsNumbersDo) {
  define(Rule::latest, [](Definition& d) { d.min_points = -1000; });
  submit("x", -3, t(1));
  submit("y", -1, t(2));
  submit("z", -2, t(3));
  expect_order({"y=-1", "z=-2", "x=-3"});
}

TEST_P(CasesTest, C14_PointsDownAndTimeUp) {
  submit("a", 10, t(50));
  submit("b", 10, t(40));
  submit("c", 11, t(99));
  expect_order({"c=11", "b=10", "a=10"});
}

TEST_P(CasesTest, C16_AThousandWorseResultsChangeNothingButTheLedger) {
  submit("a", 100, t(0));
  submit("b", 80, t(0));
  for (int i = 1; i <= 1000; ++i) EXPECT_EQ(submit("a", 60, t(i)), Outcome::unchanged);
  EXPECT_EQ(stored(), 1002U);
  expect_order({"a=100", "b=80"});
}

TEST_P(CasesTest, C20_AroundHasAsManyAboveAsBelow) {
  for (int i = 1; i <= 30; ++i) submit("p" + std::to_string(i), 1000 - i, t(i));
  live_and_rebuilt([&] {
    const auto page = world_->service().around(board_, test::player("p15"), 5).value();
    ASSERT_EQ(page.entries.size(), 11U);
    EXPECT_EQ(page.players, 30U);
    for (std::size_t i = 0; i < 11; ++i) {
      EXPECT_EQ(page.entries[i].rank, 10 + i);
      EXPECT_EQ(page.entries[i].player.text(), "p" + std::to_string(10 + i));
    }
    EXPECT_EQ(test::entries(world_->service().around(board_, test::player("p1"), 5)).size(), 6U);
    EXPECT_EQ(test::entries(world_->service().around(board_, test::player("p30"), 5)).size(), 6U);
    EXPECT_EQ(test::entries(world_->service().around(board_, test::player("p15"), 0)).size(), 1U);
    EXPECT_EQ(test::entries(world_->service().around(board_, test::player("p15"), 100)).size(), 30U);
  });
}

TEST_P(CasesTest, C22_EveryReadGivesTheSameRank) {
  for (int i = 0; i < 200; ++i) {
    submit("p" + std::to_string(i), static_cast<std::int64_t>(world_->random.below(40)), t(i % 7));
  }
  live_and_rebuilt([&] { expect_all_reads_agree(); });
}

TEST_P(CasesTest, C23_PagesForwardAndBackAreTheSameRows) {
  for (int i = 0; i < 50; ++i) submit("p" + std::to_string(i), i % 9, t(i));
  live_and_rebuilt([&] {
    const auto all = test::entries(world_->service().top(board_, 50));
    for (const std::uint64_t from : {1, 11, 21, 31, 41, 31, 21, 11, 1}) {
      const auto page = test::entries(world_->service().range(board_, from, 10));
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from) - 1;
      EXPECT_EQ(page, std::vector<Entry>(begin, begin + 10));
    }
    EXPECT_THAT(test::entries(world_->service().range(board_, 51, 10)), IsEmpty());
    EXPECT_THAT(test::entries(world_->service().range(board_, std::numeric_limits<std::uint64_t>::max(), 10)),
                IsEmpty());
  });
}

TEST_P(CasesTest, C24_ACursorNeitherSkipsNorRepeatsWhoDidNotMove) {
  for (int i = 1; i <= 50; ++i) submit("p" + std::to_string(i), 1000 - i, t(i));
  std::vector<std::string> seen;
  const auto read = [&](const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) seen.push_back(entry.player.text());
  };
  const auto first = test::entries(world_->service().top(board_, 10));
  read(first);
  submit("p50", 5000, t(100));                       // from behind the cursor to the top
  submit(first.back().player.text(), 6000, t(101));  // and the cursor's own player goes away
  Entry last = first.back();
  for (int page = 0; page < 10; ++page) {
    const auto next = test::entries(world_->service().range_after(board_, last.player, last.standing, 10));
    if (next.empty()) break;
    read(next);
    last = next.back();
  }
  std::vector<std::string> expected;
  for (int i = 1; i <= 49; ++i) expected.push_back("p" + std::to_string(i));
  EXPECT_EQ(seen, expected);
}

TEST_P(CasesTest, C26_AnErasedPlayerIsGoneFromEveryBoardAndStaysGone) {
  for (int season = 1; season <= 40; ++season) {
    for (const auto& [player, points] : {std::pair{"p", 20}, std::pair{"q", 30}, std::pair{"r", 10}}) {
      Submission submission = test::WorldOver::result(player, points, t(1), test::match(7));
      submission.season_id = season;
      submission.match_id = test::match(static_cast<std::uint64_t>(season));
      ASSERT_TRUE(world_->submit(submission));
    }
  }
  EXPECT_EQ(
      world_->service().erase_player(test::leaderboard("main"), test::player("p"), Ledger::Erase::from_boards).value(),
      40U);
  live_and_rebuilt([&] {
    for (int season = 1; season <= 40; ++season) {
      const auto board = world_->board("main", season);
      EXPECT_THAT(world_->top(board), ElementsAre("q=30", "r=10"));
      EXPECT_EQ(world_->service().place_of(board, test::player("r"))->entry.rank, 2U);
    }
  });
  // The old results are still known, so that they cannot come back; a new one counts.
  Submission old = test::WorldOver::result("p", 20, t(1), test::match(3));
  old.season_id = 3;
  EXPECT_EQ(world_->submit(old)->outcome, Outcome::duplicate);
  old.match_id = test::match(1000);
  EXPECT_EQ(world_->submit(old)->outcome, Outcome::improved);
  EXPECT_THAT(world_->top(world_->board("main", 3)), ElementsAre("q=30", "p=20", "r=10"));
}

TEST_P(CasesTest, C26_ASumStartsFromNothingAfterAnErasure) {
  define(Rule::sum);
  submit("p", 50, t(1));
  world_->service().erase_player(test::leaderboard("main"), test::player("p"), Ledger::Erase::from_boards).value();
  EXPECT_EQ(submit("p", 5, t(2)), Outcome::improved);
  expect_order({"p=5"});
}

TEST_P(CasesTest, C30_ASeasonThatEndedLongAgoTakesNothingAndCostsNothing) {
  test::must(world_->open_season("main", {SeasonId{12}, t(-86'400 * 30), t(-86'400)}));
  const std::size_t before = stores_->boards();
  const Error error = refused(test::WorldOver::result("a", 5, t(-86'401)));
  EXPECT_EQ(error.code, Code::conflict);
  EXPECT_EQ(error.field, "seasonId");
  EXPECT_EQ(stored(), 0U);
  EXPECT_EQ(stores_->boards(), before);
}

TEST_P(CasesTest, C30_ReadsOfSeasonsNobodyPlayedCostNothing) {
  for (std::int32_t season = 1; season < 1000; ++season) {
    const auto board = world_->board("main", season);
    EXPECT_TRUE(world_->service().top(board, 10));
    EXPECT_FALSE(world_->service().place_of(board, test::player("a")));
    EXPECT_TRUE(world_->service().around(board, test::player("a"), 5));
    EXPECT_TRUE(world_->service().range_after(board, test::player("a"), {}, 5));
    EXPECT_TRUE(world_->service().version(board));
    const std::vector<PlayerId> players = {test::player("a")};
    EXPECT_TRUE(world_->service().friends(board, players));
  }
  EXPECT_EQ(stores_->boards(), 0U);
}

TEST_P(CasesTest, C40_AResultSentThreeTimesCountsOnceForEver) {
  define(Rule::sum);
  EXPECT_EQ(submit("a", 50, t(1), test::match(1)), Outcome::improved);
  EXPECT_EQ(submit("a", 50, t(1), test::match(1)), Outcome::duplicate);
  EXPECT_EQ(submit("a", 70, t(2), test::match(1)), Outcome::duplicate);
  world_->restart();
  EXPECT_EQ(submit("a", 50, t(1), test::match(1)), Outcome::duplicate);
  expect_order({"a=50"});
}

TEST_P(CasesTest, C40_AMatchSentAgainWithOtherContentIsToldAndTheFirstCounts) {
  for (const Rule rule : {Rule::best, Rule::sum}) {
    Definition definition = test::with_rule(rule == Rule::sum ? "runs" : "main", rule);
    ASSERT_TRUE(world_->put(definition));
    const auto conflict = [&](std::int64_t points, std::optional<Timestamp> when, std::int64_t season = 12) {
      auto submission = test::WorldOver::result("a", points, when, test::match(1));
      submission.leaderboard = definition.name.text();
      submission.season_id = season;
      const auto receipt = world_->submit(submission).value();
      return receipt.outcome == Outcome::duplicate && receipt.conflict;
    };
    EXPECT_FALSE(conflict(50, Timestamp{t(1).ms + 7}));
    EXPECT_FALSE(conflict(50, Timestamp{t(1).ms + 7}));
    EXPECT_FALSE(conflict(50, {}));
    EXPECT_TRUE(conflict(70, {}));
    EXPECT_TRUE(conflict(50, t(1)));
    EXPECT_TRUE(conflict(50, Timestamp{t(1).ms + 7}, 13));
    EXPECT_EQ(world_->top(world_->board(definition.name.text())), std::vector<std::string>{"a=50"});
  }
}

TEST_P(CasesTest, C42_TheOrderOfArrivalDoesNotShow) {
  define(Rule::latest);
  submit("a", 2, t(2));
  EXPECT_EQ(submit("a", 1, t(1)), Outcome::unchanged);
  expect_order({"a=2"});
}

TEST_P(CasesTest, C42_ATieGoesToWhoPlayedEarlierEvenIfHeardOfLater) {
  submit("late", 100, t(9));
  submit("early", 100, t(1));
  expect_order({"early=100", "late=100"});
  EXPECT_EQ(submit("late", 100, t(0)), Outcome::improved);
  expect_order({"late=100", "early=100"});
}

TEST_P(CasesTest, C44_RanksBeforeAndAfterAreInTheBoardsDirection) {
  define(Rule::least);
  submit("a", 10, t(1));
  submit("b", 20, t(1));
  const auto c = world_->submit("c", 30, t(1)).value();
  EXPECT_EQ(c.previous_rank, std::nullopt);
  EXPECT_EQ(c.rank, 3U);
  const auto again = world_->submit("c", 5, t(2)).value();
  EXPECT_EQ(again.previous_rank, 3U);
  EXPECT_EQ(again.rank, 1U);
  const auto worse = world_->submit("c", 50, t(3)).value();
  EXPECT_EQ(worse.outcome, Outcome::unchanged);
  EXPECT_EQ(worse.previous_rank, 1U);
  EXPECT_EQ(worse.rank, 1U);
  EXPECT_EQ(worse.standing, (Standing{5, t(2)}));
}

TEST_P(CasesTest, C48_IdsAreBytesThatComeBackAsTheyWent) {
  const std::vector<std::string> ids = {"a:b", "a b", "José", "x", "X", std::string(128, 'y'), "{s12}", "*", "😀"};
  std::int64_t points = 100;
  for (const std::string& id : ids) submit(id, --points, t(1));
  live_and_rebuilt([&] {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(world_->service().place_of(board_, test::player(ids[i]))->entry.rank, i + 1);
    }
  });
  EXPECT_EQ(refused(test::WorldOver::result(std::string(129, 'y'), 1)).field, "playerId");
  EXPECT_EQ(refused(test::WorldOver::result("", 1)).field, "playerId");
  EXPECT_EQ(refused(test::WorldOver::result("a\nb", 1)).field, "playerId");
}

INSTANTIATE_TEST_SUITE_P(Stores, CasesTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
