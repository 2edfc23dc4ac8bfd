// What tests ask of a ledger in one word.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "leaderboards/ledger.h"

namespace scoreline::test {

/// Points and times of one player's results.
inline Result<std::vector<std::pair<std::int64_t, Timestamp>>> results_of(leaderboards::Ledger& ledger,
                                                                          const leaderboards::BoardId& board,
                                                                          const leaderboards::PlayerId& player) {
  std::vector<std::pair<std::int64_t, Timestamp>> results;
  return ledger
      .results_of(board, {&player, 1},
                  [&results](std::string_view, const leaderboards::Standing& result) {
                    results.emplace_back(result.points, result.achieved_at);
                  })
      .map([&results] { return std::move(results); });
}

}  // namespace scoreline::test
