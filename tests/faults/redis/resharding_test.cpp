// A season's slot that goes from node to node of a cluster while results come and readers ask. Nobody dies.
#include "faults/redis/several_servers_fixture.h"
#include "support/redis_cluster.h"

namespace scoreline::test {
namespace {

class Resharding : public SeveralServers {};
INSTANTIATE_TEST_SUITE_P(Servers, Resharding, testing::Values(Program::redis, Program::valkey),
                         [](const auto& program) { return name_of(program.param); });

TEST_P(Resharding, ASlotThatMovesUnderLoadIsRightOrNotReady) {
  RedisCluster cluster(path_of(GetParam()));
  start(cluster.url(), {.deadline = std::chrono::milliseconds{300}});
  Board elsewhere = board_;  // in a slot that stays
  elsewhere.id.season.value = 13;
  ASSERT_NE(redis::slot_of("lb:{s12}"), redis::slot_of("lb:{s13}"));
  must(reload(*node_->index, elsewhere, ledger_));
  const ModelBoard stays = ledger_;
  const std::size_t from = RedisCluster::owner_of("lb:{s12}");
  const std::size_t to = (from + 1) % RedisCluster::kMasters;
  ModelBoard answered = ledger_;
  int asked = 0;
  const auto ask = [&] {
    const std::string id = "moving" + std::to_string(asked++);
    const auto taken = submit(*node_, id, 500 + asked);
    if (taken) {
      answered.add(id, 500 + asked, Timestamp{0});
    } else {
      EXPECT_EQ(taken.error().code, Code::not_ready) << taken.error().detail;
      EXPECT_TRUE(taken.error().retry_after);
    }
    const auto page = other_->index->range(board_, 1, 1'000);
    if (page) {
      EXPECT_EQ(page->entries, answered.entries());
    } else {
      EXPECT_EQ(page.error().code, Code::not_ready) << page.error().detail;
      EXPECT_TRUE(page.error().retry_after);
    }
    expect_as_ledger(*other_->index, elsewhere, stays);
  };
  ask();
  cluster.move_slot(redis::slot_of("lb:{s12}"), from, to, ask);
  EXPECT_GT(asked, 3);  // more than one key moved
  ask();
  ASSERT_TRUE(eventually([&] { return reload(*node_->index, board_, ledger_).has_value(); }));
  expect_as_ledger(*node_->index, board_, ledger_);
  expect_as_ledger(*other_->index, board_, ledger_);
  EXPECT_EQ(cluster.say(to, "EXISTS lb:{s12}"), "1");
  EXPECT_TRUE(submit(*other_, "p0", 10'000).value());
  expect_as_ledger(*node_->index, board_, ledger_);
}

}  // namespace
}  // namespace scoreline::test
