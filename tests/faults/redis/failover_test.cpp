// Failovers that lose the last writes that were answered: the replica hears nothing any more, results go on, the master
// dies, and the replica takes over with what it had.
#include "faults/redis/several_servers_fixture.h"
#include "support/redis_cluster.h"
#include "support/redis_sentinels.h"

namespace scoreline::test {
namespace {

class Failover : public SeveralServers {
 protected:
  /// Until the replica has taken over every answer is a refusal; then the board is told to be lost, and is right once
  /// it has been loaded again.
  void expect_taken_over(const RedisServer& replica) {
    const auto no_wrong_answer = [&](RedisNode& node) {
      const auto page = node.index->range(board_, 1, 100);
      EXPECT_FALSE(page) << "a board that lost results was shown";
      if (page) return;
      EXPECT_TRUE(page.error().retry_after) << page.error().detail;
    };
    for (int i = 0; i < 5; ++i) {
      no_wrong_answer(*node_);
      no_wrong_answer(*other_);
    }
    ASSERT_TRUE(eventually(
        [&] { return say_to(replica.port(), "INFO replication").find("role:master") != std::string::npos; }));
    EXPECT_EQ(say_to(replica.port(), "ZCARD lb:{s12}"), "50");  // without what was answered last
    // First a node that has just started: it cannot know that results are missing.
    std::optional<RedisNode> newcomer;
    ASSERT_TRUE(eventually([&] {
      try {
        newcomer.emplace(url_, redis::RankIndexOptions{.epoch = "ledger"});
      } catch (const std::exception&) {
        return false;
      }
      return newcomer->index->is_loaded(board_).has_value();
    }));
    no_wrong_answer(*newcomer);
    ASSERT_TRUE(eventually([&] {
      no_wrong_answer(*node_);
      no_wrong_answer(*other_);
      return reload(*other_->index, board_, ledger_).has_value();
    }));
    ASSERT_TRUE(eventually([&] { return node_->index->range(board_, 1, 1).has_value(); }));
    expect_as_ledger(*node_->index, board_, ledger_);
    expect_as_ledger(*other_->index, board_, ledger_);
    EXPECT_TRUE(submit(*node_, "p0", 10'000).value());
    expect_as_ledger(*other_->index, board_, ledger_);
  }

  /// Results that only the master has: what it sends to a replica that hangs would be read later, so it sends nothing.
  void lose_some(const RedisServer& master, const RedisServer& replica) {
    ASSERT_TRUE(eventually([&] { return offset_of(master) == offset_of(replica); }));
    replica.hang();
    ASSERT_EQ(say_to(master.port(), "CLIENT KILL TYPE replica"), "1");
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(submit(*node_, "lost" + std::to_string(i), 1'000 + i).value());
    expect_as_ledger(*other_->index, board_, ledger_);
  }
};

INSTANTIATE_TEST_SUITE_P(Servers, Failover, testing::Values(Program::redis, Program::valkey),
                         [](const auto& program) { return name_of(program.param); });

TEST_P(Failover, OfAClusterThatLostResultsIsSeenAndHealed) {
  RedisCluster cluster(path_of(GetParam()));
  const std::size_t master = RedisCluster::owner_of("lb:{s12}");
  ASSERT_TRUE(cluster.replicate(master));
  start(cluster.url());
  RedisServer& replica = cluster.node(RedisCluster::kSpare);
  lose_some(cluster.node(master), replica);
  cluster.node(master).crash();
  replica.resume();
  expect_taken_over(replica);
}

TEST_P(Failover, BySentinelsThatLostResultsIsSeenAndHealed) {
  RedisSentinels servers(path_of(GetParam()));
  start(servers.url() + "/lb");
  lose_some(servers.master(), servers.replica());
  servers.master().crash();
  servers.replica().resume();
  expect_taken_over(servers.replica());
}

}  // namespace
}  // namespace scoreline::test
