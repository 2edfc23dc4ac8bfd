// The routes of results and boards, over real sockets: answers to the letter, and what is refused. C05 … C48 are the
// cases of the contract.
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

TEST_P(Api, SubmitTellsOutcomePointsAndRanks) {
  EXPECT_EQ(server.post(kResults, result("alice", "120")).body,
            R"({"outcome":"improved","points":120,"rank":1,"previousRank":null})");
  EXPECT_EQ(server.post(kResults, result("bob", "130")).body,
            R"({"outcome":"improved","points":130,"rank":1,"previousRank":null})");
  EXPECT_EQ(server.post(kResults, result("alice", "100")).body,
            R"({"outcome":"unchanged","points":120,"rank":2,"previousRank":2})");
  EXPECT_EQ(server.post(kResults, result("alice", "140")).body,
            R"({"outcome":"improved","points":140,"rank":1,"previousRank":2})");
}

TEST_P(Api, ABoardOfThePastIsReadAsAnyOther) {
  submit("alice", "10", "2026-10-12T17:00:00Z");
  submit("bob", "20", "2026-10-12T17:30:00Z");
  const std::string past = "asOf=2026-10-12T17:29:59.999Z";
  EXPECT_EQ(server.get(std::string(kSeason) + "/top?" + past).body,
            R"({"season":12,"period":"season","asOf":"2026-10-12T17:29:59.999Z","players":1,"entries":[{"rank":1,)"
            R"("playerId":"alice","points":10,"achievedAt":"2026-10-12T17:00:00Z"}]})");
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/top").body), (std::vector<std::string>{"bob", "alice"}));
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/players/alice?" + past).body, "rank"), "1");
  expect_problem(server.get(std::string(kSeason) + "/players/bob?" + past), 404, "not_found", "playerId");
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/players/alice/around?" + past).body).size(), 1U);
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/ranks?" + past).body).size(), 1U);
  EXPECT_EQ(
      member(server.post(std::string(kSeason) + "/players:rank?" + past, R"({"playerIds":["bob"]})").body, "asOf"),
      "\"2026-10-12T17:29:59.999Z\"");
  expect_problem(server.get(std::string(kSeason) + "/top?asOf=yesterday"), 422, "invalid", "asOf");
  expect_problem(server.get(std::string(kSeason) + "/top?asOf=2999-01-01T00:00:00Z"), 422, "invalid", "asOf");
}

TEST_P(Api, EntriesTellWhereTheirPlayersStoodBefore) {
  submit("alice", "10", "2026-10-12T17:00:00Z");
  submit("bob", "20", "2026-10-12T17:10:00Z");
  submit("alice", "30", "2026-10-12T17:20:00Z");
  submit("carol", "25", "2026-10-12T17:30:00Z");
  const std::string since = "since=2026-10-12T17:15:00Z";
  EXPECT_THAT(server.get(std::string(kSeason) + "/players/alice?" + since).body,
              HasSubstr(R"("rank":1,"playerId":"alice","points":30,"achievedAt":"2026-10-12T17:20:00Z",)"
                        R"("previousRank":2,"change":1,)"));
  const std::string moved = R"("playerId":"bob","points":20,"achievedAt":"2026-10-12T17:10:00Z","previousRank":1,)"
                            R"("change":-2})";
  const std::string fresh = R"("playerId":"carol","points":25,"achievedAt":"2026-10-12T17:30:00Z",)"
                            R"("previousRank":null,"change":null})";
  for (const std::string read : {"/top?", "/ranks?", "/players/alice/around?"}) {
    const std::string body = server.get(kSeason + read + since).body;
    EXPECT_THAT(body, testing::AllOf(HasSubstr(moved), HasSubstr(fresh))) << read;
  }
  EXPECT_THAT(server.post(std::string(kSeason) + "/players:rank?" + since, R"({"playerIds":["bob"]})").body,
              HasSubstr(moved));
  EXPECT_THAT(server.get(std::string(kSeason) + "/top?since=day").body, HasSubstr(R"("previousRank":)"));
  EXPECT_THAT(server.get(std::string(kSeason) + "/top?" + since + "&asOf=2026-10-12T17:25:00Z").body,
              HasSubstr(R"("previousRank":1,"change":-1})"));
  expect_problem(server.get(std::string(kSeason) + "/top?since=2999-01-01T00:00:00Z"), 422, "invalid", "since");
  expect_problem(server.get(std::string(kSeason) + "/top?since=week"), 422, "invalid", "since");
}

TEST_P(Api, ARankIsCountedAgainFromTheLedger) {
  submit("alice", "10");
  submit("bob", "20");
  const std::string alice =
      R"({"rank":2,"playerId":"alice","points":10,"achievedAt":"2026-10-12T17:00:00Z","players":2,"percentile":50})";
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice/audit").body,
            R"({"season":12,"period":"season","shown":)" + alice + R"(,"recounted":)" + alice + R"(,"agrees":true})");
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/nobody/audit").body,
            R"({"season":12,"period":"season","shown":null,"recounted":null,"agrees":true})");
}

TEST_P(Api, AResultWithAMatchIdCountsOnce) {
  const std::string body =
      R"({"matchId":"82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6","playerId":"alice","seasonId":12,"points":)";
  EXPECT_EQ(member(server.post(kResults, body + "120}").body, "outcome"), "\"improved\"");
  const auto again = server.post(kResults, body + "999}");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(member(again.body, "outcome"), "\"duplicate\"");
  EXPECT_EQ(member(again.body, "points"), "120");
}

TEST_P(Api, ABatchGoesOnAfterWhatItRejects) {
  const auto response =
      server.post(kResults, R"({"results":[)" + result("alice", "120") + R"(,{"playerId":"bob"},)" + result("", "5") +
                                "," + result("carol", "-1") + "," + result("dave", "7") + "]}");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"("improved":2,"unchanged":0,"duplicate":0)"));
  EXPECT_THAT(response.body,
              HasSubstr(R"({"index":1,"code":"invalid","detail":"is missing: a number","field":"points"})"));
  EXPECT_THAT(response.body, HasSubstr(R"({"index":2,"code":"invalid")"));
  EXPECT_THAT(response.body, HasSubstr(R"({"index":3,"code":"invalid")"));
  EXPECT_EQ(server.post(kResults, R"({"results":[]})").body,
            R"({"improved":0,"unchanged":0,"duplicate":0,"rejected":[]})");
}

TEST_P(Api, ReadsAsTheContractShows) {
  submit("alice", "120", "2026-10-12T17:00:00Z");
  submit("bob", "130", "2026-10-12T17:00:00.250Z");
  EXPECT_EQ(server.get(std::string(kSeason) + "/top?limit=1").body,
            R"({"season":12,"period":"season","players":2,"entries":[{"rank":1,"playerId":"bob","points":130,)"
            R"("achievedAt":"2026-10-12T17:00:00.250Z"}]})");
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice").body,
            R"({"rank":2,"playerId":"alice","points":120,"achievedAt":"2026-10-12T17:00:00Z","players":2,)"
            R"("percentile":50})");
  EXPECT_EQ(server.get(std::string(kSeason) + "/players/alice/around?radius=0").body,
            R"({"season":12,"period":"season","players":2,"entries":[{"rank":2,"playerId":"alice","points":120,)"
            R"("achievedAt":"2026-10-12T17:00:00Z"}]})");
  EXPECT_EQ(
      server.post(std::string(kSeason) + "/players:rank", R"({"playerIds":["nobody","alice","bob","alice"]})").body,
      R"({"season":12,"period":"season","entries":[{"rankAmong":1,"rank":1,"playerId":"bob","points":130,)"
      R"("achievedAt":"2026-10-12T17:00:00.250Z"},{"rankAmong":2,"rank":2,"playerId":"alice","points":120,)"
      R"("achievedAt":"2026-10-12T17:00:00Z"}],"absent":["nobody"]})");
}

TEST_P(Api, TheArticlesRoutesAnswerAsItShows) {
  fill(20);
  EXPECT_EQ(server.get("/seasons/12/leaderboard/top?n=2").body,
            R"([{"rank":1,"playerId":"p1","points":999},{"rank":2,"playerId":"p2","points":998}])");
  EXPECT_EQ(server.get("/seasons/12/leaderboard/players/p2/around?radius=1").body,
            R"([{"rank":1,"playerId":"p1","points":999},{"rank":2,"playerId":"p2","points":998},)"
            R"({"rank":3,"playerId":"p3","points":997}])");
  EXPECT_EQ(server.get("/seasons/12/leaderboard/players/p3").body, R"({"rank":3,"playerId":"p3","points":997})");
  EXPECT_EQ(server.get("/seasons/12/leaderboard/players/nobody/around?radius=5").body, "[]");
  EXPECT_EQ(server.get("/seasons/12/leaderboard/players/nobody/around?radius=5").status, 200);
  expect_problem(server.get("/seasons/12/leaderboard/players/nobody"), 404, "not_found", "playerId");
}

TEST_P(Api, WhatNobodyHasOpenedIsEmptyAndWhatIsUnknownIsNot) {
  EXPECT_EQ(server.get("/v1/leaderboards/main/seasons/77/top").body,
            R"({"season":77,"period":"season","players":0,"entries":[]})");
  EXPECT_EQ(server.get("/v1/leaderboards/main/seasons/77/ranks").body,
            R"({"season":77,"period":"season","players":0,"entries":[],"previous":null,"next":null})");
  EXPECT_EQ(member(server.get("/v1/leaderboards/main/seasons/77/players/alice/around").body, "entries"), "[");
  EXPECT_EQ(server.get("/seasons/77/leaderboard/top").body, "[]");
  expect_problem(server.get("/v1/leaderboards/main/seasons/77/players/alice"), 404, "not_found", "playerId");
  expect_problem(server.get("/v1/leaderboards/nowhere/seasons/77/top"), 404, "not_found", "leaderboard");
  expect_problem(server.post("/v1/leaderboards/nowhere/results", result("a", "1")), 404, "not_found", "leaderboard");
  expect_problem(server.get("/v1/nothing"), 404, "not_found");
}

TEST_P(Api, ParametersOutOfRangeAreNamed) {
  submit("alice", "120");
  const std::string season = kSeason;
  for (const std::string& target : {season + "/top?limit=0", season + "/top?limit=1001", season + "/top?limit=1e9",
                                    season + "/ranks?limit=-1", season + "/top?limit=999999999999999999999"}) {
    expect_problem(server.get(target), 422, "invalid", "limit");
  }
  for (const std::string& target :
       {season + "/players/alice/around?radius=101", season + "/players/alice/around?radius=-1",
        std::string("/seasons/12/leaderboard/players/alice/around?radius=x")}) {
    expect_problem(server.get(target), 422, "invalid", "radius");
  }
  expect_problem(server.get(season + "/ranks?from=0"), 422, "invalid", "from");
  expect_problem(server.get("/seasons/12/leaderboard/top?n=0"), 422, "invalid", "n");
  expect_problem(server.get(season + "/top?limit=1&limit=2"), 422, "invalid", "limit");
  expect_problem(server.get(season + "/top?lmit=1"), 422, "invalid", "lmit");
  expect_problem(server.get(season + "/top?period=day:2026-10-12"), 404, "not_found", "period");
  expect_problem(server.get(season + "/top?period=month:2026-10"), 422, "invalid", "period");
  EXPECT_EQ(server.get(season + "/top?period=season").status, 200);
  expect_problem(server.get("/v1/leaderboards/main/seasons/twelve/top"), 422, "invalid", "season");
  expect_problem(server.get("/v1/leaderboards/main/seasons/2147483648/top"), 422, "invalid", "season");
  expect_problem(server.get("/v1/leaderboards/main/seasons/-1/top"), 422, "invalid", "season");
  expect_problem(server.get("/v1/leaderboards/main/seasons/1%"), 400, "unreadable");
}

TEST_P(Api, RadiusZeroAndBeyondBothEnds) {
  fill(5);
  const std::string around = std::string(kSeason) + "/players/p3/around?radius=";
  EXPECT_EQ(players(server.get(around + "0").body), (std::vector<std::string>{"p3"}));
  EXPECT_EQ(players(server.get(around + "100").body), (std::vector<std::string>{"p1", "p2", "p3", "p4", "p5"}));
}

TEST_P(Api, C05_ZeroInEveryFormIsTheSameScore) {
  server.post(kResults, result("a", "0"));
  EXPECT_EQ(member(server.post(kResults, result("b", "0.0", "2026-10-12T17:00:01Z")).body, "points"), "0");
  EXPECT_EQ(member(server.post(kResults, result("c", "-0", "2026-10-12T17:00:02Z")).body, "points"), "0");
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/top").body), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_P(Api, C07_PointsAreExactToTheLastDigit) {
  ASSERT_EQ(server.put("/v1/leaderboards/exact", R"({"minPoints":-9223372036854775808})").status, 201);
  const std::vector<std::string> points = {"9223372036854775807", "9007199254740994", "9007199254740993",
                                           "9007199254740992", "-9223372036854775808"};
  for (const auto& each : points) {
    const auto response = server.post("/v1/leaderboards/exact/results", result("p" + each, each));
    EXPECT_EQ(member(response.body, "points"), each);
  }
  const std::string body = server.get("/v1/leaderboards/exact/seasons/12/top").body;
  std::vector<std::string> expected;
  for (const auto& each : points) {
    expected.push_back("p" + each);
    EXPECT_THAT(body, HasSubstr("\"points\":" + each + ","));
  }
  EXPECT_EQ(players(body), expected);
  for (const std::string over : {"9223372036854775808", "-9223372036854775809", "18446744073709551616"}) {
    expect_problem(server.post("/v1/leaderboards/exact/results", result("x", over)), 422, "invalid", "points");
  }
}

TEST_P(Api, C09_WhatIsNoScoreLeavesTheScoreUntouched) {
  submit("alice", "120");
  const std::string body_begin = R"({"playerId":"alice","seasonId":12,"points":)";
  expect_problem(server.post(kResults, "{}"), 422, "invalid", "playerId");
  expect_problem(server.post(kResults, R"({"playerId":"alice"})"), 422, "invalid", "points");
  for (const std::string points :
       {"\"NaN\"", "1e300", "\"Infinity\"", "\"1e2\"", "1e400", "null", "true", "{}", "9223372036854775808"}) {
    expect_problem(server.post(kResults, body_begin + points + "}"), 422, "invalid", "points");
  }
  for (const std::string points : {"NaN", "Infinity", "-Infinity", "0x10", "+1", ".5", "1.", "01", ""}) {
    expect_problem(server.post(kResults, body_begin + points + "}"), 400, "unreadable");
  }
  expect_problem(server.post(kResults, body_begin + std::string(1'000'000, '9') + "}"), 422, "invalid", "points");
  EXPECT_EQ(member(server.post(kResults, body_begin + "1e2}").body, "outcome"), "\"unchanged\"");
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/players/alice").body, "points"), "120");
}

TEST_P(Api, C10_AFractionIsExactOrRefused) {
  expect_problem(server.post(kResults, result("a", "5.7")), 422, "invalid", "points");
  expect_problem(server.post(kResults, result("a", "-5.7")), 422, "invalid", "points");
  EXPECT_EQ(member(server.post(kResults, result("a", "5.0")).body, "points"), "5");
  ASSERT_EQ(server.put("/v1/leaderboards/tenths", R"({"scale":1,"rule":"sum","minPoints":-100})").status, 201);
  EXPECT_EQ(member(server.post("/v1/leaderboards/tenths/results", result("a", "-5.7")).body, "points"), "-5.7");
  EXPECT_EQ(member(server.post("/v1/leaderboards/tenths/results", result("a", "0.5")).body, "points"), "-5.2");
  expect_problem(server.post("/v1/leaderboards/tenths/results", result("a", "0.05")), 422, "invalid", "points");
}

TEST_P(Api, C20_AroundIsCentredOnThePlayer) {
  fill(30);
  std::vector<std::string> expected;
  for (int i = 10; i <= 20; ++i) expected.push_back("p" + std::to_string(i));
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/players/p15/around?radius=5").body), expected);
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/players/p15/around").body), expected);
}

TEST_P(Api, C22_EveryReadTellsTheSameRank) {
  fill(200);
  for (int i = 7; i <= 200; i += 10) {
    const std::string player = "p" + std::to_string(i);
    const std::string rank = std::to_string(i);
    const std::string single = server.get(std::string(kSeason) + "/players/" + player).body;
    EXPECT_EQ(member(single, "rank"), rank);
    const std::string entry = R"({"rank":)" + rank + R"(,"playerId":")" + player + "\"";
    EXPECT_THAT(server.get(std::string(kSeason) + "/players/" + player + "/around").body, HasSubstr(entry));
    EXPECT_THAT(server.get(std::string(kSeason) + "/top?limit=200").body, HasSubstr(entry));
    EXPECT_THAT(server.get(std::string(kSeason) + "/ranks?limit=1&from=" + rank).body, HasSubstr(entry));
    EXPECT_THAT(server.post(std::string(kSeason) + "/players:rank", R"({"playerIds":[")" + player + "\"]}").body,
                HasSubstr(entry.substr(1)));
  }
}

TEST_P(Api, C23_PagesForwardAndBackShowTheSameRows) {
  fill(50);
  std::vector<std::vector<std::string>> forward;
  for (int page = 0; page < 5; ++page) {
    forward.push_back(
        players(server.get(std::string(kSeason) + "/ranks?limit=10&from=" + std::to_string(10 * page + 1)).body));
    EXPECT_EQ(forward.back().size(), 10U);
  }
  for (int page = 4; page >= 0; --page) {
    EXPECT_EQ(players(server.get(std::string(kSeason) + "/ranks?limit=10&from=" + std::to_string(10 * page + 1)).body),
              forward[static_cast<std::size_t>(page)]);
  }
}

TEST_P(Api, C24_ACursorNeitherSkipsNorRepeatsWhoHasNotMoved) {
  fill(60);
  std::string body = server.get(std::string(kSeason) + "/ranks?limit=10").body;
  std::vector<std::string> seen = players(body);
  submit("p50", "5000");
  submit("newcomer", "4000");
  for (std::string next = member(body, "next"); next != "null"; next = member(body, "next")) {
    const auto response =
        server.get(std::string(kSeason) + "/ranks?limit=10&cursor=" + next.substr(1, next.size() - 2));
    ASSERT_EQ(response.status, 200) << response.body;
    body = response.body;
    const auto page = players(body);
    seen.insert(seen.end(), page.begin(), page.end());
  }
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), seen.size());
  for (int i = 1; i <= 60; ++i) {
    if (i != 50) {
      EXPECT_THAT(seen, testing::Contains("p" + std::to_string(i)));
    }
  }
}

TEST_P(Api, AForeignOrGarbledCursorIsRefused) {
  fill(20);
  const std::string body = server.get(std::string(kSeason) + "/ranks?limit=10").body;
  const std::string next = member(body, "next");
  const std::string cursor = next.substr(1, next.size() - 2);
  const std::string ranks = "/ranks?limit=10&cursor=";
  EXPECT_EQ(server.get(kSeason + ranks + cursor).status, 200);
  expect_problem(server.get("/v1/leaderboards/main/seasons/13" + ranks + cursor), 422, "invalid", "cursor");
  expect_problem(server.get(kSeason + ranks + cursor.substr(1)), 422, "invalid", "cursor");
  expect_problem(server.get(kSeason + ranks), 422, "invalid", "cursor");
  expect_problem(server.get(kSeason + ranks + cursor + "&from=3"), 422, "invalid", "from");
}

TEST_P(Api, C48_IdsComeBackByteForByte) {
  const std::vector<std::string> ids = {"a/b",
                                        "a b",
                                        "a:b",
                                        "a",
                                        "A",
                                        "\xF0\x9F\x8F\x86 cup",
                                        "caf\xC3\xA9",
                                        "cafe\xCC\x81",
                                        "x'); drop table match_results; --",
                                        "..",
                                        "a%2Fb",
                                        "a+b",
                                        "*",
                                        "lb:{s12}",
                                        "players:rank",
                                        "<img onerror=alert(1)>",
                                        std::string(128, 'x')};
  for (const auto& id : ids) submit(id, "10");
  for (const auto& id : ids) {
    const auto response = server.get(std::string(kSeason) + "/players/" + http::percent_encode(id));
    ASSERT_EQ(response.status, 200) << id << response.body;
    EXPECT_EQ(players(response.body), std::vector<std::string>{id});
    EXPECT_EQ(
        players(server.get(std::string(kSeason) + "/players/" + http::percent_encode(id) + "/around?radius=0").body),
        std::vector<std::string>{id});
  }
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/top").body, "players"), std::to_string(ids.size()));
  server.post(kResults, R"({"playerId":42,"seasonId":12,"points":1})");
  EXPECT_EQ(players(server.get(std::string(kSeason) + "/players/42").body), std::vector<std::string>{"42"});
  server.post(kResults, R"({"playerId":"q\"\\","seasonId":12,"points":1})");
  EXPECT_THAT(server.get(std::string(kSeason) + "/players/q%22%5C").body, HasSubstr(R"("playerId":"q\"\\")"));
}

TEST_P(Api, C48_IdsThatAreNoneAreRefused) {
  const std::vector<std::string> in_paths = {std::string(129, 'x'),
                                             "a\r\nX-Injected: 1",
                                             std::string("a\0b", 3),
                                             "\xFF",
                                             "\xC0\xAF",
                                             "\xED\xA0\x80",
                                             "a\x7f",
                                             "\xC2\x80"};
  for (const auto& id : in_paths) {
    const auto response = server.get(std::string(kSeason) + "/players/" + http::percent_encode(id));
    expect_problem(response, 422, "invalid", "playerId");
    EXPECT_EQ(response.header("x-injected"), "");
  }
  expect_problem(server.post(kResults, result(std::string(129, 'x'), "1")), 422, "invalid", "playerId");
  expect_problem(server.post(kResults, result("", "1")), 422, "invalid", "playerId");
  expect_problem(server.post(kResults, result("a\\r\\nb", "1")), 422, "invalid", "playerId");
  expect_problem(server.post(kResults, result("a\\u0000b", "1")), 422, "invalid", "playerId");
  expect_problem(server.post(kResults, result("\\ud800", "1")), 400, "unreadable");
  expect_problem(server.post(kResults, result("\xFF", "1")), 400, "unreadable");
}

INSTANTIATE_TEST_SUITE_P(IndexReads, Api, testing::Values(http::IndexReads::inline_, http::IndexReads::waiting),
                         [](const auto& reads) {
                           return reads.param == http::IndexReads::inline_ ? "Inline" : "Waiting";
                         });

}  // namespace
}  // namespace scoreline::test
