// Some players' standings counted again from the ledger, on every board of a leaderboard, downward too.
//
// Thread safety: the writer's thread; over a shared index, which takes no total of fewer results than it has, beside
// everything: what is offered is what counts.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/rules.h"

namespace scoreline::leaderboards {

/// A board, and what the results of some players come to on it.
struct CountedBoard {
  explicit CountedBoard(Board of) : board(std::move(of)) {}
  Board board;
  std::map<std::string, Fold, std::less<>> players;  ///< the folds point at `board`
};

/// The boards that the leaderboard has at `now`, by season, with those of the players' results that count and that
/// `is_meant` says yes to. Cost: one read of the leaderboard.
using CountedBoards = std::multimap<SeasonId, CountedBoard>;
Result<CountedBoards> count_players(Ledger& ledger, const LeaderboardRecord& record, std::span<const PlayerId> players,
                                    Timestamp now, const std::function<bool(const LedgerRow&)>& is_meant);

/// Takes players off every board that the leaderboard has at `now`.
Result<void> take_off(RankIndex& index, const LeaderboardRecord& record, std::span<const PlayerId> players,
                      Timestamp now);

/// Has every board show distinct players as the ledger counts them. Cost: one read of the leaderboard. A board that the
/// index lacks is left to who loads it.
Result<void> recount(Ledger& ledger, RankIndex& index, const LeaderboardRecord& record,
                     std::span<const PlayerId> players, Timestamp now);

}  // namespace scoreline::leaderboards
