// Port: boards as readers see them, whatever keeps them: the live index, the archive of a closed season, a board as it
// stood at an instant.
//
// Thread safety: every call may come from any thread; each call sees a board at one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Where one player stands.
struct Place {
  Entry entry;
  std::uint64_t players = 0;
};

class BoardReader {
 public:
  virtual ~BoardReader() = default;

  /// `limit` entries from rank `first` (from 1) on; fewer at the end. O(log n + limit).
  virtual Result<Page> range(const Board& board, std::uint64_t first, std::size_t limit) const = 0;

  /// The entries that follow the place of (standing, player), whether or not that player still stands there: a cursor
  /// that neither skips nor repeats a player who has not moved. O(log n + limit).
  virtual Result<Page> range_after(const Board& board, const PlayerId& player, const Standing& standing,
                                   std::size_t limit) const = 0;

  virtual Result<std::optional<Place>> place_of(const Board& board, const PlayerId& player) const = 0;

  /// Up to 2·radius+1 entries, cut at the ends; no entries when the player is absent.
  virtual Result<Page> around(const Board& board, const PlayerId& player, std::size_t radius) const = 0;

  /// Global ranks of `players` in their order; nullopt where absent.
  virtual Result<std::vector<std::optional<Entry>>> ranks_of(const Board& board,
                                                             std::span<const PlayerId> players) const = 0;

  /// A number that is another one after each change of the board; 0 while nothing is known of it, so that it is empty.
  /// Two contents of one board never have the same number in one process. Of a shared index it may be a second behind
  /// what other processes do.
  virtual Result<std::uint64_t> version(const Board& board) const = 0;
  /// The same when it is known without asking anybody; at once.
  virtual std::optional<std::uint64_t> known_version(const Board& board) const = 0;
};

}  // namespace scoreline::leaderboards
