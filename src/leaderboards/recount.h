// Some players' standings counted again from the ledger, on every board of a leaderboard, downward too.
//
// Thread safety: the writer's thread; over a shared index, which takes no total of fewer results than it has, beside
// everything: what is offered is what counts.
#pragma once

#include <span>

#include "base/error.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

/// Takes players off every board that the leaderboard has at `now`.
Result<void> take_off(RankIndex& index, const LeaderboardRecord& record, std::span<const PlayerId> players,
                      Timestamp now);

/// Has every board show distinct players as the ledger counts them. Cost: one read of the leaderboard. A board that the
/// index lacks is left to who loads it.
Result<void> recount(Ledger& ledger, RankIndex& index, const LeaderboardRecord& record,
                     std::span<const PlayerId> players, Timestamp now);

}  // namespace scoreline::leaderboards
