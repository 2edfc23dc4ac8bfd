#include "leaderboards/rules.h"

#include <algorithm>
#include <limits>

#include "ordered/rank_key.h"

namespace scoreline::leaderboards {
namespace {

void add_up(Tally& tally, std::int64_t points, Timestamp achieved_at) {
  if (points == 0) {
    if (tally.moved) return;
    tally.achieved_at = tally.results > 0 ? std::min(tally.achieved_at, achieved_at) : achieved_at;
    return;
  }
  // Results come in any order, so a total may leave 64 bits and come back: only where it ends counts.
  if (__builtin_add_overflow(tally.points, points, &tally.points)) tally.carry += points > 0 ? 1 : -1;
  tally.achieved_at = tally.moved ? std::max(tally.achieved_at, achieved_at) : achieved_at;
  tally.moved = 1;
}

// All criteria of a standing as one number fit into 80 bits, for a key has 48 more: in points and carry they need no
// room of their own, of which a rebuild would need as many as a ledger has players.

void keep(Tally& tally, const Board& board, const Standing& standing) {
  tally.achieved_at = standing.achieved_at;
  tally.points = standing.points;
  if (!board.has_criteria()) return;
  const ordered::Uint128 points =
      static_cast<std::uint64_t>(standing.points) - static_cast<std::uint64_t>(board.least_points);
  const ordered::Uint128 all = (points << board.extra_bits) | standing.extra;
  tally.points = static_cast<std::int64_t>(static_cast<std::uint64_t>(all));
  tally.carry = static_cast<std::int32_t>(all >> 64);
}

Standing kept_by(const Tally& tally, const Board& board) {
  if (!board.has_criteria()) return Standing{tally.points, tally.achieved_at};
  const auto all =
      (ordered::Uint128{static_cast<std::uint32_t>(tally.carry)} << 64) | static_cast<std::uint64_t>(tally.points);
  const auto points =
      static_cast<std::uint64_t>(all >> board.extra_bits) + static_cast<std::uint64_t>(board.least_points);
  const auto extra = static_cast<std::uint64_t>(all & ((ordered::Uint128{1} << board.extra_bits) - 1));
  return Standing{static_cast<std::int64_t>(points), tally.achieved_at, extra};
}

}  // namespace

bool replaces(const Board& board, const Standing& current, const Standing& offered) {
  const bool same_points = offered.points == current.points && offered.extra == current.extra;
  const bool more = offered.points != current.points ? offered.points > current.points : offered.extra > current.extra;
  switch (board.rule) {
    case Rule::best: return more || (same_points && offered.achieved_at < current.achieved_at);
    case Rule::least: return (!more && !same_points) || (same_points && offered.achieved_at < current.achieved_at);
    case Rule::latest:
      if (offered.achieved_at != current.achieved_at) return offered.achieved_at > current.achieved_at;
      return !same_points && more == (board.order == Order::descending);
    case Rule::sum: return offered != current;
  }
  return false;
}

Timestamp kept_time(const Board& board, Timestamp achieved_at) {
  if (board.key == KeyKind::wide) return achieved_at;
  return Timestamp{achieved_at.ms - (achieved_at.ms - board.season_start.ms) % 1000};
}

void add_to(Tally& tally, const Board& board, const Standing& offered) {
  const Standing result{offered.points, kept_time(board, offered.achieved_at), offered.extra};
  if (board.rule == Rule::sum) {
    add_up(tally, result.points, result.achieved_at);
  } else if (tally.results == 0 || replaces(board, kept_by(tally, board), result)) {
    keep(tally, board, result);
  }
  ++tally.results;
}

std::optional<Standing> standing_of(const Tally& tally, const Board& board) {
  if (tally.results == 0) return std::nullopt;
  if (board.has_criteria()) return kept_by(tally, board);
  std::int64_t points = tally.points;
  if (tally.carry > 0) points = std::numeric_limits<std::int64_t>::max();
  if (tally.carry < 0) points = std::numeric_limits<std::int64_t>::min();
  return Standing{points, tally.achieved_at};
}

bool overflowed(const Tally& tally, const Board& board) { return !board.has_criteria() && tally.carry != 0; }

Fold::Fold(const Board& board, const Standing& total) : board_(&board), from_total_(true) {
  tally_.points = total.points;
  tally_.achieved_at = total.achieved_at;
  tally_.results = 1;
  tally_.moved = 1;
}

}  // namespace scoreline::leaderboards
