#include "leaderboards/rules.h"

#include <algorithm>
#include <limits>

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

}  // namespace

bool replaces(const Board& board, const Standing& current, const Standing& offered) {
  const bool same_points = offered.points == current.points;
  switch (board.rule) {
    case Rule::best:
      return offered.points > current.points || (same_points && offered.achieved_at < current.achieved_at);
    case Rule::least:
      return offered.points < current.points || (same_points && offered.achieved_at < current.achieved_at);
    case Rule::latest:
      if (offered.achieved_at != current.achieved_at) return offered.achieved_at > current.achieved_at;
      return board.order == Order::descending ? offered.points > current.points : offered.points < current.points;
    case Rule::sum: return offered != current;
  }
  return false;
}

Timestamp kept_time(const Board& board, Timestamp achieved_at) {
  if (board.key == KeyKind::wide) return achieved_at;
  return Timestamp{achieved_at.ms - (achieved_at.ms - board.season_start.ms) % 1000};
}

void add_to(Tally& tally, const Board& board, std::int64_t points, Timestamp achieved_at) {
  const Standing result{points, kept_time(board, achieved_at)};
  if (board.rule == Rule::sum) {
    add_up(tally, result.points, result.achieved_at);
  } else if (tally.results == 0 || replaces(board, Standing{tally.points, tally.achieved_at}, result)) {
    tally.points = result.points;
    tally.achieved_at = result.achieved_at;
  }
  ++tally.results;
}

std::optional<Standing> standing_of(const Tally& tally) {
  if (tally.results == 0) return std::nullopt;
  std::int64_t points = tally.points;
  if (tally.carry > 0) points = std::numeric_limits<std::int64_t>::max();
  if (tally.carry < 0) points = std::numeric_limits<std::int64_t>::min();
  return Standing{points, tally.achieved_at};
}

bool overflowed(const Tally& tally) { return tally.carry != 0; }

Fold::Fold(const Board& board, const Standing& total) : board_(&board), from_total_(true) {
  tally_.points = total.points;
  tally_.achieved_at = total.achieved_at;
  tally_.results = 1;
  tally_.moved = 1;
}

}  // namespace scoreline::leaderboards
