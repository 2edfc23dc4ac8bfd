// How results become a standing. The outcome never depends on the order in which results arrive.
#pragma once

#include <cstdint>
#include <optional>

#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Whether `offered` takes the place of `current` on a board.
/// best, least: better points, or equal points reached earlier. latest: achieved later; at the same instant the higher
/// points on descending boards, the lower on ascending ones. sum: any difference (offers of a sum are totals, not
/// results). Points here are points and the criteria after them, compared in turn and taken as a whole.
bool replaces(const Board& board, const Standing& current, const Standing& offered);

/// A time as the board keeps it: whole seconds since the season's start on `packed` boards, rounded down.
Timestamp kept_time(const Board& board, Timestamp achieved_at);

/// What folding keeps of a player's results so far: small, because a rebuild holds one for each player of a ledger.
struct Tally {
  std::int64_t points = 0;  ///< sum: the total modulo 2^64; with criteria the lowest 64 bits of all of them in one
  Timestamp achieved_at;
  /// sum: how often the total left 64 bits upwards, less how often downwards; with criteria the bits above the 64.
  std::int32_t carry = 0;
  std::uint32_t moved : 1 = 0;     ///< sum: one of them was not zero
  std::uint32_t results : 31 = 0;  ///< how many were added
};

void add_to(Tally& tally, const Board& board, const Standing& result);
/// nullopt before the first result.
std::optional<Standing> standing_of(const Tally& tally, const Board& board);
/// sum: whether the total is beyond 64 bits; `standing_of` then shows the limit.
bool overflowed(const Tally& tally, const Board& board);

/// Folds all results of one player on one board into the standing: the reference that the boards are held to.
/// sum: achieved_at is the latest of the results that moved the total; while every one of them was zero, the earliest.
class Fold {
 public:
  explicit Fold(const Board& board) : board_(&board) {}
  /// Goes on from the standing of a sum whose points are not 0. (At 0 a standing does not tell whether it ever moved.)
  Fold(const Board& board, const Standing& total);

  void add(const Standing& result) { add_to(tally_, *board_, result); }
  /// nullopt before the first result. A sum beyond 64 bits is held at the limit; the pipeline refuses such a result
  /// before it reaches the ledger.
  std::optional<Standing> standing() const { return standing_of(tally_, *board_); }
  bool overflowed() const { return leaderboards::overflowed(tally_, *board_); }
  /// How many results made the standing; 0 when it went on from a total, whose results nobody counted.
  std::uint64_t results() const { return from_total_ ? 0 : tally_.results; }

 private:
  const Board* board_;  // outlives the fold
  Tally tally_;
  bool from_total_ = false;
};

}  // namespace scoreline::leaderboards
