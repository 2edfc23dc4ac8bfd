// Reads that go by order: pages backwards, ranks, points, distributions, and ties that share a rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_fixture.h"

namespace scoreline::test {
namespace {

using testing::HasSubstr;

/// A cursor without its quotes; empty when there is none.
std::string unquoted(std::string text) {
  if (text == "null") return {};
  return text.substr(1, text.size() - 2);
}

class OrderApi : public Api {
 protected:
  static constexpr const char* kShared = "/v1/leaderboards/ties/seasons/12";

  /// a 9, b 7, c 7, d 5 on a board with these ties.
  void fill_ties(const std::string& ties) {
    ASSERT_EQ(server.put("/v1/leaderboards/ties", R"({"ties":")" + ties + "\"}").status, 201);
    for (const auto& [player, points] :
         {std::pair("a", "9"), std::pair("b", "7"), std::pair("c", "7"), std::pair("d", "5")}) {
      ASSERT_EQ(server.post("/v1/leaderboards/ties/results", result(player, points)).status, 200);
    }
  }
  static std::vector<std::string> ranks(const std::string& body) {
    std::vector<std::string> found;
    for (std::size_t at = body.find("\"rank\":"); at != std::string::npos; at = body.find("\"rank\":", at + 1)) {
      found.push_back(body.substr(at + 7, body.find(',', at) - at - 7));
    }
    return found;
  }
};

// C23
TEST_P(OrderApi, PagesBackwardsShowTheSameRows) {
  fill(47);
  const std::string ranks = std::string(kSeason) + "/ranks?limit=10";
  std::vector<std::vector<std::string>> pages;
  std::string body = server.get(ranks).body;
  EXPECT_EQ(member(body, "previous"), "null");
  for (;;) {
    pages.push_back(players(body));
    const std::string next = unquoted(member(body, "next"));
    if (next.empty()) break;
    body = server.get(ranks + "&cursor=" + next).body;
  }
  ASSERT_EQ(pages.size(), 5U);
  EXPECT_EQ(pages.back().size(), 7U);
  for (std::size_t page = pages.size() - 1; page-- > 0;) {
    body = server.get(ranks + "&cursor=" + unquoted(member(body, "previous"))).body;
    EXPECT_EQ(players(body), pages[page]) << page;
  }
  EXPECT_EQ(member(body, "previous"), "null");
}

TEST_P(OrderApi, WhoEqualsSharesARank) {
  fill_ties("shared");
  EXPECT_THAT(ranks(server.get(std::string(kShared) + "/top").body), testing::ElementsAre("1", "2", "2", "4"));
  const auto friends = server.post(std::string(kShared) + "/players:rank", R"({"playerIds":["d","b","c"]})").body;
  EXPECT_THAT(friends, HasSubstr(R"({"rankAmong":1,"rank":2,"playerId":"c")"));
  EXPECT_THAT(friends, HasSubstr(R"({"rankAmong":1,"rank":2,"playerId":"b")"));
  EXPECT_THAT(friends, HasSubstr(R"({"rankAmong":3,"rank":4,"playerId":"d")"));
  EXPECT_EQ(member(server.get(std::string(kShared) + "/players/b").body, "percentile"), "75");
  const auto second = server.get(std::string(kShared) + "/ranks?from=3&limit=1").body;
  EXPECT_THAT(ranks(second), testing::ElementsAre("2"));
  EXPECT_NE(member(second, "previous"), "null");
}

TEST_P(OrderApi, DenseRanksLeaveNoneOut) {
  fill_ties("dense");
  EXPECT_THAT(ranks(server.get(std::string(kShared) + "/top").body), testing::ElementsAre("1", "2", "2", "3"));
  const auto last = server.get(std::string(kShared) + "/players/d").body;
  EXPECT_EQ(member(last, "rank"), "3");
  EXPECT_EQ(member(last, "percentile"), "25");
  const auto third = server.get(std::string(kShared) + "/ranks/3").body;
  EXPECT_THAT(third, HasSubstr(R"("playerId":"d")"));
  EXPECT_EQ(member(third, "pointsToReach"), "5");
}

TEST_P(OrderApi, ARankTellsWhatItTakes) {
  fill(20);
  const auto tenth = server.get(std::string(kSeason) + "/ranks/10").body;
  EXPECT_THAT(tenth, HasSubstr(R"("entry":{"rank":10,"playerId":"p10","points":990,)"));
  EXPECT_EQ(member(tenth, "pointsToReach"), "991");
  const auto beyond = server.get(std::string(kSeason) + "/ranks/21").body;
  EXPECT_THAT(beyond, HasSubstr(R"("rank":21,"entry":null,"pointsToReach":null})"));
  expect_problem(server.get(std::string(kSeason) + "/ranks/0"), 422, "invalid", "rank");
  expect_problem(server.get(std::string(kSeason) + "/ranks/ten"), 422, "invalid", "rank");
}

TEST_P(OrderApi, PointsTellHowManyAreAboveAndWhoIsBetween) {
  fill(20);
  const auto above = server.get(std::string(kSeason) + "/points?above=990").body;
  EXPECT_EQ(above, R"({"season":12,"period":"season","players":20,"points":990,"above":9,"percentile":55})");
  const auto between = server.get(std::string(kSeason) + "/points?from=990&to=992&limit=2").body;
  EXPECT_THAT(players(between), testing::ElementsAre("p8", "p9"));
  EXPECT_EQ(member(between, "count"), "3");
  EXPECT_THAT(players(server.get(std::string(kSeason) + "/points?from=998").body), testing::ElementsAre("p1", "p2"));
  expect_problem(server.get(std::string(kSeason) + "/points"), 422, "invalid", "above");
  expect_problem(server.get(std::string(kSeason) + "/points?above=1&from=2"), 422, "invalid", "above");
  expect_problem(server.get(std::string(kSeason) + "/points?from=2&to=1"), 422, "invalid", "to");
  expect_problem(server.get(std::string(kSeason) + "/points?above=1.5"), 422, "invalid", "above");
}

TEST_P(OrderApi, TheDistributionCountsEverybodyOnce) {
  fill(20);  // 980..999
  EXPECT_EQ(server.get(std::string(kSeason) + "/distribution?buckets=3").body,
            R"({"season":12,"period":"season","players":20,"buckets":[{"from":980,"to":986,"count":7},)"
            R"({"from":987,"to":993,"count":7},{"from":994,"to":999,"count":6}],"percentiles":[)"
            R"({"percentile":99,"points":999},{"percentile":95,"points":998},{"percentile":90,"points":997},)"
            R"({"percentile":75,"points":994},{"percentile":50,"points":989},{"percentile":25,"points":984}]})");
  EXPECT_EQ(server.get("/v1/leaderboards/main/seasons/77/distribution").body,
            R"({"season":77,"period":"season","players":0,"buckets":[],"percentiles":[]})");
  expect_problem(server.get(std::string(kSeason) + "/distribution?buckets=0"), 422, "invalid", "buckets");
  expect_problem(server.get(std::string(kSeason) + "/distribution?buckets=101"), 422, "invalid", "buckets");
}

INSTANTIATE_TEST_SUITE_P(IndexReads, OrderApi, testing::Values(http::IndexReads::inline_, http::IndexReads::waiting),
                         [](const auto& reads) {
                           return reads.param == http::IndexReads::inline_ ? "Inline" : "Waiting";
                         });

}  // namespace
}  // namespace scoreline::test
