#include <gtest/gtest.h>

#include <array>
#include <string>

#include "adapters/redis/connection.h"
#include "adapters/redis/reply_errors.h"
#include "adapters/redis/reply_reader.h"

namespace scoreline::redis {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(ReplyReader, ReadsEveryKindWhereverTheBytesAreCut) {
  const std::string wire = "*5\r\n:-7\r\n$5\r\na\0\r\nb\r\n$-1\r\n+OK\r\n*1\r\n-OOM no room\r\n:9\r\n"s;
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(std::string_view(wire).substr(0, cut)));
    auto reply = reader.next().value();
    ASSERT_TRUE(reader.feed(std::string_view(wire).substr(cut)));
    if (!reply) reply = reader.next().value();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->elements.size(), 5U);
    EXPECT_EQ(reply->elements[0].integer, -7);
    EXPECT_EQ(reply->elements[1].text, "a\0\r\nb"s);
    EXPECT_EQ(reply->elements[2].kind, Reply::Kind::nil);
    EXPECT_EQ(reply->elements[3].text, "OK");
    EXPECT_EQ(reply->elements[4].elements[0].kind, Reply::Kind::error);
    EXPECT_EQ(reply->elements[4].elements[0].text, "OOM no room");
    EXPECT_TRUE(reader.has_rest());
    EXPECT_EQ(reader.next().value()->integer, 9);
    EXPECT_FALSE(reader.has_rest());
  }
}

TEST(ReplyReader, RefusesWhatIsNoProtocol) {
  for (const auto* wire : {"HTTP/1.1 200 OK\r\n", "$x\r\n", "*-5\r\n", "\r\n", "!", "$99999999999999999999\r\n"}) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(wire));
    EXPECT_FALSE(reader.next()) << wire;
  }
}

TEST(ReplyErrors, MeanWhatTheFirstWordSays) {
  struct Case {
    std::string_view message;
    Meaning meaning;
  };
  constexpr std::array<Case, 17> kCases{
      {{"NOSCRIPT No matching script. Please use EVAL.", Meaning::no_script},
       {"MOVED 3999 127.0.0.1:6381", Meaning::moved},
       {"ASK 3999 127.0.0.1:6381", Meaning::ask},
       {"TRYAGAIN Multiple keys request during rehashing of slot", Meaning::try_again},
       {"CLUSTERDOWN The cluster is down", Meaning::try_again},
       {"READONLY You can't write against a read only replica. script: x, on @user_script:1.", Meaning::not_master},
       {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", Meaning::not_master},
       {"LOADING Redis is loading the dataset in memory", Meaning::not_ready},
       {"BUSY Redis is busy running a script.", Meaning::not_ready},
       {"NOREPLICAS Not enough good replicas to write.", Meaning::not_ready},
       {"NOAUTH Authentication required.", Meaning::not_allowed},
       {"NOPERM this user has no permissions to run the 'get' command", Meaning::not_allowed},
       {"MISCONF Redis is configured to save RDB snapshots", Meaning::not_allowed},
       {"OOM command not allowed when used memory > 'maxmemory'.", Meaning::of_command},
       {"WRONGTYPE Operation against a key holding the wrong kind of value", Meaning::of_command},
       {"BUSYKEY Target key name already exists.", Meaning::of_command},
       {"ERR MOVED", Meaning::of_command}}};
  for (const auto& [message, meaning] : kCases) EXPECT_EQ(meaning_of(message), meaning) << message;
}

TEST(ReplyErrors, RedirectionsNameANode) {
  const auto moved = redirect_of("MOVED 3999 127.0.0.1:6381").value();
  EXPECT_EQ(moved.slot, 3999);
  EXPECT_EQ(moved.to, (Endpoint{"127.0.0.1", 6381}));
  EXPECT_EQ(redirect_of("ASK 1 ::1:7000").value().to, (Endpoint{"::1", 7000}));
  EXPECT_EQ(redirect_of("MOVED 1 :7000").value().to, (Endpoint{"", 7000}));
  for (const auto* message : {"MOVED", "MOVED 1", "MOVED 1 host", "MOVED x h:1", "MOVED 16384 h:1", "MOVED 1 h:0",
                              "MOVED 1 h:99999", "MOVED 1:2 h"}) {
    EXPECT_FALSE(redirect_of(message)) << message;
  }
}

// As `redis-cli script load` and FIPS 180 say.
TEST(Script, DigestIsSha1) {
  EXPECT_EQ(Script("abc").digest(), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Script("return 1").digest(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

TEST(Command, IsWrittenWithItsLengths) {
  std::string wire;
  append_command(wire, {"SET", "k\0"sv, ""});
  EXPECT_EQ(wire, "*3\r\n$3\r\nSET\r\n$2\r\nk\0\r\n$0\r\n\r\n"s);
}

}  // namespace
}  // namespace scoreline::redis
