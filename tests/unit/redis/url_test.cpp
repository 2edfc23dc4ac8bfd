#include "adapters/redis/url.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace scoreline::redis {
namespace {

TEST(RedisUrl, OneServerWithEverything) {
  const auto url = parse_url("rediss://app:p%40ss%2Fword@cache.example:6380/3?ca=/etc/ca%20one.pem").value();
  EXPECT_EQ(url.kind, Url::Kind::server);
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.user, "app");
  EXPECT_EQ(url.password, "p@ss/word");
  ASSERT_EQ(url.endpoints.size(), 1U);
  EXPECT_EQ(url.endpoints[0], (Endpoint{"cache.example", 6380}));
  EXPECT_EQ(url.database, 3);
  EXPECT_EQ(url.ca_file, "/etc/ca one.pem");
}

TEST(RedisUrl, OneServerWithNothing) {
  const auto url = parse_url("redis://localhost").value();
  EXPECT_FALSE(url.tls);
  EXPECT_EQ(url.endpoints[0], (Endpoint{"localhost", 6379}));
  EXPECT_EQ(url.database, 0);
  EXPECT_TRUE(url.user.empty() && url.password.empty());
}

TEST(RedisUrl, PasswordsMayHoldWhatNobodyEncoded) {
  EXPECT_EQ(parse_url("redis://:a/b?c@d@host/1").value().password, "a/b?c@d");
}

TEST(RedisUrl, AddressesOfSixteenBytesStandInBrackets) {
  const auto url = parse_url("redis://[::1]:7000/2").value();
  EXPECT_EQ(url.endpoints[0], (Endpoint{"::1", 7000}));
  EXPECT_EQ(to_string(url.endpoints[0]), "[::1]:7000");
}

TEST(RedisUrl, SentinelsAndTheirMaster) {
  const auto url = parse_url("redis-sentinel://u:p@s1,s2:26380/mymaster").value();
  EXPECT_EQ(url.kind, Url::Kind::sentinel);
  EXPECT_EQ(url.endpoints, (std::vector<Endpoint>{{"s1", 26379}, {"s2", 26380}}));
  EXPECT_EQ(url.master, "mymaster");
}

TEST(RedisUrl, NodesOfACluster) {
  const auto url = parse_url("redis-cluster://a:7000,b").value();
  EXPECT_EQ(url.kind, Url::Kind::cluster);
  EXPECT_EQ(url.endpoints, (std::vector<Endpoint>{{"a", 7000}, {"b", 6379}}));
}

TEST(RedisUrl, WhatIsWrongIsNamed) {
  struct Case {
    std::string_view url;
    std::string_view part;
  };
  constexpr std::array<Case, 22> kCases{{{"", "scheme"},
                                         {"localhost:6379", "scheme"},
                                         {"http://localhost", "scheme"},
                                         {"redis://", "host"},
                                         {"redis://:6379", "host"},
                                         {"redis://a b", "host"},
                                         {"redis://[::1", "host"},
                                         {"redis://[::1]x", "host"},
                                         {"redis://a,b", "host"},
                                         {"redis-cluster://a,,b", "host"},
                                         {"redis://a:0", "port"},
                                         {"redis://a:65536", "port"},
                                         {"redis://a:x", "port"},
                                         {"redis://a/x", "database"},
                                         {"redis://a/-1", "database"},
                                         {"redis-cluster://a/1", "database"},
                                         {"redis://me@a", "user"},
                                         {"redis://me:@a", "password"},
                                         {"redis://me:%zz@a", "password"},
                                         {"redis-sentinel://a", "path"},
                                         {"rediss://a?key=x", "query"},
                                         {"redis://a?ca=x", "query"}}};
  for (const auto& [text, part] : kCases) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, Code::usage) << text;
    EXPECT_EQ(url.error().detail.find("the " + std::string(part)), 0U) << text << ": " << url.error().detail;
  }
}

TEST(RedisUrl, ErrorsAndLogsKeepThePassword) {
  for (const auto* text : {"redis://u:secret@a:x", "redis://u:secret@a/b", "redis://u:secret%@a", "redis://u:secret"}) {
    EXPECT_EQ(parse_url(text).error().detail.find("secret"), std::string::npos) << text;
  }
  EXPECT_EQ(redacted(parse_url("redis-sentinel://u:secret@a,[::1]:5/m").value()),
            "redis-sentinel://u:***@a:26379,[::1]:5/m");
  EXPECT_EQ(redacted(parse_url("rediss://:secret@a/4?ca=f").value()), "rediss://:***@a:6379/4?ca=f");
}

}  // namespace
}  // namespace scoreline::redis
