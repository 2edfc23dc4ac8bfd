#include "leaderboards/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

using Results = std::vector<std::pair<std::int64_t, std::int64_t>>;  // points, milliseconds

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Board board(Rule rule, KeyKind key = KeyKind::wide, Order order = Order::descending) {
  return Board{{test::leaderboard("main"), SeasonId{1}}, rule, order, Ties::first, key, Timestamp{}};
}

/// The standing that the results make in this order and in every other.
std::optional<Standing> folded(const Board& of, Results results) {
  std::sort(results.begin(), results.end());
  std::optional<Standing> standing;
  do {
    Fold fold(of);
    for (const auto& [points, ms] : results) fold.add({points, Timestamp{ms}});
    if (standing) {
      EXPECT_EQ(fold.standing(), standing);
    }
    standing = fold.standing();
  } while (std::next_permutation(results.begin(), results.end()));
  return standing;
}

Standing standing(std::int64_t points, std::int64_t ms) { return {points, Timestamp{ms}}; }

TEST(BestTest, KeepsTheHighestAndTheEarliestTimeItWasReached) {
  EXPECT_EQ(folded(board(Rule::best), {{100, 30}, {120, 50}, {120, 40}, {60, 10}}), standing(120, 40));
}

TEST(LeastTest, KeepsTheLowestAndTheEarliestTimeItWasReached) {
  EXPECT_EQ(folded(board(Rule::least), {{100, 30}, {60, 50}, {60, 40}, {120, 10}}), standing(60, 40));
}

TEST(LatestTest, KeepsTheOneAchievedLast) {
  EXPECT_EQ(folded(board(Rule::latest), {{100, 30}, {5, 50}, {120, 40}}), standing(5, 50));
}

TEST(LatestTest, AtOneInstantTheBetterOneForTheBoardCounts) {
  EXPECT_EQ(folded(board(Rule::latest), {{100, 30}, {5, 30}}), standing(100, 30));
  EXPECT_EQ(folded(board(Rule::latest, KeyKind::wide, Order::ascending), {{100, 30}, {5, 30}}), standing(5, 30));
}

TEST(SumTest, IsDatedByTheLatestResultThatMovedIt) {
  EXPECT_EQ(folded(board(Rule::sum), {{20, 10}, {30, 40}, {0, 90}}), standing(50, 40));
}

TEST(SumTest, WhileEverythingIsZeroTheEarliestCounts) {
  EXPECT_EQ(folded(board(Rule::sum), {{0, 30}, {0, 10}, {0, 20}}), standing(0, 10));
  EXPECT_EQ(folded(board(Rule::sum), {{5, 30}, {-5, 40}, {0, 10}}), standing(0, 40));
}

TEST(SumTest, MayLeave64BitsOnTheWayAndComeBack) {
  EXPECT_EQ(folded(board(Rule::sum), {{kMax, 1}, {kMax, 2}, {-kMax, 3}, {5 - kMax, 4}}), standing(5, 4));
  EXPECT_EQ(folded(board(Rule::sum), {{kMin, 1}, {kMin, 2}, {kMax, 3}, {kMax, 4}}), standing(-2, 4));
}

TEST(SumTest, BeyondTheLimitIsHeldThereAndSaid) {
  const Board sum = board(Rule::sum);
  EXPECT_EQ(folded(sum, {{kMax, 1}, {1, 2}}), standing(kMax, 2));
  EXPECT_EQ(folded(sum, {{kMin, 1}, {-1, 2}}), standing(kMin, 2));
  Fold fold(sum);
  fold.add({kMax, Timestamp{1}});
  EXPECT_FALSE(fold.overflowed());
  fold.add({1, Timestamp{2}});
  EXPECT_TRUE(fold.overflowed());
}

TEST(SumTest, GoesOnFromATotal) {
  const Board sum = board(Rule::sum);
  Fold fold(sum, standing(50, 40));
  fold.add({0, Timestamp{90}});
  EXPECT_EQ(fold.standing(), standing(50, 40));
  fold.add({7, Timestamp{30}});
  EXPECT_EQ(fold.standing(), standing(57, 40));
}

TEST(FoldTest, IsEmptyBeforeTheFirstResult) {
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    EXPECT_EQ(Fold(board(rule)).standing(), std::nullopt);
  }
}

TEST(FoldTest, OnPackedBoardsWithinOneSecondTheOrderOfArrivalDoesNotShow) {
  EXPECT_EQ(folded(board(Rule::latest, KeyKind::packed), {{5, 1'200}, {3, 1'800}}), standing(5, 1'000));
  EXPECT_EQ(folded(board(Rule::best, KeyKind::packed), {{5, 1'800}, {5, 1'200}}), standing(5, 1'000));
}

TEST(ReplacesTest, AnEqualResultAchievedEarlierImproves) {
  EXPECT_TRUE(replaces(board(Rule::best), standing(100, 30), standing(100, 20)));
  EXPECT_FALSE(replaces(board(Rule::best), standing(100, 30), standing(100, 30)));
  EXPECT_FALSE(replaces(board(Rule::best), standing(100, 30), standing(100, 40)));
  EXPECT_TRUE(replaces(board(Rule::least), standing(100, 30), standing(100, 20)));
}

TEST(ReplacesTest, TotalsTakeThePlaceOfEachOther) {
  EXPECT_TRUE(replaces(board(Rule::sum), standing(100, 30), standing(90, 30)));
  EXPECT_FALSE(replaces(board(Rule::sum), standing(100, 30), standing(100, 30)));
}

}  // namespace
}  // namespace scoreline::leaderboards
