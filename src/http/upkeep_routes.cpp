// Making a board again, and comparing it with the ledger: begun by POST, looked at by GET.
#include <fmt/format.h>

#include <utility>

#include "http/board_tasks.h"
#include "http/board_text.h"
#include "http/board_view.h"
#include "http/json_text.h"
#include "http/problem.h"
#include "http/routes.h"
#include "leaderboards/season_boards.h"

namespace scoreline::http {
namespace {

using leaderboards::BoardSum;
using leaderboards::Difference;
using leaderboards::Standing;
using Task = BoardTasks::Task;

void append_standing(std::string& out, const std::optional<Standing>& standing,
                     const leaderboards::Definition& definition) {
  if (!standing) {
    out += "null";
    return;
  }
  out += '{';
  append_values(out, *standing, definition);
  out += R"(,"achievedAt":")";
  out += format_timestamp(standing->achieved_at);
  out += "\"}";
}

std::string sum_json(const BoardSum& sum) {
  return fmt::format(R"({{"players":{},"checksum":"{:016x}"}})", sum.players, sum.checksum);
}

void append_drift(std::string& out, const leaderboards::Drift& drift, const leaderboards::Definition& definition) {
  out += R"(,"ledger":)" + sum_json(drift.ledger) + R"(,"index":)" + sum_json(drift.index) + R"(,"driftPlayers":)";
  append_number(out, drift.players);
  out += R"(,"differing":[)";
  bool first = true;
  for (const Difference& each : drift.differing) {
    if (!std::exchange(first, false)) out += ',';
    out += R"({"playerId":)";
    append_quoted(out, each.player.text());
    out += R"(,"ledger":)";
    append_standing(out, each.ledger, definition);
    out += R"(,"index":)";
    append_standing(out, each.index, definition);
    out += '}';
  }
  out += ']';
}

std::string_view state_of(const Task& task) {
  if (!task.ended_at) return "running";
  return task.failure ? "failed" : "done";
}

std::string task_json(const Task& task) {
  std::string out =
      fmt::format(R"({{"leaderboard":"{}","season":{},"period":"{}","state":"{}","startedAt":"{}","resultsDone":{},)"
                  R"("resultsTotal":{})",
                  task.board.id.leaderboard.text(), task.board.id.season.value, to_string(task.board.id.period),
                  state_of(task), format_timestamp(task.started_at), task.progress.rows_done, task.progress.rows_total);
  if (task.ended_at) out += fmt::format(R"(,"endedAt":"{}")", format_timestamp(*task.ended_at));
  if (task.failure) {
    out += fmt::format(R"(,"failure":{{"code":"{}","detail":)", traits(task.failure->code).name);
    append_quoted(out, task.failure->detail);
    out += '}';
  }
  if (task.kind == BoardTasks::Kind::reconcile) out += fmt::format(R"(,"repair":{})", task.repair);
  if (task.drift) {
    append_drift(out, *task.drift, task.record->definition);
    out += fmt::format(R"(,"repaired":{})", task.repaired);
  }
  return out + '}';
}

Result<Response> start(const Call& call, BoardTasks::Kind kind, bool repair) {
  const auto view = view_board(call, call.params[0], call.params[1]);
  if (!view) return fail(view.error());
  const leaderboards::Season* const season = leaderboards::find_season(*view->record, view->season);
  if (season == nullptr) return fail(Code::not_found, "nobody has opened this season yet", "season");
  if (season->state == leaderboards::SeasonState::closed) {
    return fail(Code::conflict, "the season is closed: its archive is no board to make or compare", "season");
  }
  const auto task = call.context.tasks.start(
      Task{kind, leaderboards::board_of(view->record->definition, *season, view->period), view->record, repair});
  if (!task) return fail(task.error());
  if (kind == BoardTasks::Kind::rebuild || repair) {
    using leaderboards::AuditAction;
    const leaderboards::AuditEntry entry{
        kind == BoardTasks::Kind::rebuild ? AuditAction::rebuild_board : AuditAction::repair_board,
        view->record->definition.name, view->season};
    // On the writer, as all that is written to the ledger. A line that cannot be written does not undo the work.
    call.context.pipeline.exclusive(
        [&service = call.context.service, entry] { static_cast<void>(service.add_to_audit(entry)); });
  }
  return json(task_json(*task), 202);
}

Result<Response> show(const Call& call, BoardTasks::Kind kind) {
  if (auto known = call.target.allow_only({"period"}); !known) return fail(std::move(known.error()));
  const auto view = view_board(call, call.params[0], call.params[1]);
  if (!view) return fail(view.error());
  const auto task = call.context.tasks.last(kind, {view->record->definition.name, view->season, view->period});
  if (!task) return fail(Code::not_found, "nobody asked for it since this server began", "season");
  return json(task_json(*task));
}

}  // namespace

Result<Response> start_rebuild(const Call& call) {
  if (auto known = call.target.allow_only({"period"}); !known) return fail(std::move(known.error()));
  return start(call, BoardTasks::Kind::rebuild, false);
}

Result<Response> show_rebuild(const Call& call) { return show(call, BoardTasks::Kind::rebuild); }

Result<Response> start_reconcile(const Call& call) {
  if (auto known = call.target.allow_only({"repair", "period"}); !known) return fail(std::move(known.error()));
  const auto repair = call.target.parameter("repair").value_or("false");
  if (repair != "true" && repair != "false") return fail(Code::invalid, "must be true or false", "repair");
  return start(call, BoardTasks::Kind::reconcile, repair == "true");
}

Result<Response> show_reconcile(const Call& call) { return show(call, BoardTasks::Kind::reconcile); }

}  // namespace scoreline::http
