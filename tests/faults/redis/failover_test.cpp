// Failovers that lose the last writes that were answered: the replica hears nothing any more, results go on, the master
// dies, and the replica takes over with what it had.
#include "faults/redis/index_fixture.h"
#include "support/redis_cluster.h"
#include "support/redis_sentinels.h"

namespace scoreline::test {
namespace {

/// Two nodes on servers that are given by URL.
class Failover : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override { SKIP_UNLESS_INSTALLED(GetParam()); }

  void start(const std::string& url) {
    for (auto* const node : {&node_, &other_}) node->emplace(url, redis::RankIndexOptions{.epoch = "ledger"});
    for (int i = 0; i < 50; ++i) ledger_.add("p" + std::to_string(i), 10 + i, Timestamp{0});
    must(reload(*node_->index, board_, ledger_));
    expect_as_ledger(*other_->index, board_, ledger_);
  }
  Result<bool> submit(RedisNode& to, const std::string& id, std::int64_t points) {
    ledger_.add(id, points, Timestamp{0});
    const Offer now{player(id), *ledger_.standing(id)};
    return to.index->apply(board_, {&now, 1}, Ranks::skip).map([](const auto& a) { return a.front().changed; });
  }

  /// Until the replica has taken over every answer is a refusal; then the board is told to be lost, and is right once
  /// it has been loaded again.
  void expect_taken_over(const RedisServer& replica) {
    const auto no_wrong_answer = [&](RedisNode& node) {
      const auto page = node.index->range(board_, 1, 100);
      EXPECT_FALSE(page) << "a board that lost results was shown";
      if (page) return;
      EXPECT_TRUE(page.error().retry_after) << page.error().detail;
    };
    ASSERT_TRUE(eventually([&] {
      no_wrong_answer(*node_);
      no_wrong_answer(*other_);
      return say_to(replica.port(), "INFO replication").find("role:master") != std::string::npos;
    }));
    EXPECT_EQ(say_to(replica.port(), "ZCARD lb:{s12}"), "50");  // without what was answered last
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

  /// How much of the master's writes a server has.
  static std::string offset_of(const RedisServer& server) {
    const std::string info = say_to(server.port(), "INFO replication");
    const auto at = std::min(info.find("master_repl_offset:"), info.size());
    return info.substr(at, info.find('\r', at) - at);
  }

  /// Results that only the master has: what it sends to a replica that hangs would be read later, so it sends nothing.
  void lose_some(const RedisServer& master, const RedisServer& replica) {
    ASSERT_TRUE(eventually([&] { return offset_of(master) == offset_of(replica); }));
    replica.hang();
    ASSERT_EQ(say_to(master.port(), "CLIENT KILL TYPE replica"), "1");
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(submit(*node_, "lost" + std::to_string(i), 1'000 + i).value());
    expect_as_ledger(*other_->index, board_, ledger_);
  }

  const Board board_ = board_of(KeyKind::wide);
  ModelBoard ledger_{board_};
  std::optional<RedisNode> node_;
  std::optional<RedisNode> other_;
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

// Nobody dies: an operator moves a season's slot to another node while results come.
TEST_P(Failover, ASlotThatMovesUnderLoadIsRightOrNotReady) {
  RedisCluster cluster(path_of(GetParam()));
  start(cluster.url());
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
