// Messages that could not be taken, over HTTP; and what /metrics tells.
#include <gmock/gmock.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include "api_fixture.h"

namespace scoreline::test {
namespace {

using testing::HasSubstr;

class ApiDeadLetters : public Api {
 protected:
  void put_aside(std::int64_t offset, std::optional<std::string> value, std::uint64_t cut = 0,
                 std::optional<Timestamp> sent_at = at("2026-10-12T17:00:00Z")) {
    const std::uint64_t size = value ? value->size() + cut : 0;
    const ingest::DeadLetter letter{{{"match-results", 3}, offset, sent_at, std::move(value)},
                                    size,
                                    {Code::not_found, "there is no leaderboard \"laps\"", "leaderboard", {}}};
    ASSERT_TRUE(server.dead_letters.add(std::span(&letter, 1), at("2026-10-12T17:00:01.500Z")));
  }
  http::ClientResponse replay(const std::string& body) { return server.post("/v1/dead-letters:replay", body); }
};

INSTANTIATE_TEST_SUITE_P(Reads, ApiDeadLetters, testing::Values(http::IndexReads::inline_, http::IndexReads::waiting));

TEST_P(ApiDeadLetters, AreShownInEveryField) {
  EXPECT_EQ(server.get("/v1/dead-letters").body, R"({"deadLetters":[]})");
  put_aside(7, R"({"x":"é"})");
  const std::string one = R"({"id":1,"topic":"match-results","partition":3,"offset":7,"sentAt":"2026-10-12T17:00:00Z",)"
                          R"("addedAt":"2026-10-12T17:00:01.500Z","code":"not_found","field":"leaderboard",)"
                          R"("detail":"there is no leaderboard \"laps\"","size":10,"value":"{\"x\":\"é\"}"})";
  EXPECT_EQ(server.get("/v1/dead-letters/1").body, one);
  EXPECT_EQ(server.get("/v1/dead-letters").body, R"({"deadLetters":[)" + one + "]}");
}

TEST_P(ApiDeadLetters, HostileBytesAndTimesDoNotBreakTheAnswer) {
  put_aside(0, std::string("\xFF\x00\x1B[2J", 6), 0, Timestamp{std::numeric_limits<std::int64_t>::max()});
  put_aside(1, std::nullopt, 0, std::nullopt);
  put_aside(2, "");
  put_aside(3, std::string("a\0\x1B", 3));
  const auto first = server.get("/v1/dead-letters/1").body;
  EXPECT_THAT(first, HasSubstr(R"("valueBase64":"/wAbWzJK")"));
  EXPECT_THAT(first, Not(HasSubstr("sentAt")));
  EXPECT_THAT(first, Not(HasSubstr(R"("value":)")));
  EXPECT_THAT(server.get("/v1/dead-letters/2").body, HasSubstr(R"("size":0,"value":null})"));
  EXPECT_THAT(server.get("/v1/dead-letters/3").body, HasSubstr(R"("size":0,"value":""})"));
  EXPECT_THAT(server.get("/v1/dead-letters/4").body, HasSubstr(R"("value":"a\u0000\u001b"})"));
}

TEST_P(ApiDeadLetters, ComeInPages) {
  for (int i = 0; i < 5; ++i) put_aside(i, "{}");
  const auto first = server.get("/v1/dead-letters?limit=2").body;
  EXPECT_THAT(first, testing::EndsWith(R"(,"next":2})"));
  const auto last = server.get("/v1/dead-letters?after=4&limit=2").body;
  EXPECT_THAT(last, HasSubstr(R"({"deadLetters":[{"id":5,)"));
  EXPECT_THAT(last, Not(HasSubstr("next")));
  expect_problem(server.get("/v1/dead-letters?limit=1001"), 422, "invalid", "limit");
  expect_problem(server.get("/v1/dead-letters?after=-1"), 422, "invalid", "after");
  expect_problem(server.get("/v1/dead-letters?page=1"), 422, "invalid", "page");
  expect_problem(server.get("/v1/dead-letters/6"), 404, "not_found", "id");
  expect_problem(server.get("/v1/dead-letters/x"), 422, "invalid", "id");
  expect_problem(server.get("/v1/dead-letters/99999999999999999999"), 422, "invalid", "id");
}

TEST_P(ApiDeadLetters, ReplayTakesInWhatItCanAndTellsTheRest) {
  put_aside(0, result("alice", "120"));
  put_aside(1, result("bob", "-1"));
  put_aside(2, result("carol", "7"), 1);
  const auto some = replay(R"({"ids":[1,9]})");
  EXPECT_EQ(some.status, 200);
  EXPECT_EQ(some.body, R"({"replayed":1,"refused":[{"id":9,"code":"not_found","field":"id",)"
                       R"("detail":"there is no such dead letter"}]})");
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/top").body), std::vector<std::string>{"alice"});
  const auto all = replay(R"({"all":true})").body;
  EXPECT_THAT(all, HasSubstr(R"({"replayed":0,"refused":[{"id":3,"code":"too_large",)"));
  EXPECT_THAT(all, HasSubstr(R"({"id":2,"code":"invalid","field":"points")"));
  EXPECT_THAT(server.get("/v1/dead-letters/2").body, HasSubstr(R"("code":"invalid","field":"points")"));
  EXPECT_EQ(server.post("/v1/dead-letters:discard", R"({"all":true,"after":2})").body,
            R"({"discarded":1,"refused":[]})");
  EXPECT_EQ(server.post("/v1/dead-letters:discard", R"({"ids":[2]})").body, R"({"discarded":1,"refused":[]})");
  EXPECT_EQ(server.get("/v1/dead-letters").body, R"({"deadLetters":[]})");
}

TEST_P(ApiDeadLetters, NothingIsDoneUntilItIsClearToWhat) {
  put_aside(0, result("alice", "120"));
  std::string many = R"({"ids":[1)";
  for (int i = 0; i < 1'000; ++i) many += ",1";
  for (const auto& [body, status, field] : {std::tuple{std::string("{}"), 422, "ids"},
                                            {R"({"ids":[]})", 422, "ids"},
                                            {R"({"all":false})", 422, "ids"},
                                            {R"({"all":true,"ids":[1]})", 422, "ids"},
                                            {R"({"ids":1})", 422, "ids"},
                                            {R"({"ids":["1"]})", 422, "ids"},
                                            {R"({"ids":[-1]})", 422, "ids"},
                                            {R"({"all":1})", 422, "all"},
                                            {R"({"every":true})", 422, "every"},
                                            {R"([1])", 422, ""},
                                            {"x", 400, ""},
                                            {many + "]}", 422, "ids"}}) {
    for (const char* const verb : {"replay", "discard"}) {
      const auto response = server.post(std::string("/v1/dead-letters:") + verb, body);
      EXPECT_EQ(response.status, status) << body << response.body;
      if (*field != '\0') {
        EXPECT_EQ(member(response.body, "field"), '"' + std::string(field) + '"') << body;
      }
    }
  }
  const auto form = server.send({.method = http::Method::post,
                                 .target = "/v1/dead-letters:discard",
                                 .body = R"({"all":true})",
                                 .content_type = "text/plain"});
  EXPECT_EQ(form.status, 415) << "a web page of another origin could send it";
  EXPECT_EQ(server.dead_letters.count().value(), 1U);
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice").status, 404);
}

TEST_P(ApiDeadLetters, MetricsHaveWhatTheRegistryHas) {
  prometheus::BuildCounter().Name("scoreline_cases_total").Help("x").Register(server.registry).Add({}).Increment(3);
  const auto metrics = server.get("/metrics");
  EXPECT_EQ(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(metrics.body, HasSubstr("# TYPE scoreline_cases_total counter\nscoreline_cases_total 3\n"));
  EXPECT_THAT(metrics.body, HasSubstr("# TYPE scoreline_board_drift_players gauge\n"));
}

}  // namespace
}  // namespace scoreline::test
