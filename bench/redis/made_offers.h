// Offers made up for measuring an index: random players with ids of 15 bytes, random points, times in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "leaderboards/definition.h"
#include "leaderboards/rank_index.h"

namespace scoreline::bench {

inline constexpr std::uint64_t kPoints = 2'000'000;

/// `id-` and 12 digits, as redis-benchmark makes `id-__rand_int__`.
std::string made_player(std::uint64_t number);

class MadeOffers {
 public:
  MadeOffers(const leaderboards::Board& board, std::uint64_t players) : board_(board), players_(players) {}

  /// For random players.
  std::vector<leaderboards::Offer> next(std::size_t count);
  /// Of every player one, sorted as a load wants them.
  std::vector<leaderboards::Offer> everyone();

 private:
  leaderboards::Offer offer_for(std::uint64_t player);

  const leaderboards::Board board_;
  const std::uint64_t players_;
  SeededRandom random_{1};
  std::uint64_t made_ = 0;
};

}  // namespace scoreline::bench
