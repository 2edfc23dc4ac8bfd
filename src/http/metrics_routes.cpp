// What goes on, in Prometheus's text format.
#include <fmt/format.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <utility>

#include "http/board_tasks.h"
#include "http/problem.h"
#include "http/queue_metrics.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

using Task = BoardTasks::Task;

std::string board_metrics(const std::vector<Task>& reconciled) {
  const auto labels = [](const Task& task) {
    return fmt::format("{{leaderboard=\"{}\",season=\"{}\"}}", task.board.id.leaderboard.text(),
                       task.board.id.season.value);
  };
  std::string out =
      "# HELP scoreline_board_drift_players Players whom the board showed otherwise than the ledger, when last "
      "reconciled.\n# TYPE scoreline_board_drift_players gauge\n";
  for (const Task& task : reconciled) {
    out += fmt::format("scoreline_board_drift_players{} {}\n", labels(task), task.repaired ? 0 : task.drift->players);
  }
  out +=
      "# HELP scoreline_board_reconciled_timestamp_seconds When the board was last reconciled.\n"
      "# TYPE scoreline_board_reconciled_timestamp_seconds gauge\n";
  for (const Task& task : reconciled) {
    out += fmt::format("scoreline_board_reconciled_timestamp_seconds{} {:.3f}\n", labels(task),
                       static_cast<double>(task.ended_at->ms) / 1e3);
  }
  return out;
}

Response in_text_format(std::string text) {
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = std::move(text);
  return response;
}

}  // namespace

void metrics(const Call& call, Responder responder) {
  if (auto known = call.target.allow_only({}); !known) return responder.send(problem(known.error()));
  std::string text;
  if (call.context.registry != nullptr)
    text += prometheus::TextSerializer().Serialize(call.context.registry->Collect());
  text += board_metrics(call.context.tasks.reconciled());
  if (call.context.jobs == nullptr) return responder.send(in_text_format(std::move(text)));
  const auto open = std::make_shared<Responder>(std::move(responder));
  queue_metrics(*call.context.jobs, [open, text = std::move(text)](const std::string& queues) {
    open->send(in_text_format(text + queues));
  });
}

}  // namespace scoreline::http
