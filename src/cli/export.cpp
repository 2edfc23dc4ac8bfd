#include <map>
#include <string>

#include "base/limits.h"
#include "cli/commands.h"

namespace scoreline::cli {
namespace {

Result<int> export_results(const ExportCommand& command, Context& context) {
  if (context.remote) {
    return fail(Code::usage,
                "a server gives out boards, not results: add --board, or export from the data folder with --data",
                "server");
  }
  auto folder = context.open_folder();
  if (!folder) return fail(std::move(folder.error()));
  const auto record = (*folder)->catalogue().find(command.from.leaderboard);
  if (!record) return fail(record.error());
  auto sink = context.open_result_sink(command, (*record)->definition);
  if (!sink) return fail(std::move(sink.error()));
  Result<void> written;
  const auto visit = [&](const leaderboards::LedgerRow& row) {
    if (!written || row.leaderboard != command.from.leaderboard) return;
    if (command.from.season && row.season.value != *command.from.season) return;
    written = (*sink)->write(row);
  };
  if (auto scanned = (*folder)->ledger().scan(visit, [](leaderboards::ScanProgress) {}); !scanned) {
    return fail(std::move(scanned.error()));
  }
  if (!written) return fail(std::move(written.error()));
  if (auto finished = (*sink)->finish(); !finished) return fail(std::move(finished.error()));
  return 0;
}

/// Page by page, by rank: while a server's board moves, a player may be met twice or not at all.
Result<int> export_board(const ExportCommand& command, Context& context) {
  auto store = context.open_store();
  if (!store) return fail(std::move(store.error()));
  auto page = (*store)->range(command.from, 1, kMaxEntries);
  if (!page) return fail(std::move(page.error()));
  BoardChoice board = command.from;
  board.season = page->season;  // all pages of one season, should another become the current one
  auto sink = context.open_board_sink(command);
  if (!sink) return fail(std::move(sink.error()));
  std::uint64_t first = 1;
  while (!page->entries.empty()) {
    for (const auto& entry : page->entries) {
      const auto at = parse_timestamp(entry.achieved_at);
      if (!at) return fail(at.error());
      if (auto written = (*sink)->write({entry.rank, entry.player, entry.points, *at, entry.criteria}); !written) {
        return fail(std::move(written.error()));
      }
    }
    first += page->entries.size();
    if (page->entries.size() < kMaxEntries) break;
    page = (*store)->range(board, first, kMaxEntries);
    if (!page) return fail(std::move(page.error()));
  }
  if (auto finished = (*sink)->finish(); !finished) return fail(std::move(finished.error()));
  return 0;
}

}  // namespace

Result<int> run_export(const ExportCommand& command, Context& context) {
  return command.board ? export_board(command, context) : export_results(command, context);
}

}  // namespace scoreline::cli
