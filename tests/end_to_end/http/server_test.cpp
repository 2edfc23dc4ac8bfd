// The server against bytes that no honest client sends, clients that dawdle or vanish, and its own end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "live_server.h"

namespace scoreline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kGet = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kLast = "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
constexpr std::string_view kHealthy = R"({"status":"ok"})";

http::Deadlines short_deadlines() {
  return {.idle = 600ms, .head = 600ms, .body = 600ms, .write = 600ms, .linger = 600ms};
}

std::string post(std::string_view body, std::string_view headers = "") {
  return "POST /v1/leaderboards/main/results HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n" +
         std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(HttpServer, AnswersPipelinedRequestsOfAllKindsInOrder) {
  LiveServer server;
  RawSocket socket(server.server.port());
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += post(R"({"playerId":"p","seasonId":12,"points":)" + std::to_string(i) + "}");
    requests += "GET /seasons/12/leaderboard/players/p HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  socket.send(requests + std::string(kLast));
  const std::string answers = socket.read_all();
  EXPECT_EQ(count(answers, "HTTP/1.1 200 OK"), 101U);
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    // Each read sees the write before it.
    at = answers.find(R"({"rank":1,"playerId":"p","points":)" + std::to_string(i) + "}", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(HttpServer, RefusesMalformedRequestsAndHangsUp) {
  LiveServer server;
  const std::vector<std::pair<std::string, std::string>> corpus = {
      {"GET /healthz HTTP/1.1\nHost: h\n\n\r\n\r\n", "400 "},
      {"GET /healthz HTTP/1.0\r\nHost: h\r\n\r\n", "400 "},
      {"GET /healthz HTTP/1.1\r\n\r\n", "400 "},
      {"GET http://h/healthz HTTP/1.1\r\nHost: h\r\n\r\n", "400 "},
      {"GET /healthz HTTP/1.1\r\nHost: h\r\nA: b\r\n folded\r\n\r\n", "400 "},
      {"GET /healthz HTTP/1.1\r\nHost : h\r\n\r\n", "400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", "400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\n", "400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775808\r\n\r\n", "413 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "400 "},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "415 "},
      {"GET /" + std::string(1'000'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", "414 "},
      {"GET /healthz HTTP/1.1\r\nHost: h\r\nA: " + std::string(100'000, 'a') + "\r\n\r\n", "431 "},
      {std::string("GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n", 29), "400 "},
      {std::string("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 11) + "\r\n", "400 "},
  };
  for (const auto& [bytes, status] : corpus) {
    RawSocket socket(server.server.port());
    socket.send(bytes + std::string(kGet));
    const std::string answer = socket.read_all();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + status)) << bytes.substr(0, 100);
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    // What follows is never taken for another request.
    EXPECT_EQ(count(answer, "HTTP/1.1 "), 1U) << bytes.substr(0, 100);
  }
  EXPECT_EQ(server.get("/healthz").body, kHealthy);
}

TEST(HttpServer, RefusesALargeBodyBeforeReadingIt) {
  LiveServer server;
  RawSocket socket(server.server.port());
  socket.send("POST /v1/leaderboards/main/results HTTP/1.1\r\nHost: h\r\nContent-Length: 8388609\r\n\r\n");
  EXPECT_THAT(socket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, TellsAClientThatIsStillSendingWhyItIsRefused) {
  LiveServer server;
  const auto response = server.post("/v1/leaderboards/main/results", std::string(9'000'000, ' '));
  EXPECT_EQ(response.status, 413);
}

TEST(HttpServer, TakesBodiesInChunksAndUpToTheLimit) {
  LiveServer server;
  RawSocket socket(server.server.port());
  const std::string body = R"({"playerId":"a","points":1})";
  socket.send(
      "POST /v1/leaderboards/main/results HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
  for (const char c : body) socket.send(std::string("1\r\n") + c + "\r\n");
  socket.send("0\r\n\r\n");
  EXPECT_THAT(socket.read_all(), HasSubstr(R"("outcome":"improved")"));
  EXPECT_EQ(server.post("/v1/leaderboards/main/results", body + std::string(8'388'608 - body.size(), ' ')).status, 200);
}

TEST(HttpServer, SlowClientsAreCutOffAndDoNotHurtOthers) {
  LiveServer server(short_deadlines());
  RawSocket slow_head(server.server.port());
  RawSocket slow_body(server.server.port());
  RawSocket idle(server.server.port());
  slow_head.send("GET /healthz HTTP/1.1\r\nHost:");
  slow_body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_EQ(server.get("/healthz").body, kHealthy);
  EXPECT_THAT(slow_head.read_all(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(slow_body.read_all(), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_EQ(server.get("/healthz").body, kHealthy);
}

TEST(HttpServer, AClientThatDoesNotReadIsCutOff) {
  LiveServer server(short_deadlines());
  std::string lines;
  for (int i = 0; i < 1000; ++i) {
    lines += R"({"playerId":"player )" + std::to_string(i) + R"(","seasonId":12,"points":)" + std::to_string(i) + "}\n";
  }
  ASSERT_EQ(server
                .send({.method = http::Method::post,
                       .target = "/v1/leaderboards/main/results",
                       .body = lines,
                       .content_type = "application/x-ndjson"})
                .status,
            200);
  RawSocket socket(server.server.port());
  const int small = 4096;
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  const std::string request = "GET /v1/leaderboards/main/seasons/12/top?limit=1000 HTTP/1.1\r\nHost: h\r\n\r\n";
  for (int i = 0; i < 200; ++i) {
    if (!socket.send(request)) break;
  }
  std::this_thread::sleep_for(2s);
  EXPECT_EQ(server.get("/healthz").body, kHealthy);
  // The server has hung up: of some 20 MB only what the kernel had taken comes.
  EXPECT_LT(socket.read_all().size(), std::size_t{10'000'000});
}

TEST(HttpServer, ClientsThatVanishLeaveNothingBehind) {
  LiveServer server;
  // Each append takes a while, so that clients are gone before their answer.
  server.world.ledger.set_script([](std::size_t) {
    std::this_thread::sleep_for(20ms);
    return std::nullopt;
  });
  for (int i = 0; i < 30; ++i) {
    RawSocket socket(server.server.port());
    socket.send(post(R"({"playerId":"p)" + std::to_string(i) + R"(","seasonId":12,"points":1})"));
    if (i % 3 == 0) {
      socket.reset();
    } else if (i % 3 == 1) {
      socket.close();
    } else {
      socket.end_sending();  // half closed: it still wants its answer
      EXPECT_THAT(socket.read_all(), HasSubstr(R"("outcome":"improved")"));
    }
  }
  server.world.ledger.set_script({});
  // Taken is taken: a client that has gone away is no reason to drop its result.
  EXPECT_THAT(server.get("/v1/leaderboards/main/seasons/12/top?limit=1").body, HasSubstr(R"("players":30)"));
}

TEST(HttpServer, StopFinishesWhatIsOpenAndTakesNoMore) {
  auto server = std::make_unique<LiveServer>();
  std::atomic<bool> appending{false};
  server->world.ledger.set_script([&](std::size_t) {
    appending = true;
    std::this_thread::sleep_for(300ms);
    return std::nullopt;
  });
  const std::uint16_t port = server->server.port();
  RawSocket open(port);
  RawSocket idle(port);
  open.send(post(R"({"playerId":"a","seasonId":12,"points":1})"));
  while (!appending) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(server->server.stop(5s));
  const std::string answer = open.read_all();
  EXPECT_THAT(answer, HasSubstr(R"("outcome":"improved")"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_FALSE(RawSocket(port).connected());
}

TEST(HttpServer, StopDoesNotWaitForEver) {
  LiveServer server;
  std::atomic<bool> release{false};
  std::atomic<bool> appending{false};
  server.world.ledger.set_script([&](std::size_t) {
    appending = true;
    while (!release) std::this_thread::sleep_for(1ms);
    return std::nullopt;
  });
  RawSocket open(server.server.port());
  open.send(post(R"({"playerId":"a","seasonId":12,"points":1})"));
  while (!appending) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(server.server.stop(100ms));
  EXPECT_EQ(open.read_all(), "");
  release = true;  // the answer comes after the loops are gone
}

TEST(HttpServer, AnAddressInUseIsAnErrorAndNotHalfTheTraffic) {
  LiveServer first;
  http::ServerOptions options;
  options.port = first.server.port();
  http::Server second(first.api, first.system_clock, options);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::conflict);
  EXPECT_EQ(started.error().field, "listen");
  options.address = "not an address";
  EXPECT_EQ(http::Server(first.api, first.system_clock, options).start().error().code, Code::usage);
}

TEST(HttpServer, TheConnectionLimitHoldsAndLetsOthersInLater) {
  http::ServerOptions options = LiveServer::options_with({});
  options.max_connections = 4;
  LiveServer server(options);
  std::vector<std::unique_ptr<RawSocket>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<RawSocket>(server.server.port()));
    held.back()->send(kGet);
    EXPECT_THAT(held.back()->read_until(kHealthy), HasSubstr("200 OK"));
  }
  RawSocket waiting(server.server.port());  // the kernel takes it; the server does not, yet
  waiting.send(kLast);
  const timeval soon{0, 500'000};
  ::setsockopt(waiting.fd(), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  EXPECT_EQ(waiting.read_until("\r\n\r\n"), "");
  held.pop_back();
  const timeval later{10, 0};
  ::setsockopt(waiting.fd(), SOL_SOCKET, SO_RCVTIMEO, &later, sizeof later);
  EXPECT_THAT(waiting.read_all(), HasSubstr("200 OK"));
}

TEST(HttpClient, KeepsItsConnectionAndFindsANewOneWhenTheServerHungUp) {
  LiveServer server(short_deadlines());
  EXPECT_EQ(server.get("/healthz").status, 200);
  EXPECT_EQ(server.get("/healthz").status, 200);
  std::this_thread::sleep_for(1500ms);
  EXPECT_EQ(server.get("/healthz").status, 200);
}

TEST(HttpClient, TellsApartWhatWasNotSentAndWhatMayHaveBeenDone) {
  EXPECT_EQ(http::Client::to("https://127.0.0.1").error().code, Code::usage);
  for (const std::string url : {"127.0.0.1:80", "http://", "http://h/path", "http://u@h", "ftp://h", "http://h?x"}) {
    EXPECT_FALSE(http::Client::to(url)) << url;
  }
  std::uint16_t port = 0;
  {
    LiveServer server;
    port = server.server.port();
    server.world.ledger.set_script([](std::size_t) {
      std::this_thread::sleep_for(500ms);
      return std::nullopt;
    });
    auto client = http::Client::to(server.url(), 100ms).value();
    const auto late = client.send({.method = http::Method::post,
                                   .target = "/v1/leaderboards/main/results",
                                   .body = R"({"playerId":"a","points":1})"});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::unknown_outcome);
    EXPECT_EQ(client.send({.target = "/healthz"})->status, 200);
  }
  auto nobody = http::Client::to("http://127.0.0.1:" + std::to_string(port)).value();
  EXPECT_EQ(nobody.send({.target = "/"}).error().code, Code::not_ready);
}

}  // namespace
}  // namespace scoreline::test
