#include "leaderboards/board_maker.h"

#include <chrono>
#include <vector>

namespace scoreline::leaderboards {
namespace {

/// How often a shared index hears that a long load goes on.
constexpr std::chrono::seconds kLoadIsHeardEvery{10};

}  // namespace

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

Result<void> BoardMaker::read(std::span<FoldedBoard> boards, Timestamp until, const std::function<Result<void>()>& keep,
                              const Progress& progress) {
  const auto add = [&](const LedgerRow& row) {
    for (FoldedBoard& board : boards) {
      const BoardId& id = board.board().id;
      if (row.season != id.season || row.leaderboard != id.leaderboard.text() || row.achieved_at > until) continue;
      if (board.board().span.contains(row.achieved_at)) board.add(row.player, result_of(row));
    }
  };
  return scan(add, keep, progress);
}

Result<std::size_t> BoardMaker::make_missing(const Progress& progress) {
  const std::unique_lock lock(making_, std::try_to_lock);
  if (!lock) return 0;
  LedgerFold fold(catalogue_, clock_.now(), hash_seed_);
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

Result<void> BoardMaker::make(std::span<const Board> boards, const Progress& progress) {
  const std::lock_guard lock(making_);
  TallyArena arena;
  std::vector<FoldedBoard> folded;
  const auto begin_loads = [&]() -> Result<void> {
    for (const Board& board : boards) {
      if (const auto begun = index_.begin_load(board); !begun) return begun;
    }
    return {};
  };
  for (const Board& board : boards) folded.emplace_back(board, arena, hash_seed_);
  auto made = begin_loads().and_then([&] { return read(folded, kMaxTimestamp, begin_loads, progress); });
  for (const FoldedBoard& board : folded) {
    if (made) made = board.load_into(index_);
    if (!made) index_.abandon_load(board.board());
  }
  return made;
}

Result<void> BoardMaker::make_as_of(const Board& board, Timestamp at, RankIndex& into) {
  TallyArena arena;
  FoldedBoard folded(board, arena, hash_seed_);
  return into.begin_load(board)
      .and_then([&] {
        return read(
            std::span(&folded, 1), at, [] { return Result<void>(); }, [](ScanProgress) {});
      })
      .and_then([&] { return folded.load_into(into); });
}

Result<RankAudit> BoardMaker::audit_rank(const BoardReader& reader, const Board& board, Timestamp until,
                                         const PlayerId& player) {
  const auto read_ledger = [&](FoldedBoard& folded) {
    return read(
        std::span(&folded, 1), until, [] { return Result<void>(); }, [](ScanProgress) {});
  };
  return leaderboards::audit_rank(reader, board, player, read_ledger, hash_seed_);
}

Result<Drift> BoardMaker::compare(const Board& board, const Progress& progress) {
  TallyArena arena;
  FoldedBoard folded(board, arena, hash_seed_);
  return read(
             std::span(&folded, 1), kMaxTimestamp, [] { return Result<void>(); }, progress)
      .and_then([&] { return drift_of(folded, ledger_, index_); });
}

}  // namespace scoreline::leaderboards
