// What is offered to boards, or taken off them, when an index may lack some of them.
#pragma once

#include <cstddef>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

/// A board's lock is held for so many offers at a time, so that readers never wait long.
inline constexpr std::size_t kOffersAtATime = 1'024;

/// What an offer to a board, or an erasure, came to, when it does not matter that the board is not loaded: it gets
/// everything from the ledger when it is.
Result<void> unless_lost(const RankIndex& index, const Board& board, Result<void> done);

}  // namespace scoreline::leaderboards
