// The members and keys that both sides of the engine benchmark work on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "ordered/rank_key.h"

namespace scoreline::bench {

/// Points of a season: uniform in 0..2 million. A time within 90 days breaks ties.
inline constexpr std::uint64_t kMaxPoints = 2'000'000;
inline constexpr std::uint64_t kSeasonStartMs = 13'443'840'000'000;  // 2026-01-05, counted from 1600
inline constexpr std::uint64_t kSeasonMs = 90ULL * 24 * 3600 * 1000;
inline constexpr std::size_t kBatch = 32;

/// A 15-byte id: `player:00001234`.
class MemberId {
 public:
  explicit MemberId(std::uint64_t number = 0) {
    constexpr std::string_view kPrefix = "player:";
    std::copy(kPrefix.begin(), kPrefix.end(), text_.begin());
    for (std::size_t i = text_.size(); i-- > kPrefix.size(); number /= 10) {
      text_[i] = static_cast<char>('0' + number % 10);
    }
  }
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  std::array<char, 15> text_;
};

struct Score {
  std::uint64_t points = 0;
  std::uint64_t time_ms = 0;  // since the season's start

  /// The `wide` key of docs: points above 48 bits of milliseconds.
  ordered::RankKey key() const { return {ordered::Uint128{points} << 48 | (kSeasonStartMs + time_ms)}; }
  /// As much of it as a double of Redis holds: points above 32 bits of a time in two-millisecond steps.
  std::uint64_t redis_score() const { return points << 32 | time_ms / 2; }
};

inline Score random_score(std::mt19937_64& random) { return {random() % kMaxPoints, random() % kSeasonMs}; }

/// 0..n-1 in random order.
inline std::vector<std::uint32_t> shuffled(std::uint64_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Microseconds of CPU an operation (or seconds, bytes: as named). Zero: not measured.
struct Figures {
  double insert = 0;
  double update = 0;
  double rank = 0;
  double around = 0;
  double update_batch = 0;
  double rank_batch = 0;
  double pop_min = 0;
  double pop_min_batch = 0;
  double bytes_per_member = 0;
  double small_board_bytes = 0;
  double sorted_load_seconds = 0;
};

}  // namespace scoreline::bench
