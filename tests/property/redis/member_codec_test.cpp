// Every standing survives a sorted set, and sorts there as its rank key does.
#include "adapters/redis/member_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "support/process.h"

namespace scoreline::redis {
namespace {

using leaderboards::Board;
using leaderboards::KeyKind;
using leaderboards::Order;
using leaderboards::Standing;
using leaderboards::Ties;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Board wide(Order order, Ties ties) {
  return Board{{test::leaderboard("main"), leaderboards::SeasonId{12}},
               leaderboards::Rule::latest,
               order,
               ties,
               KeyKind::wide,
               Timestamp{}};
}

/// What the server compares: the score as a double, then the bytes before the id.
std::tuple<double, std::string> sorted_by(const Stored& stored) { return {std::stod(stored.score), stored.prefix}; }

/// Points where doubles begin to round, the ends, and neighbours of all of them.
std::int64_t points_from(Random& random) {
  const std::int64_t corners[] = {
      0, std::int64_t{1} << 53, -(std::int64_t{1} << 53), kMost, kLeast, std::int64_t{1} << 62, 2048, -2048};
  if (random.below(4) == 0) return static_cast<std::int64_t>(random.bits());
  const auto corner = static_cast<std::uint64_t>(corners[random.below(std::size(corners))]);
  return static_cast<std::int64_t>(corner + random.below(5'000) - 2'500);
}

TEST(MemberCodecTest, WideStandingsComeBackExactlyAndSortAsTheirRankKeys) {
  SeededRandom random(4);
  for (const Order order : {Order::descending, Order::ascending}) {
    for (const Ties ties : {Ties::first, Ties::last}) {
      const Board board = wide(order, ties);
      const MemberCodec codec(board);
      const leaderboards::RankKeyCodec keys(board);
      Standing before;
      for (int i = 0; i < 50'000; ++i) {
        Standing standing{points_from(random), Timestamp{static_cast<std::int64_t>(random.below(3)) * 86'400'000}};
        if (random.below(20) == 0) standing.achieved_at = random.below(2) == 0 ? kMinTimestamp : kMaxTimestamp;
        if (random.below(8) == 0) standing.points = before.points;
        const Stored stored = codec.encode(standing).value();
        ASSERT_EQ(codec.decode(stored.score, stored.prefix).value(), standing) << standing.points;
        const auto other = codec.encode(before).value();
        ASSERT_EQ(sorted_by(stored) < sorted_by(other), keys.encode_valid(standing) < keys.encode_valid(before))
            << standing.points << " " << before.points;
        before = standing;
      }
    }
  }
}

TEST(MemberCodecTest, WhatNobodyHereWroteIsDamaged) {
  const MemberCodec codec(wide(Order::descending, Ties::first));
  const Stored good = codec.encode({5, Timestamp{0}}).value();
  ASSERT_TRUE(codec.decode(good.score, good.prefix));
  for (const char* const score : {"", "x", "5.5", "6", "1e30", "inf", "-inf", "nan", "5 "}) {
    EXPECT_FALSE(codec.decode(score, good.prefix)) << score;
  }
  EXPECT_FALSE(codec.decode(good.score, good.prefix.substr(1)));
  EXPECT_FALSE(codec.decode(good.score, std::string(8, '\xff')));
  Board packed = wide(Order::descending, Ties::first);
  packed.key = KeyKind::packed;
  for (const char* const score : {"-1", "9007199254740992", "1.5"}) {
    EXPECT_FALSE(MemberCodec(packed).decode(score, {})) << score;
  }
}

}  // namespace
}  // namespace scoreline::redis
