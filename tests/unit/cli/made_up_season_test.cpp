#include "cli/made_up_season.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/decimal.h"

namespace scoreline::cli {
namespace {

TEST(MadeUpSeason, IsTheSameFromTheSameSeed) {
  ManualClock clock;
  SeededRandom one(7);
  SeededRandom two(7);
  MadeUpSeason first(clock, one, {.players = 50});
  MadeUpSeason second(clock, two, {.players = 50});
  for (int i = 0; i < 100; ++i) {
    const auto a = first.next_match();
    const auto b = second.next_match();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) {
      EXPECT_EQ(a[j].player_id, b[j].player_id);
      EXPECT_EQ(a[j].points, b[j].points);
    }
  }
}

TEST(MadeUpSeason, HasTiesAndDuplicatesAndNobodyTwiceInAMatch) {
  ManualClock clock;
  SeededRandom random(1);
  MadeUpSeason season(clock, random, {.players = 320});
  std::map<Uuid, int> told;
  std::map<std::int64_t, int> by_points;
  std::set<std::string> players;
  for (int i = 0; i < 2'000; ++i) {
    const auto match = season.next_match();
    ASSERT_GE(match.size(), 2U);
    ASSERT_LE(match.size(), 8U);
    ++told[match[0].match_id.value()];
    std::set<std::string> in_match;
    for (const auto& result : match) {
      EXPECT_TRUE(in_match.insert(result.player_id).second);
      EXPECT_TRUE(leaderboards::PlayerId::parse(result.player_id).has_value());
      const auto points = to_scaled(result.points, 0).value();
      EXPECT_GE(points, 1);
      ++by_points[points];
      players.insert(result.player_id);
    }
  }
  EXPECT_EQ(players.size(), 320U);
  EXPECT_LT(told.size(), 2'000U);
  EXPECT_LT(by_points.size(), 40U);
  for (const auto& [id, times] : told) EXPECT_LE(times, 2);
}

TEST(MadeUpSeason, HasMatchesOfTheSizeAskedForAndMorePlayersThanNames) {
  ManualClock clock;
  SeededRandom random(1);
  MadeUpSeason season(clock, random,
                      {.players = 5'000, .season = 12, .smallest_match = 4, .largest_match = 4, .told_twice = 0});
  std::set<Uuid> matches;
  std::set<std::string> players;
  for (int i = 0; i < 20'000; ++i) {
    const auto match = season.next_match();
    ASSERT_EQ(match.size(), 4U);
    EXPECT_TRUE(matches.insert(match[0].match_id.value()).second);
    EXPECT_EQ(match[0].season_id, 12);
    for (const auto& result : match) players.insert(result.player_id);
  }
  EXPECT_EQ(players.size(), 5'000U);
}

}  // namespace
}  // namespace scoreline::cli
