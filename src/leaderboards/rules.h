// How results become a standing. The outcome never depends on the order in which results arrive.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Whether `offered` takes the place of `current` on a board.
/// best, least: better points, or equal points reached earlier. latest: achieved later; at the same instant the higher
/// points on descending boards, the lower on ascending ones. sum: any difference (offers of a sum are totals, not
/// results).
bool replaces(const Board& board, const Standing& current, const Standing& offered);

/// Folds all results of one player on one board into the standing: the reference that the boards are held to.
/// sum: achieved_at is the latest of the results that moved the total; while every one of them was zero, the earliest.
class Fold {
 public:
  explicit Fold(const Board& board);
  void add(std::int64_t points, Timestamp achieved_at);
  /// nullopt before the first result. A sum beyond 64 bits is held at the limit; the pipeline refuses such a result
  /// before it reaches the ledger.
  std::optional<Standing> standing() const;
  // (private members are the implementation's)
};

}  // namespace scoreline::leaderboards
