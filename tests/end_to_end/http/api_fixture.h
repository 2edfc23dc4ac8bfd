// A server on a free port with an empty `main`, and the ways its answers are looked at. Every test runs twice: with
// reads of the index inline, and on threads of their own as over another machine's index.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live_server.h"

namespace scoreline::test {

class Api : public testing::TestWithParam<http::IndexReads> {
 protected:
  static constexpr const char* kResults = "/v1/leaderboards/main/results";
  static constexpr const char* kSeason = "/v1/leaderboards/main/seasons/12";

  static std::string result(const std::string& player, const std::string& points,
                            const std::string& at = "2026-10-12T17:00:00Z") {
    return R"({"playerId":")" + player + R"(","seasonId":12,"points":)" + points + R"(,"achievedAt":")" + at + "\"}";
  }
  void submit(const std::string& player, const std::string& points, const std::string& at = "2026-10-12T17:00:00Z") {
    const auto response = server.post(kResults, result(player, points, at));
    ASSERT_EQ(response.status, 200) << response.body;
  }
  /// `count` players p1 … with the highest points first.
  void fill(int count) {
    std::string body;
    for (int i = 1; i <= count; ++i) body += result("p" + std::to_string(i), std::to_string(1000 - i)) + "\n";
    const auto response = server.send(
        {.method = http::Method::post, .target = kResults, .body = body, .content_type = "application/x-ndjson"});
    ASSERT_EQ(response.body,
              R"({"improved":)" + std::to_string(count) + R"(,"unchanged":0,"duplicate":0,"rejected":[]})");
  }
  /// The players of an answer in their order.
  static std::vector<std::string> players(const std::string& body) {
    std::vector<std::string> found;
    const std::string key = R"("playerId":")";
    for (std::size_t at = body.find(key); at != std::string::npos; at = body.find(key, at)) {
      at += key.size();
      found.push_back(body.substr(at, body.find('"', at) - at));
    }
    return found;
  }
  /// The text of a member, up to the next comma or brace.
  static std::string member(const std::string& body, const std::string& key) {
    const std::size_t at = body.find("\"" + key + "\":");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + key.size() + 3;
    return body.substr(begin, body.find_first_of(",}]", begin) - begin);
  }
  void expect_problem(const http::ClientResponse& response, int status, const std::string& code,
                      const std::string& field = {}) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.header("content-type"), "application/problem+json") << response.body;
    EXPECT_EQ(member(response.body, "code"), "\"" + code + "\"") << response.body;
    EXPECT_EQ(member(response.body, "status"), std::to_string(status));
    if (!field.empty()) {
      EXPECT_EQ(member(response.body, "field"), "\"" + field + "\"") << response.body;
    }
  }

  LiveServer server{GetParam()};
};

}  // namespace scoreline::test
