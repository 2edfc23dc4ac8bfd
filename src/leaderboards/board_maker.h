// Makes boards from the ledger, while everything else goes on, and compares them with it.
//
// Thread safety: every call from any thread; boards are made one after the other. Readers see the old board or the new
// one, and nothing that is taken meanwhile is lost (RankIndex::begin_load).
// Cost: one scan of the ledger each; memory as LedgerFold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>

#include "base/clock.h"
#include "base/error.h"
#include "leaderboards/board_drift.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/ledger_fold.h"
#include "leaderboards/rank_audit.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

class BoardMaker {
 public:
  using Progress = std::function<void(ScanProgress)>;

  /// `hash_seed`: random wherever strangers choose the player ids.
  BoardMaker(const Catalogue& catalogue, Ledger& ledger, RankIndex& index, const Clock& clock, std::uint64_t hash_seed)
      : catalogue_(catalogue), ledger_(ledger), index_(index), clock_(clock), hash_seed_(hash_seed) {}

  /// Makes every board that the index lacks; of an index that this process has to itself, every board. How many.
  /// 0 at once while a board is being made already. Costs one question a board when none is missing.
  Result<std::size_t> make_missing(const Progress& progress);
  /// Makes boards again, whatever the index has of them, with one scan. Errors: conflict while another process is
  /// making one of them.
  Result<void> make(std::span<const Board> boards, const Progress& progress);
  Result<void> make(const Board& board, const Progress& progress) { return make({&board, 1}, progress); }
  /// Puts the board that the results achieved until `at`, that instant included, make into an index of its own, which
  /// lacks it.
  Result<void> make_as_of(const Board& board, Timestamp at, RankIndex& into);
  /// Counts a player's place again from the results achieved until `until`, beside what `reader` shows of the board.
  Result<RankAudit> audit_rank(const BoardReader& reader, const Board& board, Timestamp until, const PlayerId& player);
  /// Errors: not_ready while the index lacks the board.
  Result<Drift> compare(const Board& board, const Progress& progress);

 private:
  /// Puts the results of the ledger that were achieved until `until` on those of the boards that they count on.
  Result<void> read(std::span<FoldedBoard> boards, Timestamp until, const std::function<Result<void>()>& keep,
                    const Progress& progress);
  /// Reads the ledger; `keep` is called now and then meanwhile.
  Result<void> scan(const std::function<void(const LedgerRow&)>& visit, const std::function<Result<void>()>& keep,
                    const Progress& progress);

  const Catalogue& catalogue_;
  Ledger& ledger_;
  RankIndex& index_;
  const Clock& clock_;
  const std::uint64_t hash_seed_;
  std::mutex making_;
};

}  // namespace scoreline::leaderboards
