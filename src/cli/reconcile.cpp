#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "http/json_text.h"

namespace scoreline::cli {
namespace {

void append_value(std::string& out, std::string_view key, const std::string& text) {
  out.append(fmt::format(R"(,"{}":)", key));
  if (text.empty()) {
    out.append("null");
  } else {
    http::append_quoted(out, text);
  }
}

std::string sum_json(const ShownSum& sum) {
  return fmt::format(R"({{"players":{},"checksum":"{}"}})", sum.players, sum.checksum);
}

std::string drift_json(const ReconcileCommand& command, const ShownDrift& drift) {
  std::string out = fmt::format(R"({{"leaderboard":"{}","season":{},"ledger":{},"index":{},)",
                                command.board.leaderboard, drift.season, sum_json(drift.ledger), sum_json(drift.index));
  out += fmt::format(R"("driftPlayers":{},"differing":[)", drift.players);
  for (const ShownDifference& each : drift.differing) {
    if (out.back() != '[') out.push_back(',');
    out.append(R"({"playerId":)");
    http::append_quoted(out, each.player);
    append_value(out, "ledger", each.ledger);
    append_value(out, "index", each.index);
    out.push_back('}');
  }
  return out + fmt::format("],\"repaired\":{}}}\n", drift.repaired);
}

std::string drift_text(const ReconcileCommand& command, const ShownDrift& drift) {
  std::string out =
      fmt::format("season {} of {}\n  ledger  {} players, checksum {}\n  board   {} players, checksum {}\n",
                  drift.season, command.board.leaderboard, drift.ledger.players, drift.ledger.checksum,
                  drift.index.players, drift.index.checksum);
  const auto or_absent = [](const std::string& text) { return text.empty() ? std::string("absent") : text; };
  for (const ShownDifference& each : drift.differing) {
    out += fmt::format("  {}: ledger {}, board {}\n", each.player, or_absent(each.ledger), or_absent(each.index));
  }
  if (drift.players == 0) return out + "the board is what the ledger says\n";
  out += fmt::format("{} players differ", drift.players);
  return out + (drift.repaired ? "; the board was made again\n" : "; --repair makes the board again\n");
}

}  // namespace

Result<int> run_reconcile(const ReconcileCommand& command, Context& context) {
  if (const auto can = check_can_look_after_boards(context); !can) return fail(can.error());
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  ProgressBar bar(context.err, context.clock, context.progress);
  const auto drift = (*store)->reconcile(command.board, command.repair, [&](std::uint64_t done, std::uint64_t total) {
    bar.show({done, done, total});
  });
  bar.clear();
  if (!drift) return fail(drift.error());
  context.out << (context.json ? drift_json(command, *drift) : drift_text(command, *drift));
  return drift->players == 0 || drift->repaired ? 0 : traits(Code::conflict).exit_code;
}

}  // namespace scoreline::cli
