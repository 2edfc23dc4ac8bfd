// A master, its replica and three sentinels: the master dies, the replica takes over.
#include <array>
#include <optional>

#include "adapters/redis/connection.h"
#include "faults/redis_client/client_fixture.h"

namespace scoreline::redis {
namespace {

using test::RedisServer;

class RedisClientSentinel : public ClientTest {
 protected:
  void SetUp() override {
    replica.emplace("redis-server", std::vector<std::string>{"--replicaof", "127.0.0.1", std::to_string(master.port()),
                                                             "--repl-diskless-sync-delay", "0"});
    const std::string settings = "sentinel monitor lb 127.0.0.1 " + std::to_string(master.port()) +
                                 " 2\nsentinel down-after-milliseconds lb 500\nsentinel failover-timeout lb 3000\n";
    url = "redis-sentinel://";
    for (auto& sentinel : sentinels) {
      sentinel.emplace("redis-server", std::vector<std::string>{"--sentinel"}, settings);
      url += (url.ends_with('/') ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(sentinel->port());
    }
    const auto admin = client_of(master);
    ASSERT_TRUE(eventually([&] { return say(*admin, "WAIT 1 100") == "1"; }));
    ASSERT_TRUE(eventually([&] {
      for (auto& sentinel : sentinels) {
        if (!knows_all(*sentinel)) return false;
      }
      return true;
    }));
  }

  /// The replica and two other sentinels: without them nothing fails over.
  static bool knows_all(const RedisServer& sentinel) {
    static const SystemClock kClock;
    std::vector<Reply> replies;
    std::string wire;
    append_command(wire, {"SENTINEL", "master", "lb"});
    const Endpoint at{"127.0.0.1", static_cast<std::uint16_t>(sentinel.port())};
    const auto until = kClock.monotonic() + std::chrono::seconds{1};
    const auto connection = Connection::open(at, {}, kClock, until);
    if (!connection || !(*connection)->exchange(wire, 1, replies, until)) return false;
    const auto& words = replies[0].elements;
    const auto value = [&](std::string_view name) {
      for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        if (words[i].text == name) return words[i + 1].text;
      }
      return std::string();
    };
    return value("num-slaves") == "1" && value("num-other-sentinels") == "2";
  }

  RedisServer master;
  std::optional<RedisServer> replica;
  std::array<std::optional<RedisServer>, 3> sentinels;
  std::string url;
};

TEST_F(RedisClientSentinel, FollowsTheMasterWhenItDiesAndWhenItMoves) {
  const auto client = client_of(url + "/lb");
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  const auto before = client->server_of("a").value().run_id;

  master.crash();
  EXPECT_FALSE(run(*client, "SET a 2"));
  ASSERT_TRUE(eventually([&] { return run(*client, "SET a 3").has_value(); }));
  EXPECT_NE(client->server_of("a").value().run_id, before);
  EXPECT_EQ(say(*client_of(*replica), "GET a"), "3");

  // A sentinel less, and the old master back as a replica: writes go on, and never to it.
  sentinels[0]->crash();
  master.start();
  const auto old = client_of(master);
  ASSERT_EQ(say(*old, "REPLICAOF 127.0.0.1 " + std::to_string(replica->port())), "OK");
  EXPECT_EQ(say(*client, "SET a 4"), "OK");
  EXPECT_CODE(Code::not_ready, run(*old, "SET a 5"));
}

TEST_F(RedisClientSentinel, ReadOnlyMasterIsAskedForAgain) {
  const auto client = client_of(url + "/lb");
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  // Made a replica behind the sentinels' back: they know no better, and the client believes no replica.
  ASSERT_EQ(say(*client_of(master), "REPLICAOF 127.0.0.1 " + std::to_string(replica->port())), "OK");
  const auto refused = run(*client, "SET a 2");
  EXPECT_CODE(Code::not_ready, refused);
  ASSERT_EQ(say(*client_of(master), "REPLICAOF NO ONE"), "OK");
  EXPECT_TRUE(eventually([&] { return run(*client, "SET a 3").has_value(); }));
}

TEST_F(RedisClientSentinel, UnknownNameAndDeadSentinelsAreErrors) {
  const auto unknown = run(*client_of(url + "/other"), "GET a");
  EXPECT_CODE(Code::storage_failed, unknown);
  EXPECT_NE(unknown.error().detail.find("`other`"), std::string::npos) << unknown.error().detail;
  for (auto& sentinel : sentinels) sentinel->crash();
  const auto nobody = run(*client_of(url + "/lb"), "GET a");
  EXPECT_CODE(Code::storage_failed, nobody);
  EXPECT_TRUE(nobody.error().retry_after);
}

}  // namespace
}  // namespace scoreline::redis
