// The standings of some players as the ledger has them.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rules.h"

namespace scoreline::leaderboards {

/// The folds of distinct players, in their order. `board` must outlive them. Cost: one look-up a player where the rule
/// is sum; for other rules, whose results ledgers do not keep by player, one scan of the whole ledger.
Result<std::vector<Fold>> folds_of(Ledger& ledger, const Board& board, std::span<const PlayerId> players);

}  // namespace scoreline::leaderboards
