// Three masters and a replica: slots that move, and a master that dies.
#include "adapters/redis/slots.h"
#include "faults/redis_client/client_fixture.h"
#include "support/redis_cluster.h"

namespace scoreline::redis {
namespace {

using test::RedisCluster;

constexpr const char* kKey = "{s12}";

class RedisClientCluster : public ClientTest {
 protected:
  std::string admin(std::size_t node, const std::string& words) { return cluster.say(node, words); }

  RedisCluster cluster;
  std::unique_ptr<Client> client = client_of(cluster.url());
};

TEST_F(RedisClientCluster, SplitsACallByNodeAndKeepsTheOrder) {
  std::vector<Command> commands;
  for (int i = 0; i < 300; ++i) {
    const std::string key = "key" + std::to_string(i);
    EXPECT_EQ(admin(0, "CLUSTER KEYSLOT " + key), std::to_string(slot_of(key)));
    commands.push_back({key, {"ECHO", key}});
    commands.push_back({key, {"SET", key, "1"}});
  }
  const auto replies = client->run(commands).value();
  for (std::size_t i = 0; i < replies.size(); i += 2) {
    EXPECT_EQ(replies[i].text, commands[i].key);
    EXPECT_EQ(replies[i + 1].text, "OK");
  }
  EXPECT_EQ(say(*client, "PING"), "PONG");  // no key: any node
  static const Script kGet("return redis.call('GET', KEYS[1])");
  std::vector<ScriptCall> calls;
  for (int i = 0; i < 30; ++i) calls.push_back({&kGet, {"key" + std::to_string(i)}, {}});
  const auto values = client->run(std::span<const ScriptCall>(calls)).value();
  for (const auto& reply : values) EXPECT_EQ(reply.text, "1");
}

TEST_F(RedisClientCluster, FollowsASlotWhileItMovesAndAfterwards) {
  const std::string a = std::string(kKey) + "a", b = std::string(kKey) + "b", fresh = std::string(kKey) + "c";
  const std::size_t from = RedisCluster::owner_of(a), to = (from + 1) % RedisCluster::kMasters;
  const std::string slot = std::to_string(slot_of(a));
  ASSERT_EQ(say(*client, "SET " + a + " 1"), "OK");
  ASSERT_EQ(say(*client, "SET " + b + " 2"), "OK");
  ASSERT_EQ(admin(to, "CLUSTER SETSLOT " + slot + " IMPORTING " + cluster.id(from)), "OK");
  ASSERT_EQ(admin(from, "CLUSTER SETSLOT " + slot + " MIGRATING " + cluster.id(to)), "OK");
  ASSERT_EQ(admin(from, "MIGRATE 127.0.0.1 " + std::to_string(cluster.node(to).port()) + " " + a + " 0 1000"), "OK");

  // ASK: what moved and what is new is there already, the rest is here still.
  EXPECT_EQ(say(*client, "GET " + a), "1");
  EXPECT_EQ(say(*client, "GET " + b), "2");
  EXPECT_EQ(say(*client, "SET " + fresh + " 3"), "OK");
  static const Script kGet("return redis.call('GET', KEYS[1])");
  const ScriptCall one{&kGet, {a}, {}};
  EXPECT_EQ(client->run(std::span(&one, 1)).value()[0].text, "1");
  // TRYAGAIN: one script over both waits for the rest of the move, or says that it has to.
  static const Script kBoth("return redis.call('GET', KEYS[1]) .. redis.call('GET', KEYS[2])");
  const ScriptCall both{&kBoth, {a, b}, {}};
  const auto split = client->run(std::span(&both, 1));
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().code, Code::not_ready);
  EXPECT_TRUE(split.error().retry_after);

  ASSERT_EQ(admin(from, "MIGRATE 127.0.0.1 " + std::to_string(cluster.node(to).port()) + " " + b + " 0 1000"), "OK");
  for (const std::size_t node : {to, from})
    ASSERT_EQ(admin(node, "CLUSTER SETSLOT " + slot + " NODE " + cluster.id(to)), "OK");
  // MOVED.
  EXPECT_EQ(client->run(std::span(&both, 1)).value()[0].text, "12");
  EXPECT_EQ(say(*client, "GET " + fresh), "3");
  EXPECT_EQ(client->server_of(a).value().run_id, client_of(cluster.node(to))->server_of("").value().run_id);
}

TEST_F(RedisClientCluster, ReplicaThatTakesOverIsFound) {
  const std::string key = std::string(kKey) + "a", elsewhere = "foo";
  const std::size_t lost = RedisCluster::owner_of(key);
  ASSERT_NE(lost, RedisCluster::owner_of(elsewhere));
  ASSERT_TRUE(cluster.replicate(lost));
  ASSERT_EQ(say(*client, "SET " + key + " 1"), "OK");
  cluster.node(lost).crash();
  const auto start = clock.monotonic();
  const auto refused = run(*client, "GET " + key);
  EXPECT_FALSE(refused);
  EXPECT_LT(clock.monotonic() - start, std::chrono::milliseconds{1'500});
  const auto after = run(*client, "SET " + key + " 2");
  EXPECT_TRUE(after || after.error().retry_after);
  ASSERT_TRUE(eventually([&] { return run(*client, "SET " + key + " 3").has_value(); }));
  EXPECT_EQ(say(*client, "GET " + key), "3");
  ASSERT_TRUE(eventually([&] { return run(*client, "GET " + elsewhere).has_value(); }));
}

TEST_F(RedisClientCluster, SlotsWithoutANodeAreNotReady) {
  const std::size_t node = RedisCluster::owner_of(kKey);
  ASSERT_EQ(admin(node, "CONFIG SET cluster-require-full-coverage no"), "OK");
  ASSERT_EQ(admin(node, "CLUSTER DELSLOTS " + std::to_string(slot_of(kKey))), "OK");
  const auto refused = run(*client, std::string("GET ") + kKey);
  EXPECT_CODE(Code::not_ready, refused);
  EXPECT_TRUE(refused.error().retry_after);
}

}  // namespace
}  // namespace scoreline::redis
