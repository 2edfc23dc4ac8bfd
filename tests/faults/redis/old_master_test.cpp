// A master that hangs while another one takes over, and then goes on as if nothing had been.
#include <thread>

#include "faults/redis/several_servers_fixture.h"
#include "support/redis_cluster.h"
#include "support/redis_sentinels.h"

namespace scoreline::test {
namespace {

class OldMaster : public SeveralServers {
 protected:
  /// A node that has not asked meanwhile still is connected to the old one.
  void expect_no_old_board(const RedisServer& master, const RedisServer& replica) {
    ASSERT_TRUE(eventually([&] { return offset_of(master) == offset_of(replica); }));
    master.hang();
    ASSERT_TRUE(eventually(
        [&] { return say_to(replica.port(), "INFO replication").find("role:master") != std::string::npos; }));
    ASSERT_TRUE(eventually([&] { return reload(*other_->index, board_, ledger_).has_value(); }));
    ASSERT_TRUE(submit(*other_, "new", 5'000).value());
    master.resume();
    for (int i = 0; i < 200; ++i) {
      const auto page = node_->index->range(board_, 1, 100);
      if (page) {
        ASSERT_EQ(page->entries, ledger_.entries()) << "after " << i;
      } else {
        ASSERT_TRUE(page.error().retry_after) << page.error().detail;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    ASSERT_TRUE(eventually([&] { return node_->index->range(board_, 1, 1).has_value(); }));
    expect_as_ledger(*node_->index, board_, ledger_);
  }
};

// Nothing is different with Valkey, and a failover takes its time.
INSTANTIATE_TEST_SUITE_P(Servers, OldMaster, testing::Values(Program::redis),
                         [](const auto& program) { return name_of(program.param); });

TEST_P(OldMaster, OfAClusterShowsNoOldBoardWhenItIsBack) {
  RedisCluster cluster(path_of(GetParam()));
  const std::size_t master = RedisCluster::owner_of("lb:{s12}");
  ASSERT_TRUE(cluster.replicate(master));
  start(cluster.url());
  expect_no_old_board(cluster.node(master), cluster.node(RedisCluster::kSpare));
}

TEST_P(OldMaster, OfSentinelsShowsNoOldBoardWhenItIsBack) {
  RedisSentinels servers(path_of(GetParam()));
  start(servers.url() + "/lb");
  expect_no_old_board(servers.master(), servers.replica());
}

}  // namespace
}  // namespace scoreline::test
