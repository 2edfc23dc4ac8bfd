// The routes that moderate, and the log of what was done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_fixture.h"

namespace scoreline::test {
namespace {

using testing::HasSubstr;

TEST_P(Api, AHiddenPlayerIsGoneUntilRestored) {
  fill(3);
  const std::string player = "/v1/leaderboards/main/players/p1";
  EXPECT_EQ(server.post(player + ":hide", R"({"reason":"aimbot"})").body,
            R"({"playerId":"p1","hidden":true,"changed":true})");
  EXPECT_EQ(server.post(player + ":hide", "{}").body, R"({"playerId":"p1","hidden":true,"changed":false})");
  expect_problem(server.get(std::string(kSeason) + "/players/p1"), 404, "not_found", "playerId");
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/players/p2").body, "rank"), "1");
  const auto hidden = server.get("/v1/leaderboards/main/hidden-players").body;
  EXPECT_THAT(hidden, HasSubstr(R"({"players":1,"hiddenPlayers":[{"playerId":"p1","hiddenAt":")"));
  EXPECT_THAT(hidden, HasSubstr(R"("reason":"aimbot"}]})"));
  EXPECT_EQ(server.post(player + ":restore", "{}").body, R"({"playerId":"p1","hidden":false,"changed":true})");
  EXPECT_EQ(member(server.get(std::string(kSeason) + "/players/p1").body, "rank"), "1");
  const auto log = server.get("/v1/audit-log").body;
  EXPECT_THAT(log, HasSubstr(R"("action":"hide-player","leaderboard":"main","playerId":"p1","by":"anonymous",)"
                             R"("detail":"aimbot"})"));
  EXPECT_THAT(log, HasSubstr(R"("action":"restore-player","leaderboard":"main","playerId":"p1","by":"anonymous"})"));
}

TEST_P(Api, APreviewTellsWhoMovesAndChangesNothing) {
  fill(3);
  const std::string board = server.get(std::string(kSeason) + "/ranks").body;
  const std::string log = server.get("/v1/audit-log").body;
  const std::string player = "/v1/leaderboards/main/players/p1";
  const auto hide = server.post(player + ":hide?preview=true", "{}");
  EXPECT_EQ(hide.status, 200);
  EXPECT_THAT(hide.body,
              HasSubstr(R"({"preview":true,"results":1,"archives":0,"boards":[{"season":12,"period":"season",)"
                        R"("players":3,"playersAfter":2,"movingUp":2,"movingDown":0,"changes":[)"
                        R"({"playerId":"p1","before":{"rank":1,"playerId":"p1",)"));
  EXPECT_THAT(hide.body, HasSubstr(R"(},"after":null}]}]})"));
  EXPECT_EQ(server.del(player + "?preview=true&ledger=true").body, hide.body);
  EXPECT_EQ(server.get(std::string(kSeason) + "/ranks").body, board);
  EXPECT_EQ(server.get("/v1/audit-log").body, log);
  expect_problem(server.post(player + ":hide?preview=yes", "{}"), 422, "invalid", "preview");
  expect_problem(server.post(player + ":restore?preview=true", "{}"), 422, "invalid", "preview");
  expect_problem(server.del("/v1/leaderboards/main/matches/018f2f6e-7b1c-7c3a-9f00-000000000001?preview=true"), 404,
                 "not_found", "matchId");
}

TEST_P(Api, ModerationSaysWhatIsWrongWithACall) {
  const std::string player = "/v1/leaderboards/main/players/p1";
  expect_problem(server.post("/v1/leaderboards/nowhere/players/p1:hide", "{}"), 404, "not_found", "leaderboard");
  expect_problem(server.post(player + ":hide", R"({"reason":7})"), 422, "invalid", "reason");
  expect_problem(server.post(player + ":hide", R"({"why":"x"})"), 422, "invalid", "why");
  expect_problem(server.post(player + ":hide", R"({"reason":")" + std::string(1'001, 'x') + "\"}"), 422, "invalid",
                 "reason");
  expect_problem(server.del("/v1/leaderboards/main/matches/7"), 422, "invalid", "matchId");
  expect_problem(server.del("/v1/leaderboards/main/matches/018f2f6e-7b1c-7c3a-9f00-000000000001"), 404, "not_found",
                 "matchId");
  expect_problem(server.get("/v1/audit-log?after=x"), 422, "invalid", "after");
  expect_problem(server.get("/v1/leaderboards/main/hidden-players?limit=0"), 422, "invalid", "limit");
}

}  // namespace
}  // namespace scoreline::test
