// The routes that operate leaderboards, and what every route has in common: definitions, seasons, erasing, caching,
// media types, methods, health.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "api_fixture.h"

namespace scoreline::test {
namespace {

using http::Method;
using testing::HasSubstr;

TEST_P(Api, DefinitionsAreCreatedShownChangedAndDropped) {
  const auto created = server.put("/v1/leaderboards/laps", R"({"rule":"least","scale":3})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(member(created.body, "order"), "\"asc\"");
  EXPECT_EQ(server.get("/v1/leaderboards/laps").body, created.body);
  EXPECT_EQ(server.put("/v1/leaderboards/laps", created.body).status, 200);
  EXPECT_THAT(server.get("/v1/leaderboards").body, HasSubstr(created.body));
  EXPECT_THAT(server.get("/v1/leaderboards").body, HasSubstr(R"("name":"main")"));
  server.post("/v1/leaderboards/laps/results", result("a", "61.123"));
  expect_problem(server.put("/v1/leaderboards/laps", R"({"rule":"best"})"), 409, "conflict");
  EXPECT_EQ(server.put("/v1/leaderboards/laps", R"({"rule":"least","scale":3,"top":50})").status, 200);
  expect_problem(server.put("/v1/leaderboards/Laps", "{}"), 422, "invalid", "leaderboard");
  EXPECT_EQ(server.del("/v1/leaderboards/laps").body, R"({"dropped":"laps"})");
  expect_problem(server.get("/v1/leaderboards/laps"), 404, "not_found", "leaderboard");
  expect_problem(server.del("/v1/leaderboards/laps"), 404, "not_found", "leaderboard");
}

TEST_P(Api, SeasonsAreOpenedAndListed) {
  const std::string body = R"({"id":13,"start":"2026-10-01T00:00:00Z","end":"2026-11-01T00:00:00Z"})";
  EXPECT_EQ(server.post("/v1/leaderboards/main/seasons", body).status, 201);
  EXPECT_EQ(server.post("/v1/leaderboards/main/seasons", body).status, 200);
  EXPECT_THAT(server.get("/v1/leaderboards/main/seasons").body,
              HasSubstr(body.substr(0, body.size() - 1) + R"(,"state":"open"})"));
  expect_problem(server.post("/v1/leaderboards/main/seasons", R"({"id":13})"), 409, "conflict");
  expect_problem(server.post("/v1/leaderboards/main/seasons", R"({"id":14,"end":"then"})"), 422, "invalid", "end");
  expect_problem(server.post("/v1/leaderboards/nowhere/seasons", body), 404, "not_found", "leaderboard");
  EXPECT_EQ(member(server.get("/v1/leaderboards/main/seasons/current/top").body, "season"), "13");
  expect_problem(
      server.post(kResults, R"({"playerId":"a","seasonId":13,"points":1,"achievedAt":"2026-09-30T23:59:59Z"})"), 422,
      "invalid", "achievedAt");
}

TEST_P(Api, AnErasedPlayerIsGoneAndThoseBelowMoveUp) {
  fill(3);
  EXPECT_EQ(server.del("/v1/leaderboards/main/players/p1").body, R"({"erasedResults":1})");
  expect_problem(server.get(std::string(kSeason) + "/players/p1"), 404, "not_found", "playerId");
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/players/p2").body, "rank"), "1");
  EXPECT_EQ(server.del("/v1/leaderboards/main/players/p2?ledger=true").body, R"({"erasedResults":1})");
  EXPECT_EQ(server.del("/v1/leaderboards/main/players/p2").body, R"({"erasedResults":0})");
  expect_problem(server.del("/v1/leaderboards/main/players/p3?ledger=yes"), 422, "invalid", "ledger");
  expect_problem(server.del("/v1/leaderboards/nowhere/players/p3"), 404, "not_found", "leaderboard");
}

TEST_P(Api, TheTopIsCachedUntilTheBoardChanges) {
  submit("alice", "120");
  const std::string target = std::string(kSeason) + "/top";
  const auto first = server.get(target);
  const std::string etag(first.header("etag"));
  EXPECT_FALSE(etag.empty());
  EXPECT_EQ(first.header("cache-control"), "no-cache");
  const auto if_none_match = [&](const std::string& tag) {
    return server.send({.target = target, .headers = {{"If-None-Match", tag}}});
  };
  const auto again = if_none_match(etag);
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.header("etag"), etag);
  submit("bob", "130");
  const auto changed = if_none_match(etag);
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(players(changed.body), (std::vector<std::string>{"bob", "alice"}));
  EXPECT_NE(changed.header("etag"), etag);
  server.del("/v1/leaderboards/main/players/bob");
  EXPECT_EQ(if_none_match(etag).status, 304);  // the page is the first one again, byte for byte
}

TEST_P(Api, MediaTypesMustFit) {
  for (const std::string type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""}) {
    const auto response =
        server.send({.method = Method::post, .target = kResults, .body = result("a", "1"), .content_type = type});
    expect_problem(response, 415, "unsupported");
  }
  for (const std::string type : {"application/json; charset=utf-8", "Application/JSON"}) {
    const auto response =
        server.send({.method = Method::post, .target = kResults, .body = result("a", "1"), .content_type = type});
    EXPECT_EQ(response.status, 200) << type;
  }
  EXPECT_EQ(server.post("/v1/leaderboards/main/seasons", "").status, 415);
}

TEST_P(Api, TheWrongMethodIsToldTheRightOnes) {
  const auto response = server.del(kResults);
  expect_problem(response, 405, "not_allowed");
  EXPECT_EQ(response.header("allow"), "POST");
  EXPECT_EQ(server.post("/", "x").status, 405);
  EXPECT_EQ(server.send({.method = Method::other, .target = "/healthz"}).status, 405);
}

TEST_P(Api, PagesFromElsewhereAreNotLetIn) {
  for (const std::string target : {"/", "/healthz", "/v1/leaderboards", "/v1/leaderboards/main/seasons/12/top"}) {
    expect_problem(server.send({.target = target, .headers = {{"Host", "evil.example"}}}), 403, "forbidden", "Host");
    expect_problem(server.send({.target = target, .headers = {{"Origin", "http://evil.example"}}}), 403, "forbidden",
                   "Origin");
    EXPECT_EQ(server.send({.target = target, .headers = {{"Origin", server.url()}}}).status, 200) << target;
  }
  expect_problem(server.send({.method = Method::post,
                              .target = kResults,
                              .body = result("alice", "1"),
                              .headers = {{"Host", "evil.example:8080"}}}),
                 403, "forbidden", "Host");
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice").status, 404);
}

TEST_P(Api, HeadAnswersAsGetWithoutABody) {
  submit("alice", "120");
  const auto get = server.get(std::string(kSeason) + "/top");
  const auto head = server.send({.method = Method::head, .target = std::string(kSeason) + "/top"});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.header("content-length"), get.header("content-length"));
  EXPECT_EQ(head.header("etag"), get.header("etag"));
}

TEST_P(Api, ServesItsPageAndItsContract) {
  const auto page = server.get("/");
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("content-security-policy"), "default-src 'self'");
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.header("access-control-allow-origin"), "");
  const auto contract = server.get("/openapi.yaml");
  EXPECT_EQ(contract.header("content-type"), "application/yaml");
  std::ifstream file(SCORELINE_OPENAPI);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(contract.body, text.str());
  EXPECT_EQ(server.get("/..%2f..%2fetc/passwd").status, 404);
  EXPECT_EQ(server.get("/%252e%252e/etc/passwd").status, 404);
}

TEST_P(Api, TellsItsHealth) {
  EXPECT_EQ(server.get("/healthz").body, R"({"status":"ok"})");
  const auto ready = server.get("/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr(R"({"ready":true,"resultsDone":0)"));
}

TEST(ApiBeforeRebuild, C19_AnswersNotReadyAndNeverAWrongRank) {
  ModelLedger ledger;
  ManualClock clock{at("2026-10-12T18:00:00Z")};
  SeededRandom random{1};
  Process process(ledger, clock, random);
  http::Api api(process.service, process.pipeline);
  http::ServerOptions options;
  options.loops = 1;
  const SystemClock system_clock;
  http::Server server(api, system_clock, options);
  must(server.start());
  auto client = http::Client::to("http://127.0.0.1:" + std::to_string(server.port())).value();
  for (const std::string target : {"/readyz", "/v1/leaderboards/main/seasons/12/top", "/seasons/12/leaderboard/top",
                                   "/v1/leaderboards/main/seasons/12/players/a"}) {
    const auto response = client.send({.target = target});
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 503) << target;
    EXPECT_EQ(response->header("retry-after"), "1") << target;
  }
  EXPECT_EQ(client.send({.target = "/healthz"})->status, 200);
  const auto submit = client.send(
      {.method = Method::post, .target = "/v1/leaderboards/main/results", .body = R"({"playerId":"a","points":1})"});
  EXPECT_EQ(submit->status, 503) << submit->body;
  must(process.service.rebuild());
  EXPECT_EQ(client.send({.target = "/readyz"})->status, 200);
}

TEST_P(Api, StorageFaultsAreProblemsAndNothingIsKept) {
  for (const auto& [code, status] : {std::pair{Code::storage_failed, 503}, std::pair{Code::storage_full, 507}}) {
    server.world.ledger.set_script([code = code](std::size_t) { return ModelLedger::Fault{code, false}; });
    const auto response = server.post(kResults, result("alice", "120"));
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice").status, 404);
  }
  server.world.ledger.set_script({});
  submit("alice", "120");
}

}  // namespace
}  // namespace scoreline::test
