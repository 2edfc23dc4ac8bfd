// All boards of a ledger at once: every result that counts folded into one standing per player and board.
//
// Not thread-safe; one rebuild, one object. Memory: about 45 bytes and the id for each player of each board, plus 32
// bytes for each player of the board being loaded. Time: one hash look-up a result, one sort a board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/rules.h"

namespace scoreline::leaderboards {

/// Where the tallies live, each followed by its player's id. A reference is 32 bits wide and reaches 32 GiB.
class TallyArena {
 public:
  using Ref = std::uint32_t;

  Ref add(std::string_view player);
  Tally& tally(Ref ref) { return *reinterpret_cast<Tally*>(at(ref)); }
  std::string_view player(Ref ref) const;
  /// Has the tally's memory come nearer while other work goes on.
  void prefetch(Ref ref) const;

 private:
  std::byte* at(Ref ref) const;

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = 0;  // units of the last chunk
};

/// The players of one board: a flat table from id to tally.
class FoldedBoard {
 public:
  FoldedBoard(Board board, TallyArena& arena, std::uint64_t hash_seed)
      : board_(std::move(board)), arena_(&arena), hash_seed_(hash_seed) {}

  void add(std::string_view player, const Standing& result);
  /// Puts the standings in place of what `index` has of this board.
  Result<void> load_into(RankIndex& index) const;

  const Board& board() const { return board_; }

  /// The players are numbered 0..size()-1.
  std::size_t size() const { return players_.size(); }
  std::optional<std::size_t> place_of(std::string_view player) const;
  std::string_view player(std::size_t place) const { return arena_->player(players_[place]); }
  Standing standing(std::size_t place) const { return *standing_of(arena_->tally(players_[place]), board_); }

 private:
  struct Slot {
    std::uint32_t hash = 0;    // the lower half of the id's: enough to find its place when the table grows
    std::uint32_t player = 0;  // one above its place in players_; 0: free
  };

  std::uint32_t hash_of(std::string_view player) const;
  /// Where the player's slot is, or the free one for it.
  std::size_t slot_of(std::uint32_t hash, std::string_view player) const;
  void grow();

  Board board_;
  TallyArena* arena_;
  std::uint64_t hash_seed_;
  std::vector<Slot> slots_;  // a power of two, at most 3/4 full
  std::vector<TallyArena::Ref> players_;
};

class LedgerFold {
 public:
  /// `hash_seed`: random, so that nobody can choose player ids that collide.
  LedgerFold(const Catalogue& catalogue, Timestamp now, std::uint64_t hash_seed)
      : catalogue_(catalogue), now_(now), hash_seed_(hash_seed) {}

  /// Before the ledger is read: begins the load of every board that the catalogue has and the index lacks. An index
  /// that this process has to itself lacks them all; of a shared one, boards that another process is loading are left
  /// to it, and boards of days and weeks to come, which no result can be on yet, are loaded at once. How many it began
  /// that the ledger must be read for.
  Result<std::size_t> begin_loads(RankIndex& index);
  /// Tells the index that the loads go on.
  Result<void> keep_loads(RankIndex& index) const;
  /// Tells it that they will not be finished.
  void abandon_loads(RankIndex& index) const;
  void add(const LedgerRow& row);
  /// Errors: damaged when a row's leaderboard is not there; what the index says.
  Result<void> load_into(RankIndex& index) const;

 private:
  /// The boards of a season that are to be loaded; each result is put on those whose span it is in.
  using SeasonFolds = std::vector<FoldedBoard*>;
  using SeasonKey = std::pair<LeaderboardName, SeasonId>;

  Result<void> begin_load(RankIndex& index, Board board);
  SeasonFolds* folds_for(const SeasonKey& season);
  void add_board(Board board);

  const Catalogue& catalogue_;
  Timestamp now_;
  std::uint64_t hash_seed_;
  TallyArena arena_;
  std::vector<std::unique_ptr<FoldedBoard>> boards_;
  std::map<SeasonKey, SeasonFolds> by_season_;
  bool shared_ = false;  // the index: then nothing is loaded but what was begun
  // Neighbouring rows are mostly of one season. nullptr: not to be loaded.
  std::optional<SeasonKey> last_season_;
  SeasonFolds* last_ = nullptr;
  std::optional<Error> failure_;
};

}  // namespace scoreline::leaderboards
