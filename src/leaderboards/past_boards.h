// Boards as they stood at past instants, made from the ledger when somebody asks for one.
//
// Thread safety: every call from any thread; boards are made one after the other.
// Cost: one scan of the ledger for a board that is not kept; the memory of kKeptPastBoards boards.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/error.h"
#include "leaderboards/board_maker.h"
#include "leaderboards/board_reader.h"
#include "leaderboards/definition.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

inline constexpr std::size_t kKeptPastBoards = 4;

class PastBoards {
 public:
  /// A new, empty index that this process has to itself.
  using MakeIndex = std::function<std::unique_ptr<RankIndex>()>;

  /// `maker` and `clock` must outlive it.
  PastBoards(BoardMaker& maker, MakeIndex make_index, const Clock& clock)
      : maker_(maker), make_index_(std::move(make_index)), clock_(clock) {}

  /// The board that the results achieved until `at`, that instant included, make. One that was made is kept for a
  /// while: a result that comes late may be missing for so long. Errors: those of the scan.
  Result<std::shared_ptr<const BoardReader>> at(const Board& board, Timestamp at);

  /// Something that counted does not count any more: what was made is made again.
  void forget();

 private:
  struct Kept {
    BoardId id;
    Timestamp at;
    Monotonic made;
    std::shared_ptr<const RankIndex> index;
  };

  BoardMaker& maker_;
  const MakeIndex make_index_;
  const Clock& clock_;
  std::mutex making_;
  std::mutex mutex_;
  std::list<Kept> kept_;         // guarded by mutex_; the one asked for last comes first
  std::uint64_t forgotten_ = 0;  // guarded by mutex_; how often
};

}  // namespace scoreline::leaderboards
