#include "cli/board_text.h"
#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_around(const AroundCommand& command, Context& context) {
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto board = (*store)->around(command.board, command.player, command.radius);
  if (!board) return fail(board.error());
  if (context.json) {
    context.out << board_json(*board);
  } else if (board->entries.empty()) {
    return fail(Code::not_found, "this player has no result on the board", "playerId");
  } else {
    context.out << board_table(*board, command.player);
  }
  return 0;
}

}  // namespace scoreline::cli
