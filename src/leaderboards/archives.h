// Port: the final standings of closed seasons, in the ledger's store.
//
// Life of a season: open → mark_closing → begin → a writer's clear, add, add_players → finish → closed. Only `finish`
// makes an archive visible, whole and in one step; whatever happens before it, somebody begins again.
//
// Thread safety: reads from any thread. `mark_closing` and `anonymise` are called as the ledger's writes are;
// `begin` and what it gives from one thread at a time, and as the ledger's writes are where `on_writer` says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// One line of an archive. An entry whose player was erased has an empty id, and keeps its place and rank.
struct ArchivedEntry {
  std::uint64_t position = 0;  ///< from 1, no two alike; differs from the rank where ties share one
  Entry entry;
  friend bool operator==(const ArchivedEntry&, const ArchivedEntry&) = default;
};

struct ArchivedPlayer {
  PlayerId player;
  std::uint64_t position = 0;
};

/// At most so many lines at once: a store is held up by no more.
inline constexpr std::size_t kArchivePiece = 1'000;

/// One attempt to archive a season. Destroyed before it is finished, it leaves lines that nobody sees.
class ArchiveWriter {
 public:
  virtual ~ArchiveWriter() = default;

  /// Removes some of what an earlier attempt left. True once nothing is left.
  virtual Result<bool> clear() = 0;
  /// 1..kArchivePiece lines, in the order of their positions.
  virtual Result<void> add(std::span<const ArchivedEntry> entries) = 0;
  /// 1..kArchivePiece of the same lines, in the order of player ids.
  virtual Result<void> add_players(std::span<const ArchivedPlayer> players) = 0;
  /// The season is closed, with so many players, and its archive there to be read: in one transaction.
  /// Errors: conflict when a player was erased since the attempt began, or the season is closed already: begin again.
  virtual Result<void> finish(std::uint64_t players) = 0;
};

class Archives {
 public:
  virtual ~Archives() = default;

  /// Gives the season the end that it says, and has it closing. Once this has returned no process records a result of
  /// the season, and whatever was recorded before is there to be read. Does nothing when it is closing or closed.
  /// Errors: not_found, field `season`.
  virtual Result<void> mark_closing(const LeaderboardName& leaderboard, const Season& season) = 0;

  /// Errors: conflict when the season is not closing, or another process is archiving it: one that dies is replaced at
  /// once.
  virtual Result<std::unique_ptr<ArchiveWriter>> begin(const LeaderboardName& leaderboard, SeasonId season) = 0;
  /// Whether `begin` and the calls of its writer are writes of the ledger; else they do not hold it up.
  virtual bool on_writer() const = 0;

  /// Up to `limit` lines from `position` on, in order; nothing of a season that is not closed. O(log n + limit).
  virtual Result<std::vector<ArchivedEntry>> read(const LeaderboardName& leaderboard, SeasonId season,
                                                  std::uint64_t position, std::size_t limit) const = 0;
  /// One for each player, in their order; nullopt where absent. O(log n) each.
  virtual Result<std::vector<std::optional<ArchivedEntry>>> find(const LeaderboardName& leaderboard, SeasonId season,
                                                                 std::span<const PlayerId> players) const = 0;

  /// Takes the player's id off every archive of the leaderboard, for ever. Call it after Ledger::erase_player: an
  /// archive that is being written then begins again. Returns how many lines lost their id.
  virtual Result<std::uint64_t> anonymise(const LeaderboardName& leaderboard, const PlayerId& player) = 0;
};

}  // namespace scoreline::leaderboards
