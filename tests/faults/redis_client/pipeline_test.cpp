// Many callers of one node.
#include <atomic>

#include "faults/redis_client/client_fixture.h"

namespace scoreline::redis {
namespace {

using test::RedisServer;

class RedisClientPipeline : public ClientTest {
 protected:
  RedisServer server;
};

TEST_F(RedisClientPipeline, EachCallerGetsItsOwnAnswers) {
  const auto client = client_of(server, {.deadline = std::chrono::milliseconds{10'000}});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) {
        const std::string text = std::to_string(i) + "-" + std::to_string(n);
        const std::vector<Command> commands = {{"k" + text, {"ECHO", text}}, {"k", {"INCR", "counter"}}};
        const auto replies = client->run(commands);
        if (!replies || (*replies)[0].text != text || (*replies)[1].integer <= 0) ++wrong;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(say(*client, "GET counter"), "3200");
  EXPECT_EQ(say(*client, "CLIENT LIST").find("name=scoreline"), say(*client, "CLIENT LIST").rfind("name=scoreline"));
}

TEST_F(RedisClientPipeline, LongRequestsAndAnswersFlowAtOnce) {
  const auto client = client_of(server, {.deadline = std::chrono::milliseconds{10'000}});
  const std::string megabyte(1'000'000, 'x');
  std::vector<Command> commands;
  for (int i = 0; i < 20; ++i) commands.push_back({"k", {"ECHO", megabyte}});
  const auto replies = client->run(commands).value();
  for (const auto& reply : replies) EXPECT_EQ(reply.text.size(), megabyte.size());
}

TEST_F(RedisClientPipeline, WhatWaitsBeyondTheLimitIsRefused) {
  const auto client = client_of(server, {.deadline = std::chrono::milliseconds{1'000}, .max_waiting_bytes = 100});
  ASSERT_EQ(say(*client, "SET a 1"), "OK");
  server.hang();
  std::atomic<int> overloaded = 0, others = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      const auto reply = run(*client, "GET a");
      if (!reply && reply.error().code == Code::overloaded &&
          reply.error().detail.find("bytes wait") != std::string::npos) {
        ++overloaded;
      } else {
        ++others;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  server.resume();
  // One is in flight and at most five wait (20 bytes each); the rest was refused.
  EXPECT_GE(overloaded, 10);
  EXPECT_GE(others, 1);
}

TEST_F(RedisClientPipeline, CallersOfAServerThatComesAndGoesAllGetAnswers) {
  const auto client = client_of(server, {.deadline = std::chrono::milliseconds{2'000}});
  std::atomic<bool> stop = false;
  std::atomic<int> done = 0, unexpected = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      while (!stop) {
        const auto reply = run(*client, "INCR a");
        if (reply) {
          ++done;
          continue;
        }
        const auto code = reply.error().code;
        if (code != Code::storage_failed && code != Code::unknown_outcome) ++unexpected;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    server.crash();
    server.start();
    const int before = done;
    EXPECT_TRUE(eventually([&] { return done > before + 100; }));
  }
  stop = true;
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(unexpected, 0);
}

}  // namespace
}  // namespace scoreline::redis
