// Closing a season: from the first result that is refused to the archive that answers for it.
//
//   mark     the ledger says that the season is closing: no process records a result of it any more
//   fold     its final standings are computed from the ledger, and ranked as a live board ranks them
//   clear    what an earlier attempt left of an archive goes
//   write    the archive is written, a piece at a time
//   finish   one transaction: the season is closed, and its archive there
//   drop     the index gives the board's memory back
//
// A process that dies at any step leaves what the next one begins again from: until `finish` nobody sees an archive,
// and there is nothing to do after it but to drop. Of several processes one writes; the others are told so.
//
// Thread safety: one thread at a time. Memory: two boards of the season's size while it is closed.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "leaderboards/archives.h"
#include "leaderboards/board_maker.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/past_boards.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

class SeasonClosing {
 public:
  enum class Step : std::uint8_t { mark, fold, clear, write, finish, drop };
  using Work = std::function<Result<void>()>;
  /// Runs work on the writer thread between two commits, and returns what it returned.
  using OnWriter = std::function<Result<void>(const Work&)>;
  /// Hears of every step before it is done; an error stops there, as if the process had died.
  using Reach = std::function<Result<void>(Step)>;

  /// All must outlive it. `make_index`: a new, empty index that this process has to itself.
  SeasonClosing(Catalogue& catalogue, Archives& archives, BoardMaker& maker, RankIndex& index,
                PastBoards::MakeIndex make_index, OnWriter on_writer, Reach reach = nullptr);

  /// An open season becomes one that is closing, with an end of now if it has none or a later one.
  Result<void> mark(const LeaderboardName& leaderboard, SeasonId season, Timestamp now);
  /// A season that is closing becomes closed. Errors: conflict while another process does it, or when it must begin
  /// again.
  Result<void> archive(const LeaderboardName& leaderboard, SeasonId season);
  /// The index forgets the board of a closed season. Only once nobody reads it any more.
  Result<void> drop(const Board& board);

 private:
  Result<void> reach(Step step) const;
  /// Where the archives want it.
  Result<void> write(const Work& work) const;
  Result<void> write_all(ArchiveWriter& writer, const Board& board, const BoardReader& final);

  Catalogue& catalogue_;
  Archives& archives_;
  BoardMaker& maker_;
  RankIndex& index_;
  const PastBoards::MakeIndex make_index_;
  const OnWriter on_writer_;
  const Reach reach_;
};

/// Marks a season as closing, with an end of now if it has none or a later one. Writer only. Errors: not_found.
Result<void> mark_closing(Catalogue& catalogue, Archives& archives, const LeaderboardName& leaderboard, SeasonId season,
                          Timestamp now);

}  // namespace scoreline::leaderboards
