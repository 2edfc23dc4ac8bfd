// Only the public header, as a user's program has it: first, so that it needs nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <scoreline/scoreline.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"

namespace {

using scoreline::Failure;
using scoreline::LeaderboardOptions;
using scoreline::MatchResult;
using scoreline::Outcome;
using scoreline::Rule;
using scoreline::Scoreline;
using scoreline::Time;
using testing::ElementsAre;

class LibraryTest : public testing::Test {
 protected:
  static std::vector<std::string> lines(const std::vector<scoreline::Entry>& entries) {
    std::vector<std::string> lines;
    for (const auto& entry : entries) {
      lines.push_back(std::to_string(entry.rank) + " " + entry.player + " " + std::to_string(entry.points));
    }
    return lines;
  }
  static std::string code_of(const std::function<void()>& call, std::string* field = nullptr) {
    try {
      call();
    } catch (const Failure& failure) {
      if (field != nullptr) *field = failure.field();
      return failure.code();
    }
    return "no failure";
  }

  scoreline::test::ScratchFolder folder_;
};

TEST_F(LibraryTest, TheArticlesExample) {
  auto scoreline = scoreline::Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main", {.rule = scoreline::Rule::sum});
  board.add_points("alice", 120);
  board.add_points("bob", 95);
  board.add_points("carol", 130);
  board.add_points("bob", 60);
  EXPECT_THAT(lines(board.top(3)), ElementsAre("1 bob 155", "2 carol 130", "3 alice 120"));
  EXPECT_EQ(board.rank_of("alice"), 3U);
  EXPECT_EQ(board.rank_of("dave"), std::nullopt);
}

TEST_F(LibraryTest, WhatWasSubmittedIsThereTheNextTime) {
  {
    auto scoreline = Scoreline::open(folder_.path());
    auto board = scoreline.leaderboard("main").season(12);
    board.add_points("alice", 120);
  }
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  EXPECT_EQ(board.season(12).size(), 1U);
  EXPECT_EQ(board.season(13).size(), 0U);
  EXPECT_EQ(board.size(), 1U);  // 12 is the only season, so it is the current one
}

TEST_F(LibraryTest, AHandleKeepsTheFolderOpen) {
  auto board = Scoreline::open(folder_.path()).leaderboard("main");
  EXPECT_EQ(board.add_points("alice", 1).rank, 1U);
  EXPECT_EQ(code_of([&] { Scoreline::open(folder_.path()); }), "locked");
}

TEST_F(LibraryTest, AMatchCountsOnce) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main", {.rule = Rule::sum});
  const MatchResult result{"alice", 50, "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6", Time{std::chrono::hours{1}}};
  EXPECT_EQ(board.submit(result).outcome, Outcome::improved);
  const auto again = board.submit(result);
  EXPECT_EQ(again.outcome, Outcome::duplicate);
  EXPECT_EQ(again.points, 50);
  EXPECT_EQ(board.find("alice")->achieved_at, Time{std::chrono::hours{1}});
}

TEST_F(LibraryTest, ManyAtOnceAreAnsweredOneByOne) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  const std::vector<MatchResult> results = {
      {"alice", 5, {}, {}}, {"bob", -1, {}, {}}, {"carol", 7, "no uuid", {}}, {"alice", 3, {}, {}}};
  const auto answers = board.submit(results);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].receipt->outcome, Outcome::improved);
  EXPECT_EQ(answers[1].rejected->field(), "points");
  EXPECT_EQ(answers[2].rejected->field(), "matchId");
  EXPECT_EQ(answers[3].receipt->outcome, Outcome::unchanged);
  EXPECT_EQ(board.size(), 1U);
  EXPECT_EQ(code_of([&] { board.submit(std::vector<MatchResult>{}); }), "invalid");
}

TEST_F(LibraryTest, EqualsMayShareARank) {
  auto scoreline = Scoreline::open(folder_.path());
  const Time at{std::chrono::milliseconds{1'000}};
  const std::vector<MatchResult> results = {
      {"a", 9, {}, at}, {"b", 7, {}, at + std::chrono::milliseconds{1}}, {"c", 7, {}, at}, {"d", 5, {}, at}};
  auto shared = scoreline.leaderboard("shared", {.ties = scoreline::Ties::shared});
  shared.submit(results);
  EXPECT_THAT(lines(shared.top(4)), ElementsAre("1 a 9", "2 c 7", "2 b 7", "4 d 5"));
  auto dense = scoreline.leaderboard("dense", {.ties = scoreline::Ties::dense});
  dense.submit(results);
  EXPECT_THAT(lines(dense.top(4)), ElementsAre("1 a 9", "2 c 7", "2 b 7", "3 d 5"));
}

TEST_F(LibraryTest, EveryReadOfABoard) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("races", {.rule = Rule::least});
  for (int i = 1; i <= 9; ++i) board.add_points("p" + std::to_string(i), i * 10);
  EXPECT_THAT(lines(board.top(2)), ElementsAre("1 p1 10", "2 p2 20"));
  EXPECT_THAT(lines(board.range(8, 10)), ElementsAre("8 p8 80", "9 p9 90"));
  EXPECT_THAT(lines(board.around("p5", 1)), ElementsAre("4 p4 40", "5 p5 50", "6 p6 60"));
  EXPECT_TRUE(board.around("nobody").empty());
  EXPECT_EQ(board.count_above(50), 4U);
  EXPECT_THAT(lines(board.between(20, 40)), ElementsAre("2 p2 20", "3 p3 30", "4 p4 40"));
  EXPECT_EQ(board.at_rank(3)->player, "p3");
  EXPECT_EQ(board.at_rank(10), std::nullopt);
  const std::vector<std::string> friends = {"p9", "nobody", "p1", "p9"};
  const auto found = board.find(friends);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0]->rank, 9U);
  EXPECT_EQ(found[1], std::nullopt);
  EXPECT_EQ(found[2]->rank, 1U);
  EXPECT_EQ(found[3]->rank, 9U);
}

TEST_F(LibraryTest, ScaledPointsAreInTheSmallestUnit) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("laps", {.rule = Rule::sum, .scale = 3});
  board.add_points("a", 1500);
  board.add_points("a", 0);
  board.add_points("a", 1);
  EXPECT_EQ(board.find("a")->points, 1501);
}

TEST_F(LibraryTest, FailuresSayWhatIsWrong) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  std::string field;
  EXPECT_EQ(code_of([&] { scoreline.leaderboard("nope"); }, &field), "not_found");
  EXPECT_EQ(field, "leaderboard");
  EXPECT_EQ(code_of([&] { board.add_points("", 1); }, &field), "invalid");
  EXPECT_EQ(field, "playerId");
  EXPECT_EQ(code_of([&] { board.top(0); }, &field), "invalid");
  EXPECT_EQ(field, "limit");
  EXPECT_EQ(code_of([&] { board.season(-1); }, &field), "invalid");
  EXPECT_EQ(field, "seasonId");
  board.add_points("alice", 1);
  EXPECT_EQ(code_of([&] { scoreline.leaderboard("main", {.rule = Rule::sum}); }, &field), "conflict");
  EXPECT_EQ(field, "rule");
}

TEST_F(LibraryTest, AnErasedPlayerIsGone) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  board.add_points("alice", 5);
  board.add_points("bob", 4);
  scoreline.erase_player("main", "alice");
  EXPECT_THAT(lines(board.top(10)), ElementsAre("1 bob 4"));
}

TEST_F(LibraryTest, AHiddenPlayerComesBackAndAVoidMatchDoesNot) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  const std::string match = "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6";
  board.submit(MatchResult{"alice", 50, match});
  board.add_points("alice", 5);
  board.add_points("bob", 40);
  EXPECT_TRUE(scoreline.hide_player("main", "bob", "aimbot"));
  EXPECT_FALSE(scoreline.hide_player("main", "bob"));
  EXPECT_THAT(lines(board.top(10)), ElementsAre("1 alice 50"));
  EXPECT_TRUE(scoreline.restore_player("main", "bob"));
  EXPECT_THAT(lines(board.top(10)), ElementsAre("1 alice 50", "2 bob 40"));
  EXPECT_EQ(scoreline.void_match("main", match), 1u);
  EXPECT_EQ(scoreline.void_match("main", match), 0u);
  EXPECT_THAT(lines(board.top(10)), ElementsAre("1 bob 40", "2 alice 5"));
  std::string field;
  EXPECT_EQ(code_of([&] { scoreline.void_match("main", "7"); }, &field), "invalid");
  EXPECT_EQ(field, "matchId");
  EXPECT_EQ(code_of([&] { scoreline.hide_player("nowhere", "bob"); }, &field), "not_found");
  EXPECT_EQ(field, "leaderboard");
}

TEST_F(LibraryTest, ASeasonIsOpenedClosedAndReadFromItsArchive) {
  using scoreline::SeasonState;
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main").season(3);
  const Time start{std::chrono::sys_days{std::chrono::year{2025} / 1 / 1}};
  scoreline.open_season("main", 3, start);
  EXPECT_EQ(code_of([&] { scoreline.open_season("main", 3); }), "conflict");
  board.add_points("alice", 5);
  board.add_points("bob", 7);
  EXPECT_TRUE(scoreline.archive("main", 3).empty());
  const auto season = [&] { return scoreline.seasons("main").front(); };
  EXPECT_EQ(season().start, start);
  EXPECT_EQ(season().state, SeasonState::open);
  scoreline.close_season("main", 3);
  for (int i = 0; i < 1'000 && season().state != SeasonState::closed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  EXPECT_EQ(season().state, SeasonState::closed);
  EXPECT_EQ(season().players, 2u);
  EXPECT_TRUE(season().end);
  EXPECT_THAT(lines(scoreline.archive("main", 3)), ElementsAre("1 bob 7", "2 alice 5"));
  EXPECT_THAT(lines(scoreline.archive("main", 3, 2, 1)), ElementsAre("2 alice 5"));
  EXPECT_EQ(board.rank_of("alice"), 2u);
  EXPECT_NE(code_of([&] { board.add_points("alice", 9); }), "no failure");
  std::string field;
  EXPECT_EQ(code_of([&] { scoreline.archive("main", 3, 0); }, &field), "invalid");
  EXPECT_EQ(field, "from");
}

TEST_F(LibraryTest, TheDistributionCountsEverybody) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main");
  for (int i = 0; i < 10; ++i) board.add_points("player" + std::to_string(i), i);
  const auto spread = board.distribution(2);
  EXPECT_EQ(spread.players, 10U);
  ASSERT_EQ(spread.buckets.size(), 2U);
  EXPECT_EQ(spread.buckets[0].low, 0);
  EXPECT_EQ(spread.buckets[0].count, 5U);
  EXPECT_EQ(spread.buckets[1].high, 9);
  EXPECT_EQ(spread.cuts.count(50), 1U);
  std::string field;
  EXPECT_EQ(code_of([&] { board.distribution(0); }, &field), "invalid");
  EXPECT_EQ(field, "buckets");
}

TEST_F(LibraryTest, APlayerIsOnTheBoardsOfTheSeasonAndOfTheDay) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main", {.days = true});
  board.add_points("alice", 5);
  board.add_points("bob", 7);
  EXPECT_THAT(lines(board.period("day").top(10)), ElementsAre("1 bob 7", "2 alice 5"));
  const auto places = scoreline.places_of("main", "alice");
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].period, "season");
  EXPECT_EQ(places[1].period.substr(0, 4), "day:");
  for (const auto& place : places) {
    EXPECT_EQ(place.entry.rank, 2u);
    EXPECT_EQ(place.players, 2u);
  }
  std::string field;
  EXPECT_EQ(code_of([&] { board.period("day:2026-02-30").top(1); }, &field), "invalid");
  EXPECT_EQ(field, "period");
  EXPECT_EQ(code_of([&] { board.period("week").top(1); }, &field), "not_found");
  EXPECT_EQ(field, "period");
}

TEST_F(LibraryTest, CriteriaDecideAmongTheSamePoints) {
  auto scoreline = Scoreline::open(folder_.path());
  auto board = scoreline.leaderboard("main", {.max_points = 1000,
                                              .criteria = {{.name = "winRate", .max = 1000, .scale = 1},
                                                           {"matches", scoreline::Order::ascending, 1, 500}}});
  const auto submit = [&](std::string player, std::int64_t rate, std::int64_t matches) {
    return board.submit({.player = std::move(player),
                         .points = 130,
                         .match_id = {},
                         .achieved_at = {},
                         .criteria = {{"winRate", rate}, {"matches", matches}}});
  };
  submit("alice", 615, 40);
  submit("bob", 615, 12);
  submit("carol", 620, 500);
  EXPECT_THAT(lines(board.top(3)), ElementsAre("1 carol 130", "2 bob 130", "3 alice 130"));
  EXPECT_THAT(board.top(1)[0].criteria, ElementsAre(testing::Pair("matches", 500), testing::Pair("winRate", 620)));
  std::string field;
  EXPECT_EQ(code_of([&] { submit("dave", 1001, 1); }, &field), "invalid");
  EXPECT_EQ(field, "criteria.winRate");
  scoreline.close_season("main", 1);
  for (int i = 0; i < 1'000 && scoreline.seasons("main")[0].state != scoreline::SeasonState::closed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  EXPECT_EQ(scoreline.archive("main", 1).at(1).criteria.at("matches"), 12);
  EXPECT_EQ(scoreline.places_of("main", "bob").at(0).entry.criteria.at("winRate"), 615);
}

}  // namespace
