#include "adapters/redis/board_keys.h"

#include <fmt/format.h>

namespace scoreline::redis {

using leaderboards::Board;
using leaderboards::KeyKind;

BoardKeys keys_of(std::string_view prefix, const Board& board) {
  const std::string& name = board.id.leaderboard.text();
  std::string tag = "s" + std::to_string(board.id.season.value);
  if (name != leaderboards::kMainLeaderboard) tag = name + ":" + tag;
  const leaderboards::Period& period = board.id.period;
  std::string key = fmt::format("{}:{{{}}}", prefix, tag);
  if (period.kind == leaderboards::Period::Kind::day) key += ":d:" + date_text(period);
  if (period.kind == leaderboards::Period::Kind::week) key += ":w:" + date_text(period);
  const std::string beside = key + (board.key == KeyKind::wide ? ":prefixes" : ":counts");
  const std::string classes = key + ":classes";
  return BoardKeys{key,
                   key + ":meta",
                   beside,
                   classes,
                   key + ":rebuild",
                   beside + ":rebuild",
                   classes + ":rebuild",
                   key + ":erased:rebuild"};
}

std::string spec_of(const Board& board) {
  const auto kind = fmt::format("{} {} {} {}", to_string(board.rule), to_string(board.order), to_string(board.ties),
                                to_string(board.key));
  if (board.key == KeyKind::packed) return fmt::format("{} {}", kind, board.season_start.ms);
  if (!board.has_criteria()) return kind;
  return fmt::format("{} criteria {} {} {}", kind, board.least_points, board.points_bits, board.extra_bits);
}

}  // namespace scoreline::redis
