#include "leaderboards/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;

class ServiceTest : public testing::Test {
 protected:
  void submit(std::string player, std::int64_t points) { ASSERT_TRUE(world_.submit(std::move(player), points)); }

  test::World world_;
  const BoardRef board_ = world_.board();
};

TEST_F(ServiceTest, ReadsAreNotReadyBeforeTheRebuildAndSayHowFarItIs) {
  test::Process process(world_.ledger, world_.clock, world_.random);
  const auto top = process.service.top(board_, 10);
  ASSERT_FALSE(top);
  EXPECT_EQ(top.error().code, Code::not_ready);
  EXPECT_TRUE(top.error().retry_after);
  EXPECT_FALSE(process.service.place_of(board_, test::player("a")));
  EXPECT_EQ(process.service.put_definition(test::with_rule("x", Rule::sum)).error().code, Code::not_ready);
  test::must(process.service.rebuild());
  EXPECT_TRUE(process.service.top(board_, 10));
}

TEST_F(ServiceTest, ARebuildThatFailsIsToldAndNothingIsEverServed) {
  world_.ledger.fail_scans(Error{Code::damaged, "batch 3 is not what was written", {}, {}});
  test::Process process(world_.ledger, world_.clock, world_.random);
  EXPECT_EQ(process.service.rebuild().error().code, Code::damaged);
  EXPECT_FALSE(process.service.ready());
  EXPECT_EQ(process.service.progress().failure->code, Code::damaged);
  const auto top = process.service.top(board_, 10);
  ASSERT_FALSE(top);
  EXPECT_EQ(top.error().code, Code::not_ready);
  EXPECT_THAT(top.error().detail, testing::HasSubstr("batch 3 is not what was written"));
}

TEST_F(ServiceTest, ProgressCountsTheLedgersRows) {
  submit("a", 1);
  submit("b", 2);
  world_.restart();
  const RebuildProgress progress = world_.service().progress();
  EXPECT_TRUE(progress.ready);
  EXPECT_EQ(progress.results_done, 2U);
  EXPECT_EQ(progress.results_total, 2U);
  EXPECT_FALSE(progress.failure);
}

TEST_F(ServiceTest, ResultsOfALeaderboardThatIsNotDefinedAreDamage) {
  const MatchResult stray{test::leaderboard("stray"), test::match(1), test::player("a"), SeasonId{1}, 1, {}};
  world_.ledger.append({&stray, 1}).value();
  test::Process process(world_.ledger, world_.clock, world_.random);
  EXPECT_EQ(process.service.rebuild().error().code, Code::damaged);
}

TEST_F(ServiceTest, LimitsAreCheckedAndNamed) {
  EXPECT_EQ(world_.service().top(board_, 0).error().field, "limit");
  EXPECT_EQ(world_.service().top(board_, kMaxEntries + 1).error().field, "limit");
  EXPECT_TRUE(world_.service().top(board_, kMaxEntries));
  EXPECT_EQ(world_.service().range(board_, 0, 10).error().field, "from");
  EXPECT_EQ(world_.service().around(board_, test::player("a"), kMaxRadius + 1).error().field, "radius");
  EXPECT_EQ(world_.service().friends(board_, {}).error().field, "playerIds");
  const std::vector<PlayerId> many(kMaxEntries + 1, test::player("a"));
  EXPECT_EQ(world_.service().friends(board_, many).error().code, Code::too_many);
}

TEST_F(ServiceTest, AnAbsentPlayerHasNoPlaceAndNobodyAround) {
  submit("a", 1);
  const auto place = world_.service().place_of(board_, test::player("b"));
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code, Code::not_found);
  EXPECT_EQ(place.error().field, "playerId");
  EXPECT_TRUE(world_.service().around(board_, test::player("b"), 5)->entries.empty());
}

TEST_F(ServiceTest, AnUnknownLeaderboardIsNotAnEmptyBoard) {
  EXPECT_EQ(world_.service().top(world_.board("nope"), 10).error().field, "leaderboard");
}

TEST_F(ServiceTest, AnEmptySeasonIsAnEmptyBoard) {
  const auto page = world_.service().top(board_, 10);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->players, 0U);
  EXPECT_TRUE(page->entries.empty());
}

TEST_F(ServiceTest, WithoutASeasonTheCurrentOneIsMeant) {
  test::must(world_.open_season("main", {SeasonId{12}, test::at("2026-10-01T00:00:00Z"), {}}));
  submit("a", 5);
  EXPECT_THAT(world_.top(BoardRef{"main", std::nullopt}), ElementsAre("a=5"));
  test::must(world_.open_season("main", {SeasonId{13}, test::at("2026-10-12T00:00:00Z"), {}}));
  EXPECT_THAT(world_.top(BoardRef{"main", std::nullopt}), ElementsAre());
}

TEST_F(ServiceTest, FriendsAreRankedAmongThemselvesAndOnTheBoard) {
  for (int i = 0; i < 10; ++i) submit("p" + std::to_string(i), 100 - i);
  const std::vector<PlayerId> asked = {test::player("p7"), test::player("ghost"), test::player("p2"),
                                       test::player("p7"), test::player("absent")};
  const auto friends = world_.service().friends(board_, asked);
  ASSERT_TRUE(friends);
  ASSERT_EQ(friends->entries.size(), 2U);
  EXPECT_EQ(friends->entries[0].rank_among, 1U);
  EXPECT_EQ(friends->entries[0].entry.rank, 3U);
  EXPECT_EQ(friends->entries[0].entry.player.text(), "p2");
  EXPECT_EQ(friends->entries[1].rank_among, 2U);
  EXPECT_EQ(friends->entries[1].entry.rank, 8U);
  EXPECT_THAT(friends->absent, ElementsAre(test::player("ghost"), test::player("absent")));
}

TEST_F(ServiceTest, TheVersionChangesWithTheBoardAndOnlyWithIt) {
  const auto empty = world_.service().version(board_).value();
  submit("a", 5);
  const auto one = world_.service().version(board_).value();
  EXPECT_NE(one, empty);
  submit("a", 4);
  EXPECT_EQ(world_.service().version(board_).value(), one);
  ASSERT_TRUE(world_.service().top(board_, 10));
  EXPECT_EQ(world_.service().version(board_).value(), one);
  submit("a", 6);
  EXPECT_NE(world_.service().version(board_).value(), one);
}

TEST_F(ServiceTest, APercentileIsTheShareAtOrBelow) {
  EXPECT_DOUBLE_EQ(percentile({Entry{1, test::player("a"), {}}, 4}), 100.0);
  EXPECT_DOUBLE_EQ(percentile({Entry{4, test::player("a"), {}}, 4, 3}), 25.0);
  EXPECT_DOUBLE_EQ(percentile({Entry{1, test::player("a"), {}}, 1}), 100.0);
  // Dense: two players share the first rank.
  EXPECT_DOUBLE_EQ(percentile({Entry{2, test::player("a"), {}}, 4, 2}), 50.0);
}

TEST_F(ServiceTest, ARedefinitionWithoutResultsStartsTheBoardsAnew) {
  submit("a", 5);
  submit("b", 7);
  for (const char* const gone : {"a", "b"}) {
    world_.service().erase_player(test::leaderboard("main"), test::player(gone), Ledger::Erase::from_ledger).value();
  }
  Definition upwards = test::with_rule("main", Rule::least);
  ASSERT_TRUE(world_.put(upwards));
  submit("x", 9);
  submit("y", 3);
  EXPECT_THAT(world_.top(), ElementsAre("y=3", "x=9"));
}

TEST_F(ServiceTest, DroppingALeaderboardTakesItsBoardsAlong) {
  world_.put(test::with_rule("runs", Rule::sum)).value();
  ingest::Submission submission = test::World::result("a", 5);
  submission.leaderboard = "runs";
  ASSERT_TRUE(world_.submit(submission));
  EXPECT_EQ(world_.boards(), 1U);
  test::must(world_.service().drop(test::leaderboard("runs")));
  EXPECT_EQ(world_.boards(), 0U);
  EXPECT_EQ(world_.service().top(world_.board("runs"), 10).error().code, Code::not_found);
  world_.restart();
  EXPECT_EQ(world_.service().top(world_.board("runs"), 10).error().code, Code::not_found);
}

}  // namespace
}  // namespace scoreline::leaderboards
