// One server that is killed, hung, restarted, busy, loading, forgetful.
#include <atomic>

#include "faults/redis_client/client_fixture.h"

namespace scoreline::redis {
namespace {

using test::RedisServer;

class RedisClientServer : public ClientTest {
 protected:
  RedisServer server;
  std::unique_ptr<Client> client = client_of(server);
};

TEST_F(RedisClientServer, AnswersInOrderAndHandsErrorsOfCommandsToTheCaller) {
  const std::vector<Command> commands = {
      {"a", {"SET", "a", std::string("\0\r\n", 3)}}, {"a", {"GET", "a"}}, {"a", {"INCR", "a"}}, {"b", {"GET", "b"}}};
  const auto replies = client->run(commands).value();
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].text, "OK");
  EXPECT_EQ(replies[1].text, std::string("\0\r\n", 3));
  EXPECT_EQ(replies[2].kind, Reply::Kind::error);
  EXPECT_EQ(replies[3].kind, Reply::Kind::nil);
  EXPECT_TRUE(client->run(std::span<const Command>{}).value().empty());
}

TEST_F(RedisClientServer, ServerTellsWhoItIs) {
  const auto info = client->server_of("a").value();
  EXPECT_EQ(info.run_id.size(), 40U);
  EXPECT_EQ(info.version.find("Redis 7"), 0U) << info.version;
  EXPECT_EQ(info.maxmemory_policy, "noeviction");
}

TEST_F(RedisClientServer, HungServerIsGivenUpAtTheDeadlineAndComesBackByItself) {
  client = client_of(server, {.deadline = std::chrono::milliseconds{1'000}});
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  server.hang();
  const auto start = clock.monotonic();
  EXPECT_CODE(Code::unknown_outcome, run(*client, "INCR a"));
  EXPECT_GE(clock.monotonic() - start, std::chrono::milliseconds{900});
  // While it is known to hang, callers do not wait for it.
  const auto known = clock.monotonic();
  const auto refused = run(*client, "INCR a");
  EXPECT_CODE(Code::storage_failed, refused);
  EXPECT_TRUE(refused.error().retry_after);
  EXPECT_LT(clock.monotonic() - known, std::chrono::milliseconds{500});
  server.resume();
  EXPECT_TRUE(eventually([&] { return run(*client, "GET a").has_value(); }));
  EXPECT_EQ(say(*client, "GET a"), "2");  // it had been sent, and nobody could know
}

TEST_F(RedisClientServer, KilledServerFailsCallsAndComesBackAsAnother) {
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  const auto before = client->server_of("a").value();
  server.crash();
  const auto lost = run(*client, "GET a");
  EXPECT_CODE(Code::storage_failed, lost);
  EXPECT_TRUE(lost.error().retry_after);
  EXPECT_NE(lost.error().detail.find(std::to_string(server.port())), std::string::npos);
  server.start();
  EXPECT_TRUE(eventually([&] { return run(*client, "GET a").has_value(); }));
  EXPECT_EQ(say(*client, "GET a"), "nil");
  EXPECT_NE(client->server_of("a").value().run_id, before.run_id);
}

TEST_F(RedisClientServer, ScriptForAnotherServerIsNotSent) {
  static const Script kSet("return redis.call('SET', KEYS[1], ARGV[1])");
  const ScriptCall call{&kSet, {"a"}, {"1"}, client->server_of("a").value().run_id};
  ASSERT_EQ(client->run(std::span(&call, 1)).value()[0].text, "OK");
  server.crash();
  server.start();
  const auto refused = client->run(std::span(&call, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(say(*client, "GET a"), "nil");
}

TEST_F(RedisClientServer, ForgottenScriptsAreLoadedAgain) {
  static const Script kFirst("return ARGV[1] + 1");
  static const Script kSecond("return ARGV[1] * 2");
  std::vector<ScriptCall> calls;
  for (int i = 0; i < 10; ++i) calls.push_back({i % 2 == 0 ? &kFirst : &kSecond, {"{a}" + std::to_string(i)}, {"5"}});
  for (int round = 0; round < 3; ++round) {
    const auto replies = client->run(std::span<const ScriptCall>(calls)).value();
    for (std::size_t i = 0; i < replies.size(); ++i) EXPECT_EQ(replies[i].integer, i % 2 == 0 ? 6 : 10);
    ASSERT_EQ(say(*client, "SCRIPT FLUSH"), "OK");
  }
}

TEST_F(RedisClientServer, BusyServerIsNotReadyAndThenIs) {
  ASSERT_EQ(say(*client, "CONFIG SET busy-reply-threshold 50"), "OK");
  std::thread endless([&] {
    const auto other = client_of(server, {.deadline = std::chrono::milliseconds{5'000}});
    const Command forever{"", {"EVAL", "while true do end", "0"}};
    (void)other->run(std::span(&forever, 1));
  });
  EXPECT_TRUE(eventually([&] {
    const auto reply = run(*client, "GET a");
    return !reply && reply.error().code == Code::not_ready && reply.error().retry_after;
  }));
  EXPECT_TRUE(eventually([&] { return say(*client, "SCRIPT KILL") == "OK"; }));
  endless.join();
  EXPECT_EQ(say(*client, "GET a"), "nil");
}

TEST_F(RedisClientServer, LoadingServerIsNotReadyAndThenIs) {
  RedisServer slow("redis-server", {"--enable-debug-command", "yes", "--key-load-delay", "200",
                                    "--loading-process-events-interval-bytes", "1024"});
  client = client_of(slow);
  ASSERT_EQ(say(*client, "DEBUG POPULATE 5000 key 10"), "OK");
  ASSERT_EQ(say(*client, "SAVE"), "OK");
  std::atomic<bool> loading = false, stop = false;
  std::thread watcher([&] {
    while (!stop) {
      const auto reply = run(*client, "DBSIZE");
      if (!reply && reply.error().code == Code::not_ready && reply.error().retry_after) loading = true;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  });
  slow.crash();
  slow.start();  // returns once it has loaded
  stop = true;
  watcher.join();
  EXPECT_TRUE(loading);
  EXPECT_TRUE(eventually([&] { return say(*client, "DBSIZE") == "5000"; }));
}

TEST_F(RedisClientServer, ReplicaIsNotReadyForWrites) {
  ASSERT_EQ(say(*client, "REPLICAOF 127.0.0.1 1"), "OK");
  const auto refused = run(*client, "SET a 1");
  EXPECT_CODE(Code::not_ready, refused);
  EXPECT_TRUE(refused.error().retry_after);
  ASSERT_EQ(say(*client, "REPLICAOF NO ONE"), "OK");
  EXPECT_EQ(say(*client, "SET a 1"), "OK");
}

TEST_F(RedisClientServer, RefusalAfterAPartWasDoneIsAnUnknownOutcome) {
  ASSERT_EQ(say(*client, "REPLICAOF 127.0.0.1 1"), "OK");
  const std::vector<Command> commands = {{"a", {"GET", "a"}}, {"a", {"SET", "a", "1"}}};
  const auto refused = client->run(commands);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unknown_outcome);
}

TEST_F(RedisClientServer, FullServerIsTheCallersToSee) {
  ASSERT_EQ(say(*client, "CONFIG SET maxmemory 1"), "OK");
  EXPECT_EQ(say(*client, "SET a 1").find("OOM"), 0U);
  EXPECT_EQ(say(*client, "GET a"), "nil");
}

TEST_F(RedisClientServer, KeysOfTwoSlotsStopTheProcess) {
  static const Script kScript("return 1");
  const ScriptCall call{&kScript, {"a", "b"}, {}};
  EXPECT_DEATH((void)client->run(std::span(&call, 1)), "one_slot");
}

}  // namespace
}  // namespace scoreline::redis
