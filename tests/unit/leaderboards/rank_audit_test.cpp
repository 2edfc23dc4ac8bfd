#include "leaderboards/rank_audit.h"

#include <gtest/gtest.h>

#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

class RankAuditTest : public testing::Test {
 protected:
  RankAuditTest() {
    EXPECT_TRUE(world_.submit("high", 30));
    EXPECT_TRUE(world_.submit("middle", 20));
    EXPECT_TRUE(world_.submit("low", 10));
  }
  RankAudit audit(const std::string& player) {
    return world_.service().audit_rank(world_.board(), test::player(player)).value();
  }
  Board board() { return world_.service().resolve(world_.board()).value(); }

  test::World world_;
};

TEST_F(RankAuditTest, ABoardThatIsRightAgrees) {
  for (const char* const player : {"high", "middle", "low", "nobody"}) EXPECT_TRUE(audit(player).agrees()) << player;
  EXPECT_EQ(audit("low").recounted->entry.rank, 3U);
  EXPECT_FALSE(audit("nobody").recounted);
}

TEST_F(RankAuditTest, APlayerWhomTheBoardLostIsTold) {
  const PlayerId lost = test::player("middle");
  ASSERT_EQ(*world_.index().erase(board(), {&lost, 1}), 1U);
  EXPECT_FALSE(audit("middle").agrees());
  EXPECT_EQ(audit("middle").recounted->entry.rank, 2U);
  EXPECT_FALSE(audit("low").agrees());
  EXPECT_EQ(audit("low").shown->entry.rank, 2U);
  EXPECT_EQ(audit("low").recounted->entry.rank, 3U);
  EXPECT_FALSE(audit("high").agrees()) << "of fewer players";
}

TEST_F(RankAuditTest, APlayerWhomOnlyTheBoardHasIsTold) {
  const Offer offer{test::player("ghost"), {25, world_.clock.now()}};
  ASSERT_TRUE(world_.index().apply(board(), {&offer, 1}, Ranks::skip));
  EXPECT_FALSE(audit("ghost").agrees());
  EXPECT_FALSE(audit("ghost").recounted);
}

}  // namespace
}  // namespace scoreline::leaderboards
