#include <fmt/format.h>

#include "cli/board_text.h"
#include "cli/commands.h"

namespace scoreline::cli {
namespace {

std::string line(std::string_view side, const ShownBoard& board) {
  if (board.entries.empty()) return fmt::format("  {}  absent\n", side);
  const ShownEntry& entry = board.entries.front();
  std::string points = entry.points + " points";
  for (const auto& [name, value] : entry.criteria) points += ", " + name + " " + value;
  return fmt::format("  {}  rank {} of {}, {} at {}\n", side, entry.rank, board.players, points, entry.achieved_at);
}

std::string place_or_null(const ShownBoard& board) {
  if (board.entries.empty()) return "null";
  std::string out = place_json(board);
  out.pop_back();  // the end of the line
  return out;
}

}  // namespace

Result<int> run_audit_rank(const AuditRankCommand& command, Context& context) {
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto audit = (*store)->audit_rank(command.board, command.player);
  if (!audit) return fail(audit.error());
  if (context.json) {
    context.out << fmt::format(R"({{"season":{},"shown":{},"recounted":{},"agrees":{}}})", audit->shown.season,
                               place_or_null(audit->shown), place_or_null(audit->recounted), audit->agrees)
                << '\n';
  } else {
    context.out << line("board ", audit->shown) << line("ledger", audit->recounted)
                << (audit->agrees ? "the board is right\n" : "the board is wrong: see `scoreline reconcile`\n");
  }
  return audit->agrees ? 0 : traits(Code::conflict).exit_code;
}

}  // namespace scoreline::cli
