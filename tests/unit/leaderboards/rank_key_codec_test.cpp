#include "leaderboards/rank_key_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

const Timestamp kStart = test::at("2026-10-01T00:00:00Z");
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Board board(KeyKind key, Order order = Order::descending, Ties ties = Ties::first) {
  return Board{{test::leaderboard("main"), SeasonId{12}}, Rule::best, order, ties, key, kStart};
}

Timestamp seconds_in(std::int64_t seconds) { return Timestamp{kStart.ms + seconds * 1000}; }

/// The article's ScoreCodec, as it is written there.
std::int64_t article_encode(std::int64_t points, std::int64_t elapsed) {
  return (points << 32) | (0xFFFFFFFFLL - elapsed);
}

TEST(PackedKeyTest, IsTheArticlesScoreCodecBitForBit) {
  const RankKeyCodec codec(board(KeyKind::packed));
  for (const std::int64_t points : {0LL, 1LL, 120LL, 185LL, 2'097'150LL, 2'097'151LL}) {
    for (const std::int64_t elapsed : {0LL, 1LL, 60LL, 86'400LL, 4'294'967'294LL, 4'294'967'295LL}) {
      const auto key = codec.encode({points, seconds_in(elapsed)});
      ASSERT_TRUE(key);
      EXPECT_EQ(key->high(), 0U);
      EXPECT_EQ(key->low(), static_cast<std::uint64_t>(article_encode(points, elapsed)));
      EXPECT_EQ(key->low() >> 32, static_cast<std::uint64_t>(points));  // any reader may shift
      EXPECT_EQ(codec.decode(*key), (Standing{points, seconds_in(elapsed)}));
    }
  }
}

TEST(PackedKeyTest, FitsADoubleExactly) {
  const auto key = RankKeyCodec(board(KeyKind::packed)).encode({kMaxPackedPoints, kStart});
  EXPECT_LT(key->low(), std::uint64_t{1} << 53);
  EXPECT_EQ(static_cast<std::uint64_t>(static_cast<double>(key->low())), key->low());
}

TEST(PackedKeyTest, PointsOutOfRangeAreAnErrorNeverAWrappedValue) {
  const RankKeyCodec codec(board(KeyKind::packed));
  for (const std::int64_t points : {std::int64_t{-1}, kMaxPackedPoints + 1, kMax, kMin}) {
    const auto key = codec.encode({points, kStart});
    ASSERT_FALSE(key) << points;
    EXPECT_EQ(key.error().field, "points");
  }
}

TEST(PackedKeyTest, TimesOutOfRangeAreAnErrorNeverAWrappedValue) {
  const RankKeyCodec codec(board(KeyKind::packed));
  for (const Timestamp bad :
       {Timestamp{kStart.ms - 1}, seconds_in(kMaxPackedSeconds + 1), Timestamp{kMax}, Timestamp{kMin}}) {
    const auto key = codec.encode({1, bad});
    ASSERT_FALSE(key) << bad.ms;
    EXPECT_EQ(key.error().field, "achievedAt");
  }
  EXPECT_TRUE(codec.encode({1, Timestamp{seconds_in(kMaxPackedSeconds).ms + 999}}));
}

TEST(PackedKeyTest, KeepsWholeSecondsRoundedDown) {
  const RankKeyCodec codec(board(KeyKind::packed));
  const auto key = codec.encode({7, Timestamp{kStart.ms + 1'999}});
  EXPECT_EQ(codec.decode(*key).achieved_at, seconds_in(1));
}

TEST(WideKeyTest, ExtremesComeBackExactly) {
  for (const Order order : {Order::descending, Order::ascending}) {
    for (const Ties ties : {Ties::first, Ties::last}) {
      const RankKeyCodec codec(board(KeyKind::wide, order, ties));
      for (const std::int64_t points : {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                        std::int64_t{9'007'199'254'740'993}, kMax - 1, kMax}) {
        for (const Timestamp when : {kMinTimestamp, Timestamp{-1}, Timestamp{0}, kStart, kMaxTimestamp}) {
          const auto key = codec.encode({points, when});
          ASSERT_TRUE(key);
          EXPECT_EQ(key->value >> 112, 0U);
          EXPECT_EQ(codec.decode(*key), (Standing{points, when}));
        }
      }
    }
  }
}

TEST(WideKeyTest, TimesBeyondTheRangeAreRefused) {
  const RankKeyCodec codec(board(KeyKind::wide));
  EXPECT_EQ(codec.encode({0, Timestamp{kMinTimestamp.ms - 1}}).error().field, "achievedAt");
  EXPECT_EQ(codec.encode({0, Timestamp{kMaxTimestamp.ms + 1}}).error().field, "achievedAt");
  EXPECT_FALSE(codec.encode({0, Timestamp{kMin}}));
  EXPECT_FALSE(codec.encode({0, Timestamp{kMax}}));
}

TEST(RankKeyTest, SortsByPointsThenByTimeInTheBoardsDirection) {
  constexpr std::array points = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2'097'151}};
  const std::array times = {kStart, seconds_in(1), seconds_in(100'000)};
  for (const KeyKind kind : {KeyKind::wide, KeyKind::packed}) {
    for (const Order order : {Order::descending, Order::ascending}) {
      for (const Ties ties : {Ties::first, Ties::last}) {
        const RankKeyCodec codec(board(kind, order, ties));
        // "Reads before": on a descending board the greater key, on an ascending one the smaller.
        const auto reads_before = [&](Standing a, Standing b) {
          const auto x = *codec.encode(a);
          const auto y = *codec.encode(b);
          return order == Order::descending ? y < x : x < y;
        };
        for (std::size_t i = 0; i + 1 < points.size(); ++i) {
          for (const Timestamp a : times) {
            for (const Timestamp b : times) {
              const bool higher_first = reads_before({points[i + 1], a}, {points[i], b});
              EXPECT_EQ(higher_first, order == Order::descending);
            }
          }
        }
        for (const std::int64_t p : points) {
          for (std::size_t i = 0; i + 1 < times.size(); ++i) {
            EXPECT_EQ(reads_before({p, times[i]}, {p, times[i + 1]}), ties == Ties::first);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace scoreline::leaderboards
