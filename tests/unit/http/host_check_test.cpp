#include "http/host_check.h"

#include <gtest/gtest.h>

namespace scoreline::http {
namespace {

TEST(HostCheck, LetsInWhatNobodyCanRegister) {
  const HostCheck check;
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "localhost:8080", "LOCALHOST",
                           "board.localhost:8080", "scoreline", "192.168.1.20:80", "localhost."}) {
    EXPECT_TRUE(check.check(host, "")) << host;
  }
}

TEST(HostCheck, RefusesDomainsUnlessTheyAreAllowed) {
  const HostCheck check({"Boards.Example.org"});
  EXPECT_TRUE(check.check("boards.example.org", ""));
  EXPECT_TRUE(check.check("BOARDS.example.org:443", ""));
  EXPECT_TRUE(check.check("boards.example.org.", ""));
  for (const char* host : {"evil.example", "evil.example:8080", "example.org", "x.boards.example.org",
                           "127.0.0.1.evil.example", "localhost.evil.example", "evillocalhost.example"}) {
    const auto checked = check.check(host, "");
    ASSERT_FALSE(checked) << host;
    EXPECT_EQ(checked.error().code, Code::forbidden);
    EXPECT_EQ(checked.error().field, "Host");
  }
}

TEST(HostCheck, TakesRequestsOfItsOwnPagesOnly) {
  const HostCheck check;
  EXPECT_TRUE(check.check("127.0.0.1:8080", "http://127.0.0.1:8080"));
  EXPECT_TRUE(check.check("localhost", "https://LOCALHOST"));
  for (const char* origin : {"http://127.0.0.1:8081", "http://evil.example", "null",
                             "http://127.0.0.1:8080.evil.example", "127.0.0.1:8080"}) {
    const auto checked = check.check("127.0.0.1:8080", origin);
    ASSERT_FALSE(checked) << origin;
    EXPECT_EQ(checked.error().field, "Origin");
  }
}

}  // namespace
}  // namespace scoreline::http
