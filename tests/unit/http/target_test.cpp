#include "http/target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/routes.h"

namespace scoreline::http {
namespace {

std::vector<std::string> segments(std::string_view raw) {
  const auto target = Target::parse(raw);
  if (!target) return {"refused"};
  return {target->segments().begin(), target->segments().end()};
}

TEST(Target, DecodesEachSegmentOnce) {
  using Segments = std::vector<std::string>;
  EXPECT_EQ(segments("/a/b"), (Segments{"a", "b"}));
  EXPECT_EQ(segments("/a%2Fb/c%20d"), (Segments{"a/b", "c d"}));
  EXPECT_EQ(segments("/%252F"), (Segments{"%2F"}));
  EXPECT_EQ(segments("/%F0%9F%8F%86"), (Segments{"\xF0\x9F\x8F\x86"}));
  EXPECT_EQ(segments("/a+b"), (Segments{"a+b"}));
  EXPECT_EQ(segments("/a/"), (Segments{"a", ""}));
  EXPECT_EQ(segments("//a"), (Segments{"", "a"}));
  EXPECT_EQ(segments("/a/../b"), (Segments{"a", "..", "b"}));
  EXPECT_EQ(segments("/" + std::string(100, '/')), Segments{});
}

TEST(Target, RefusesAPercentWithoutTwoHexDigits) {
  for (const std::string raw : {"/%", "/%2", "/%g0", "/%0g", "/a%", "/a?x=%", "/a?%zz=1"}) {
    const auto target = Target::parse(raw);
    ASSERT_FALSE(target) << raw;
    EXPECT_EQ(target.error().code, Code::unreadable) << raw;
  }
}

TEST(Target, ReadsParameters) {
  const auto target = Target::parse("/p?limit=10&name=a%26b&&empty=&flag").value();
  EXPECT_EQ(target.path(), "/p");
  EXPECT_EQ(target.parameter("limit"), "10");
  EXPECT_EQ(target.parameter("name"), "a&b");
  EXPECT_EQ(target.parameter("empty"), "");
  EXPECT_EQ(target.parameter("flag"), "");
  EXPECT_FALSE(target.parameter("other"));
  EXPECT_EQ(target.allow_only({"limit", "name", "empty"}).error().field, "flag");
  EXPECT_TRUE(target.allow_only({"limit", "name", "empty", "flag"}));
  EXPECT_EQ(Target::parse("/?a=1&a=2")->allow_only({"a"}).error().field, "a");
  EXPECT_EQ(Target::parse("/?a&b&c&d&e&f&g&h&i").error().code, Code::too_many);
}

TEST(Target, ReadsWholeNumbersInTheirRange) {
  const auto number = [](std::string_view raw) { return Target::parse(raw)->whole_number("n", 5, 1, 1000); };
  EXPECT_EQ(number("/"), 5U);
  EXPECT_EQ(number("/?n=1"), 1U);
  EXPECT_EQ(number("/?n=1000"), 1000U);
  for (const std::string raw : {"/?n=0", "/?n=1001", "/?n=-1", "/?n=", "/?n", "/?n=1e3", "/?n=1.0", "/?n=%201",
                                "/?n=+1", "/?n=0x1", "/?n=99999999999999999999999"}) {
    ASSERT_FALSE(number(raw)) << raw;
    EXPECT_EQ(number(raw).error().field, "n") << raw;
  }
}

std::string route_of(Method method, std::string_view raw) {
  const auto target = Target::parse(raw).value();
  const Match found = match(method, target);
  return found.route == nullptr ? "none" : std::string(found.route->pattern);
}

TEST(Routes, FindTheirPathExactly) {
  EXPECT_EQ(route_of(Method::get, "/v1/leaderboards"), "/v1/leaderboards");
  EXPECT_EQ(route_of(Method::head, "/healthz"), "/healthz");
  EXPECT_EQ(route_of(Method::post, "/v1/leaderboards/main/seasons/12/players:rank"),
            "/v1/leaderboards/{leaderboard}/seasons/{season}/players:rank");
  EXPECT_EQ(route_of(Method::get, "/seasons/12/leaderboard/players/42/around?radius=5"),
            "/seasons/{season}/leaderboard/players/{player}/around");
  for (const std::string raw :
       {"/", "/v1/leaderboards/", "/v1//leaderboards", "/V1/leaderboards", "/v1/leaderboards/a/", "/healthz/",
        "/healthz./", "/seasons/12/leaderboard", "/..%2f..%2fetc/passwd", "/seasons//leaderboard/top",
        "/v1/leaderboards/main/../main"}) {
    EXPECT_EQ(route_of(Method::get, raw), "none") << raw;
  }
}

TEST(Routes, KeepASlashInAPlayersId) {
  const auto target = Target::parse("/v1/leaderboards/main/seasons/12/players/a%2Fb%20%2e%2e").value();
  const Match found = match(Method::get, target);
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.params[0], "main");
  EXPECT_EQ(found.params[1], "12");
  EXPECT_EQ(found.params[2], "a/b ..");
}

TEST(Routes, TellWhichMethodsAPathHas) {
  const auto allow = [](Method method, std::string_view raw) {
    return match(method, Target::parse(raw).value()).allow;
  };
  EXPECT_EQ(allow(Method::post, "/v1/leaderboards/main"), "GET, HEAD, PUT, DELETE");
  EXPECT_EQ(allow(Method::get, "/v1/leaderboards/main/results"), "POST");
  EXPECT_EQ(allow(Method::other, "/healthz"), "GET, HEAD");
  EXPECT_EQ(allow(Method::get, "/nowhere"), "");
}

}  // namespace
}  // namespace scoreline::http
