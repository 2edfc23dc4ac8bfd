// A packed board is a plain sorted set: any program reads it with ZREVRANGE and the article's codec, shift right by 32.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/loaded_index.h"
#include "support/process.h"
#include "support/redis_index.h"

namespace scoreline::test {
namespace {

using leaderboards::Board;
using leaderboards::Offer;

TEST(PlainBoardTest, AnyProgramReadsAPackedBoardByShiftingRight) {
  const RedisServer server;
  const auto node = std::make_shared<RedisNode>(server.port());
  LoadedIndex index(std::shared_ptr<leaderboards::RankIndex>(node, node->index.get()));
  const Timestamp start = at("2026-10-01T00:00:00Z");
  const Board board{{leaderboard("main"), leaderboards::SeasonId{12}},
                    leaderboards::Rule::best,
                    leaderboards::Order::descending,
                    leaderboards::Ties::first,
                    leaderboards::KeyKind::packed,
                    start};
  const std::vector<Offer> offers = {{player("alice"), {2'097'151, {start.ms}}},
                                     {player("bob"), {120, {start.ms + 61'000}}},
                                     {player("carol"), {120, {start.ms + 60'000}}},
                                     {player("dave"), {0, {start.ms + 4'294'967'295'000}}}};
  ASSERT_TRUE(index.apply(board, offers, leaderboards::Ranks::skip));

  const auto reply = node->command("ZREVRANGE lb:{s12} 0 -1 WITHSCORES");
  std::vector<std::string> read;
  for (std::size_t i = 0; i < reply.elements.size(); i += 2) {
    const std::uint64_t score = std::stoull(reply.elements[i + 1].text);
    const std::uint64_t seconds = 0xFFFF'FFFF - (score & 0xFFFF'FFFF);
    read.push_back(reply.elements[i].text + "=" + std::to_string(score >> 32) + "@" + std::to_string(seconds));
  }
  EXPECT_THAT(read, testing::ElementsAre("alice=2097151@0", "carol=120@60", "bob=120@61", "dave=0@4294967295"));
  EXPECT_EQ(node->command("ZREVRANK lb:{s12} bob").integer, 2);
  EXPECT_EQ(node->command("EXISTS lb:{s12}:counts lb:{s12}:prefixes lb:{s12}:rebuild").integer, 0);
}

}  // namespace
}  // namespace scoreline::test
