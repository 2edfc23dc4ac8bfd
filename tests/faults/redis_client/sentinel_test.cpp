// A master, its replica and three sentinels: the master dies, the replica takes over.
#include "faults/redis_client/client_fixture.h"
#include "support/redis_sentinels.h"

namespace scoreline::redis {
namespace {

class RedisClientSentinel : public ClientTest {
 protected:
  test::RedisSentinels servers;
  test::RedisServer& master = servers.master();
  test::RedisServer& replica = servers.replica();
  const std::string url = servers.url();
};

TEST_F(RedisClientSentinel, FollowsTheMasterWhenItDiesAndWhenItMoves) {
  const auto client = client_of(url + "/lb");
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  const auto before = client->server_of("a").value().run_id;

  master.crash();
  EXPECT_FALSE(run(*client, "SET a 2"));
  ASSERT_TRUE(eventually([&] { return run(*client, "SET a 3").has_value(); }));
  EXPECT_NE(client->server_of("a").value().run_id, before);
  EXPECT_EQ(say(*client_of(replica), "GET a"), "3");

  // A sentinel less, and the old master back as a replica: writes go on, and never to it.
  servers.sentinel(0).crash();
  master.start();
  const auto old = client_of(master);
  ASSERT_EQ(say(*old, "REPLICAOF 127.0.0.1 " + std::to_string(replica.port())), "OK");
  EXPECT_EQ(say(*client, "SET a 4"), "OK");
  EXPECT_CODE(Code::not_ready, run(*old, "SET a 5"));
}

TEST_F(RedisClientSentinel, ReadOnlyMasterIsAskedForAgain) {
  const auto client = client_of(url + "/lb");
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  // Made a replica behind the sentinels' back: they know no better, and the client believes no replica.
  ASSERT_EQ(say(*client_of(master), "REPLICAOF 127.0.0.1 " + std::to_string(replica.port())), "OK");
  const auto refused = run(*client, "SET a 2");
  EXPECT_CODE(Code::not_ready, refused);
  ASSERT_EQ(say(*client_of(master), "REPLICAOF NO ONE"), "OK");
  EXPECT_TRUE(eventually([&] { return run(*client, "SET a 3").has_value(); }));
}

TEST_F(RedisClientSentinel, UnknownNameAndDeadSentinelsAreErrors) {
  const auto unknown = run(*client_of(url + "/other"), "GET a");
  EXPECT_CODE(Code::storage_failed, unknown);
  EXPECT_NE(unknown.error().detail.find("`other`"), std::string::npos) << unknown.error().detail;
  for (std::size_t i = 0; i < servers.size(); ++i) servers.sentinel(i).crash();
  const auto nobody = run(*client_of(url + "/lb"), "GET a");
  EXPECT_CODE(Code::storage_failed, nobody);
  EXPECT_TRUE(nobody.error().retry_after);
}

}  // namespace
}  // namespace scoreline::redis
