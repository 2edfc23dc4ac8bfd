#include "cli/board_text.h"
#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_rank(const RankCommand& command, Context& context) {
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto board = (*store)->place(command.board, command.player);
  if (!board) return fail(board.error());
  if (board->entries.empty()) return fail(Code::not_found, "this player has no result on the board", "playerId");
  if (context.json) {
    context.out << place_json(*board);
  } else {
    context.out << board_table(*board) << "level with or ahead of " << board->percentile << " % of them\n";
  }
  return 0;
}

}  // namespace scoreline::cli
