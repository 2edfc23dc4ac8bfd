// Port: the ordered sets behind the boards. Disposable: `load` can make each of them again from the ledger.
//
// Thread safety: every call may come from any thread; each call sees and leaves a board at one moment.
// An index that this process has to itself shows a board that was never applied to or loaded as an empty one. A shared
// index (`exclusive` says false) answers every call on a board that was not loaded, or that the server lost or turned
// back in time, with Code::not_ready, until somebody loads it (again): never an empty or an old board.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "leaderboards/board_reader.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// A standing offered to a board: it is taken when `replaces` says so. Absolute, never an increment, so that
/// applying it twice is harmless.
struct Offer {
  PlayerId player;
  Standing standing;
  /// sum: how many results made the total. A shared index takes no total of fewer results than the one it has: the
  /// offers of two writers may come in either order. 0: not known, always taken.
  std::uint64_t results = 0;
};

enum class Ranks : std::uint8_t { skip, tell };

struct Applied {
  bool changed = false;                        ///< the board took the offer
  Standing standing;                           ///< the player's standing now
  std::optional<std::uint64_t> rank;           ///< from 1, with Ranks::tell
  std::optional<std::uint64_t> previous_rank;  ///< before this call's offers to the player; nullopt when new
};

class RankIndex : public BoardReader {
 public:
  /// Applies offers in order (several for one player too). One answer per offer. With Ranks::tell the ranks are those
  /// after the whole call. O(k log n).
  virtual Result<std::vector<Applied>> apply(const Board& board, std::span<const Offer> offers, Ranks ranks) = 0;

  virtual Result<std::vector<std::optional<Standing>>> standings(const Board& board,
                                                                 std::span<const PlayerId> players) const = 0;

  /// Takes players off a board; returns how many were on it.
  virtual Result<std::uint64_t> erase(const Board& board, std::span<const PlayerId> players) = 0;

  /// Begins a load, before the ledger is read for it: what is applied or erased from then on is in the loaded board
  /// too. Called again for a load under way, it keeps the load: a shared index gives a loader that is not heard of for
  /// a while up. Errors: conflict when another process is loading the board, or the load to keep is over.
  virtual Result<void> begin_load(const Board& board) = 0;

  /// Calls `next` for one standing after the other until it returns nullopt, and puts them in place of the board's
  /// whole content in one step: readers see the old board or the new one. They come sorted by rank key and then player
  /// id, both ascending, and no player twice. `expected`: about how many; it only saves work.
  /// Errors: conflict when `begin_load` did not begin it, or another process took the load over.
  virtual Result<void> load(const Board& board, std::uint64_t expected,
                            const std::function<std::optional<Offer>()>& next) = 0;

  /// The load that `begin_load` began here will not be finished.
  virtual void abandon_load(const Board& board) = 0;

  /// Forgets the board and gives its memory back.
  virtual Result<void> drop(const Board& board) = 0;

  /// Gives the memory of those boards of days and weeks back that `is_kept` says no to. A shared index has its server
  /// do it, by itself.
  virtual void drop_unless(const std::function<bool(const BoardId&)>& is_kept) { static_cast<void>(is_kept); }

  /// Whether the board can be read; always so where the index is not shared.
  virtual Result<bool> is_loaded(const Board& board) const = 0;

  /// Whether this process is the only writer, so that `standings` is as fresh as the ledger.
  virtual bool exclusive() const = 0;
};

}  // namespace scoreline::leaderboards
