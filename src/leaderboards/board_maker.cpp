#include "leaderboards/board_maker.h"

#include <optional>

namespace scoreline::leaderboards {
namespace {

/// How often a shared index hears that a long load goes on.
constexpr std::chrono::seconds kLoadIsHeardEvery{10};

bool is_of(const LedgerRow& row, const BoardId& board) {
  return row.season == board.season && row.leaderboard == board.leaderboard.text();
}

}  // namespace

/// Reads the ledger; `keep` is called now and then meanwhile.
Result<void> BoardMaker::scan(const std::function<void(const LedgerRow&)>& visit,
                              const std::function<Result<void>()>& keep, const Progress& progress) {
  Monotonic heard = clock_.monotonic();
  Result<void> kept;
  const auto scanned = ledger_.scan(visit, [&](ScanProgress at) {
    progress(at);
    const Monotonic now = clock_.monotonic();
    if (now - heard < kLoadIsHeardEvery) return;
    heard = now;
    if (kept) kept = keep();
  });
  return scanned ? kept : scanned;
}

Result<std::size_t> BoardMaker::make_missing(const Progress& progress) {
  const std::unique_lock lock(making_, std::try_to_lock);
  if (!lock) return 0;
  LedgerFold fold(catalogue_, hash_seed_);
  const auto begun = fold.begin_loads(index_);
  if (begun && *begun == 0 && !index_.exclusive()) return 0;
  const auto made = begun
                        .and_then([&](std::size_t) {
                          return scan([&](const LedgerRow& row) { fold.add(row); },
                                      [&] { return fold.keep_loads(index_); }, progress);
                        })
                        .and_then([&] { return fold.load_into(index_); });
  if (made) return begun;
  fold.abandon_loads(index_);
  return fail(made.error());
}

Result<void> BoardMaker::make(const Board& board, const Progress& progress) {
  const std::lock_guard lock(making_);
  if (const auto begun = index_.begin_load(board); !begun) return begun;
  TallyArena arena;
  FoldedBoard folded(board, arena, hash_seed_);
  const auto add = [&](const LedgerRow& row) {
    if (is_of(row, board.id)) folded.add(row.player, row.points, row.achieved_at);
  };
  auto made = scan(
                  add, [&] { return index_.begin_load(board); }, progress)
                  .and_then([&] { return folded.load_into(index_); });
  if (!made) index_.abandon_load(board);
  return made;
}

Result<Drift> BoardMaker::compare(const Board& board, const Progress& progress) {
  TallyArena arena;
  FoldedBoard folded(board, arena, hash_seed_);
  const auto add = [&](const LedgerRow& row) {
    if (is_of(row, board.id)) folded.add(row.player, row.points, row.achieved_at);
  };
  return scan(
             add, [] { return Result<void>(); }, progress)
      .and_then([&] { return drift_of(folded, ledger_, index_); });
}

}  // namespace scoreline::leaderboards
