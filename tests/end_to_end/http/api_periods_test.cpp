// Boards of days and weeks over real sockets: answers to the letter, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_fixture.h"

namespace scoreline::test {
namespace {

using http::Method;
using testing::HasSubstr;

class ApiPeriods : public Api {
 protected:
  // The server's clock says 2026-10-12T18:00:00Z, a Monday.
  ApiPeriods() {
    const auto response = server.send({.method = Method::put,
                                       .target = "/v1/leaderboards/main",
                                       .body = R"({"periods":["day","week"],"timeZone":"Europe/Berlin"})"});
    EXPECT_EQ(response.status, 200) << response.body;
    submit("alice", "10", "2026-10-12T17:00:00Z");
    submit("bob", "20", "2026-10-12T16:00:00Z");
    submit("alice", "30", "2026-10-11T21:59:59Z");  // 23:59:59 on Sunday in Berlin
  }
  std::string read(const std::string& path) { return server.get(std::string(kSeason) + path).body; }
};

TEST_P(ApiPeriods, EveryReadTakesAPeriod) {
  EXPECT_EQ(read("/top?period=day:2026-10-12&limit=1"),
            R"({"season":12,"period":"day:2026-10-12","players":2,"entries":[{"rank":1,"playerId":"bob","points":20,)"
            R"("achievedAt":"2026-10-12T16:00:00Z"}]})");
  EXPECT_EQ(read("/top?period=day&limit=1"), read("/top?period=day:2026-10-12&limit=1"));
  EXPECT_EQ(read("/players/alice?period=week:2026-W42"),
            R"({"rank":2,"playerId":"alice","points":10,"achievedAt":"2026-10-12T17:00:00Z","players":2,)"
            R"("percentile":50})");
  EXPECT_EQ(players(read("/players/alice/around?period=week:2026-W41")), (std::vector<std::string>{"alice"}));
  EXPECT_EQ(players(read("/ranks?period=day")), (std::vector<std::string>{"bob", "alice"}));
  EXPECT_EQ(players(read("/top")), (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(players(read("/top?period=season")), (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(
      server.post(std::string(kSeason) + "/players:rank?period=day:2026-10-11", R"({"playerIds":["bob","alice"]})")
          .body,
      R"({"season":12,"period":"day:2026-10-11","entries":[{"rankAmong":1,"rank":1,"playerId":"alice",)"
      R"("points":30,"achievedAt":"2026-10-11T21:59:59Z"}],"absent":["bob"]})");
  EXPECT_EQ(member(read("/players/alice/audit?period=day"), "agrees"), "true");
}

TEST_P(ApiPeriods, ACursorBelongsToItsBoard) {
  const std::string page = read("/ranks?period=day&limit=1");
  std::string cursor = member(page, "next");
  ASSERT_GT(cursor.size(), 2U) << page;
  cursor = cursor.substr(1, cursor.size() - 2);
  EXPECT_EQ(players(read("/ranks?period=day:2026-10-12&cursor=" + cursor)), (std::vector<std::string>{"alice"}));
  expect_problem(server.get(std::string(kSeason) + "/ranks?cursor=" + cursor), 422, "invalid", "cursor");
  expect_problem(server.get(std::string(kSeason) + "/ranks?period=week&cursor=" + cursor), 422, "invalid", "cursor");
}

TEST_P(ApiPeriods, AWrongPeriodIsNamed) {
  for (const char* const bad : {"", "day:2026-02-30", "week:2025-W53", "week:2026-W00", "week:2026-W54",
                                "day:2026-13-01", "month:2026-10", "Week", "day%3A"}) {
    expect_problem(server.get(std::string(kSeason) + "/top?period=" + bad), 422, "invalid", "period");
  }
  const auto gone = server.get(std::string(kSeason) + "/top?period=day:2026-10-08");
  expect_problem(gone, 404, "not_found", "period");
  EXPECT_THAT(gone.body, HasSubstr("day:2026-10-09 to day:2026-10-12"));
  expect_problem(server.get("/v1/leaderboards/main/seasons/12/top?period=day:2026-10-12&period=week"), 422, "invalid",
                 "period");
}

TEST_P(ApiPeriods, APlayersPlacesAreOneAnswer) {
  EXPECT_EQ(server.get("/v1/leaderboards/main/players/bob").body,
            R"({"playerId":"bob","boards":[{"season":12,"period":"season","rank":2,"playerId":"bob","points":20,)"
            R"("achievedAt":"2026-10-12T16:00:00Z","players":2,"percentile":50},{"season":12,)"
            R"("period":"day:2026-10-12","rank":1,"playerId":"bob","points":20,"achievedAt":"2026-10-12T16:00:00Z",)"
            R"("players":2,"percentile":100},{"season":12,"period":"week:2026-W42","rank":1,"playerId":"bob",)"
            R"("points":20,"achievedAt":"2026-10-12T16:00:00Z","players":2,"percentile":100}]})");
  EXPECT_EQ(server.get("/v1/leaderboards/main/players/nobody").body, R"({"playerId":"nobody","boards":[]})");
  expect_problem(server.get("/v1/leaderboards/nope/players/bob"), 404, "not_found", "leaderboard");
}

TEST_P(ApiPeriods, TheKeptTopIsThatOfItsBoard) {
  EXPECT_EQ(players(read("/top?period=day:2026-10-11")), (std::vector<std::string>{"alice"}));
  EXPECT_EQ(players(read("/top?period=day:2026-10-12")), (std::vector<std::string>{"bob", "alice"}));
  submit("carol", "99", "2026-10-11T12:00:00Z");
  EXPECT_EQ(players(read("/top?period=day:2026-10-11")), (std::vector<std::string>{"carol", "alice"}));
  EXPECT_EQ(players(read("/top?period=day:2026-10-12")), (std::vector<std::string>{"bob", "alice"}));
}

TEST_P(ApiPeriods, ABoardOfADayIsMadeAgainByItself) {
  const auto started = server.post(std::string(kSeason) + ":reconcile?period=day:2026-10-12", "");
  EXPECT_EQ(started.status, 202) << started.body;
  EXPECT_EQ(member(started.body, "period"), "\"day:2026-10-12\"");
  expect_problem(server.get(std::string(kSeason) + ":reconcile?period=day:2026-10-11"), 404, "not_found");
}

INSTANTIATE_TEST_SUITE_P(IndexReads, ApiPeriods, testing::Values(http::IndexReads::inline_, http::IndexReads::waiting),
                         [](const auto& reads) {
                           return reads.param == http::IndexReads::inline_ ? "Inline" : "Waiting";
                         });

}  // namespace
}  // namespace scoreline::test
