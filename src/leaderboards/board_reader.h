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
  std::uint64_t above = 0;  ///< players ranked above; entry.rank - 1 but with ties `dense`
};

/// Points from `low` to `high`, both included.
struct PointsRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct PointsPage {
  Page page;
  std::uint64_t count = 0;  ///< how many players there are within the range
};

struct PointsCounts {
  std::uint64_t players = 0;         ///< on the whole board
  std::vector<std::uint64_t> above;  ///< for each of the points asked for: how many rank above whoever has them
};

/// What a number from 1 on means.
enum class By : std::uint8_t {
  position,  ///< the place in reading order, which no two players share
  rank,      ///< the rank. Another one than `position` with ties `dense` only: elsewhere rank 3 of 1, 2, 2, 4 is had
             ///< by whoever has the third position, which is what one must reach
};

struct EntriesAt {
  std::uint64_t players = 0;
  std::vector<std::optional<Entry>> entries;  ///< in the order asked for; nullopt beyond the last
};

class BoardReader {
 public:
  virtual ~BoardReader() = default;

  /// `limit` entries from position `first` (from 1) on; fewer at the end. Position and rank are the same but where
  /// equals share ranks. O(log n + limit).
  virtual Result<Page> range(const Board& board, std::uint64_t first, std::size_t limit) const = 0;

  /// The entries that follow the place of (standing, player), whether or not that player still stands there: a cursor
  /// that neither skips nor repeats a player who has not moved. O(log n + limit).
  virtual Result<Page> range_after(const Board& board, const PlayerId& player, const Standing& standing,
                                   std::size_t limit) const = 0;

  /// The entries right before that place, `limit` at most, in board order: the way back of a cursor.
  virtual Result<Page> range_before(const Board& board, const PlayerId& player, const Standing& standing,
                                    std::size_t limit) const = 0;

  /// The first `limit` entries of those whose points are in `points`, in board order, and how many there are in all.
  virtual Result<PointsPage> range_by_points(const Board& board, PointsRange points, std::size_t limit) const = 0;

  /// How many players have better points than each of `points`: more on descending boards, less on ascending ones. All
  /// counted at one moment. O(k log n).
  virtual Result<PointsCounts> counts_above(const Board& board, std::span<const std::int64_t> points) const = 0;

  /// The entries at each of `numbers`, at one moment; the first one of those who share a rank. O(k log n).
  virtual Result<EntriesAt> entries_at(const Board& board, std::span<const std::uint64_t> numbers, By by) const = 0;

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
