#include "cli/board_text.h"
#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_top(const TopCommand& command, Context& context) {
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto board = (*store)->range(command.board, 1, command.count);
  if (!board) return fail(board.error());
  context.out << (context.json ? board_json(*board) : board_table(*board));
  return 0;
}

}  // namespace scoreline::cli
