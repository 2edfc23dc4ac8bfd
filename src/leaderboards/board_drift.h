// Where a board differs from its ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger.h"
#include "leaderboards/ledger_fold.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

/// A whole board in two numbers: equal boards have equal ones, and others all but never.
struct BoardSum {
  std::uint64_t players = 0;
  /// The sum, modulo 2^64, of a hash of each player with points and time.
  std::uint64_t checksum = 0;
  void add(std::string_view player, const Standing& standing);
  friend bool operator==(const BoardSum&, const BoardSum&) = default;
};

/// A player whom the two show differently.
struct Difference {
  PlayerId player;
  std::optional<Standing> ledger;
  std::optional<Standing> index;
};

struct Drift {
  static constexpr std::size_t kMaxShown = 10;

  BoardSum ledger;
  BoardSum index;
  std::uint64_t players = 0;          ///< how many the two show differently; 0: the board is right
  std::vector<Difference> differing;  ///< the first of them, at most kMaxShown
};

/// Compares a board with `folded`, which was read from the ledger before. Results that come meanwhile are no drift: who
/// differs is looked at again, in both, before it is told.
/// Errors: not_ready while the index lacks the board; those of the ledger.
Result<Drift> drift_of(const FoldedBoard& folded, Ledger& ledger, const RankIndex& index);

}  // namespace scoreline::leaderboards
