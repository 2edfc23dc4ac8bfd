// Boards as they stood at past instants, on every pair of stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/cases/cases_fixture.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PastBoardsTest : public CasesTest {};

TEST_P(PastBoardsTest, ABoardOfThePastIsWhatResultsAchievedUntilThenMake) {
  ASSERT_TRUE(world_->submit("early", 10, t(0)));
  ASSERT_TRUE(world_->submit("mover", 5, t(10)));
  ASSERT_TRUE(world_->submit("mover", 50, t(20)));
  ASSERT_TRUE(world_->submit("late", 99, t(30)));
  ASSERT_TRUE(world_->submit("mover", 20, t(15)));  // comes last, and was achieved before
  const auto as_of = [&](std::int64_t seconds) {
    BoardRef past = board_;
    past.as_of = t(seconds);
    return past;
  };
  live_and_rebuilt([&] {
    EXPECT_THAT(world_->top(as_of(-1)), IsEmpty());
    EXPECT_THAT(world_->top(as_of(0)), ElementsAre("early=10"));
    EXPECT_THAT(world_->top(as_of(14)), ElementsAre("early=10", "mover=5"));
    EXPECT_THAT(world_->top(as_of(15)), ElementsAre("mover=20", "early=10"));
    EXPECT_THAT(world_->top(as_of(29)), ElementsAre("mover=50", "early=10"));
    EXPECT_THAT(world_->top(as_of(30)), ElementsAre("late=99", "mover=50", "early=10"));
    EXPECT_EQ(world_->service().place_of(as_of(14), test::player("mover"))->entry.rank, 2U);
    EXPECT_EQ(world_->service().place_of(as_of(14), test::player("late")).error().code, Code::not_found);
    EXPECT_EQ(world_->service().around(as_of(29), test::player("early"), 1)->players, 2U);
  });
  const auto ahead = world_->service().top(
      BoardRef{.leaderboard = "main", .season = board_.season, .as_of = Timestamp{world_->clock.now().ms + 1}}, 10);
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().field, "asOf");
}

TEST_P(PastBoardsTest, AnErasedPlayerIsGoneFromBoardsOfThePastToo) {
  ASSERT_TRUE(world_->submit("stays", 10, t(0)));
  ASSERT_TRUE(world_->submit("goes", 20, t(1)));
  BoardRef past = board_;
  past.as_of = t(2);
  EXPECT_THAT(world_->top(past), ElementsAre("goes=20", "stays=10"));
  ASSERT_TRUE(
      world_->service().erase_player(test::leaderboard("main"), test::player("goes"), Ledger::Erase::from_boards));
  EXPECT_THAT(world_->top(past), ElementsAre("stays=10"));
}

INSTANTIATE_TEST_SUITE_P(Stores, PastBoardsTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
