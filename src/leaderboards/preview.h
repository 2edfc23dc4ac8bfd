// What moderating somebody would do to the boards, told before it is done.
//
// Functions of what they are given; the writer's thread, so that nothing of this process moves meanwhile. Nothing is
// changed. Over a shared index other processes' results may come between the reads of one preview.
// Cost: one read of the leaderboard, as that of the change itself, and a few look-ups for each player and board.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Where a player stands, and would stand; nullopt: nowhere.
struct PreviewedPlayer {
  PlayerId player;
  std::optional<Entry> before;
  std::optional<Entry> after;
};

struct PreviewedBoard {
  BoardId board;
  std::uint64_t players_before = 0;
  std::uint64_t players_after = 0;
  // Of everybody else: whose position, which no two players share, would be a better or a worse one.
  std::uint64_t moving_up = 0;
  std::uint64_t moving_down = 0;
  std::vector<PreviewedPlayer> players = {};  ///< whose standing would be another one, by id
};

struct Preview {
  std::uint64_t results = 0;           ///< would stop counting, of those that count
  std::uint64_t archives = 0;          ///< of closed seasons, in which the player would have no name any more
  std::vector<PreviewedBoard> boards;  ///< on which anything would change
};

/// The player hidden or erased.
Result<Preview> preview_without(Ledger& ledger, const RankIndex& index, const LeaderboardRecord& record,
                                const PlayerId& player, Timestamp now);
/// The match voided. Errors: not_found, field `matchId`; too_many where more than kMaxEntries players were in it.
Result<Preview> preview_without(Ledger& ledger, const RankIndex& index, const LeaderboardRecord& record,
                                const Uuid& match, Timestamp now);

}  // namespace scoreline::leaderboards
