#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/progress_bar.h"

namespace scoreline::cli {

Result<void> check_can_look_after_boards(const Context& context) {
  if (context.remote || context.shared) return {};
  return fail(Code::usage,
              "the boards of a data folder are in the memory of the server that runs there: ask it with --server URL",
              "server");
}

Result<int> run_rebuild(const RebuildCommand& command, Context& context) {
  if (const auto can = check_can_look_after_boards(context); !can) return fail(can.error());
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  ProgressBar bar(context.err, context.clock, context.progress);
  const auto season = (*store)->rebuild(command.board, [&](std::uint64_t done, std::uint64_t total) {
    bar.show({done, done, total});
  });
  bar.clear();
  if (!season) return fail(season.error());
  if (context.json) {
    context.out << fmt::format(R"({{"leaderboard":"{}","season":{},"rebuilt":true}})", command.board.leaderboard,
                               *season)
                << '\n';
  } else {
    context.out << fmt::format("season {} of {} is made again from the ledger\n", *season, command.board.leaderboard);
  }
  return 0;
}

}  // namespace scoreline::cli
