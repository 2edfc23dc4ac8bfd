// One player's place, counted again from the ledger without any ordered set, beside the one that readers see.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/error.h"
#include "leaderboards/board_reader.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger_fold.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

struct RankAudit {
  std::optional<Place> shown;      ///< nullopt: the board does not have the player
  std::optional<Place> recounted;  ///< nullopt: no result of the player counts
  bool agrees() const;
};

/// The place of `player` among all standings of `folded`. O(n).
std::optional<Place> recount(const FoldedBoard& folded, const PlayerId& player);

/// `read_ledger` folds the board out of the ledger. Results that come meanwhile move players: while the board shows
/// another place after the recount than before it, and neither is the one counted, it is counted again, a few times.
/// Errors: those of both.
Result<RankAudit> audit_rank(const BoardReader& reader, const Board& board, const PlayerId& player,
                             const std::function<Result<void>(FoldedBoard&)>& read_ledger, std::uint64_t hash_seed);

}  // namespace scoreline::leaderboards
