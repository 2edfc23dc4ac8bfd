// Many connections on two loops, reading and writing at once: run under the thread sanitizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "live_server.h"

namespace scoreline::test {
namespace {

constexpr int kClients = 12;
constexpr int kRounds = 60;

/// One client's part: it writes its own player up and reads everything that others change.
void work(const LiveServer& server, int number, std::atomic<int>& failures) {
  auto client = http::Client::to(server.url()).value();
  const std::string player = "p" + std::to_string(number);
  const std::string season = "/v1/leaderboards/main/seasons/12";
  const auto expect = [&](const Result<http::ClientResponse>& response, std::string_view part) {
    if (!response || response->status != 200 || response->body.find(part) == std::string::npos) ++failures;
  };
  for (int round = 1; round <= kRounds; ++round) {
    const std::string points = std::to_string(round);
    expect(client.send({.method = http::Method::post,
                        .target = "/v1/leaderboards/main/results",
                        .body = R"({"playerId":")" + player + R"(","seasonId":12,"points":)" + points + "}"}),
           R"("outcome":"improved","points":)" + points);
    // Read your own write, through whichever loop and cache.
    expect(client.send({.target = season + "/players/" + player}), "\"points\":" + points + ",");
    expect(client.send({.target = season + "/top"}), "\"playerId\":\"" + player + "\",\"points\":" + points + ",");
    expect(client.send({.target = season + "/players/" + player + "/around"}), "\"points\":" + points + ",");
    if (round % 20 == 0) {
      expect(client.send({.method = http::Method::post,
                          .target = season + "/players:rank",
                          .body = R"({"playerIds":[")" + player + "\"]}"}),
             R"("rankAmong":1)");
    }
  }
}

TEST(HttpConcurrency, ManyConnectionsReadTheirOwnWrites) {
  LiveServer server;
  std::atomic<int> failures{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back([&, i] { work(server, i, failures); });
  for (auto& client : clients) client.join();
  EXPECT_EQ(failures, 0);
  EXPECT_THAT(server.get("/v1/leaderboards/main/seasons/12/top").body,
              testing::HasSubstr("\"players\":" + std::to_string(kClients)));
}

TEST(HttpConcurrency, ListenersComeAndGoWhileTheBoardChanges) {
  LiveServer server;
  const std::string head = "GET /v1/leaderboards/main/seasons/12/events?player=p1 HTTP/1.1\r\nHost: h\r\n\r\n";
  std::atomic<bool> go_on{true};
  std::atomic<int> silent{0};
  std::vector<std::thread> listeners;
  for (int i = 0; i < kClients; ++i) {
    listeners.emplace_back([&, i] {
      for (int round = 0; go_on; ++round) {
        RawSocket listener(server.server.port());
        if (!listener.send(head) || listener.read_until("event: top").empty()) ++silent;
        if ((round + i) % 2 == 0) listener.reset();
      }
    });
  }
  RawSocket stays(server.server.port());
  ASSERT_TRUE(stays.send(head));
  for (int points = 1; points <= 10 * kRounds; ++points) {
    server.post("/v1/leaderboards/main/results",
                R"({"playerId":"p1","seasonId":12,"points":)" + std::to_string(points) + "}");
  }
  EXPECT_THAT(stays.read_until("\"points\":" + std::to_string(10 * kRounds) + ","), testing::HasSubstr("event: top"));
  go_on = false;
  for (auto& listener : listeners) listener.join();
  EXPECT_EQ(silent, 0);
}

TEST(HttpConcurrency, StopUnderLoadKeepsWhatItAnswered) {
  LiveServer server;
  std::atomic<int> acknowledged{0};
  std::atomic<bool> go_on{true};
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      auto client = http::Client::to(server.url()).value();
      for (int n = 0; go_on; ++n) {
        const auto response = client.send({.method = http::Method::post,
                                           .target = "/v1/leaderboards/main/results",
                                           .body = R"({"playerId":"p)" + std::to_string(i) + "-" + std::to_string(n) +
                                                   R"(","seasonId":12,"points":1})"});
        if (!response) return;
        if (response->status == 200) ++acknowledged;
      }
    });
  }
  while (acknowledged < 200) std::this_thread::yield();
  server.server.stop(std::chrono::seconds{5});
  go_on = false;
  for (auto& client : clients) client.join();
  const auto page = server.world.service().top(server.world.board(), 1);
  EXPECT_GE(page->players, static_cast<std::uint64_t>(acknowledged.load()));
}

}  // namespace
}  // namespace scoreline::test
