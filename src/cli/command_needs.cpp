#include <algorithm>

#include "base/duration.h"
#include "cli/command_line.h"
#include "cli/queue_worker.h"
#include "queues/limits.h"

namespace scoreline::cli {

bool runs_until_stopped(const Command& command) {
  return std::holds_alternative<ServeCommand>(command) || std::holds_alternative<DemoCommand>(command) ||
         std::holds_alternative<QueueWorkCommand>(command);
}

bool makes_folder(const Command& command) {
  if (const auto* queue = std::get_if<QueueCommand>(&command)) {
    return queue->deed == QueueCommand::Deed::push || queue->deed == QueueCommand::Deed::set ||
           queue->deed == QueueCommand::Deed::schedule;
  }
  return std::holds_alternative<ImportCommand>(command);
}

bool is_about_queues(const Command& command) {
  return std::holds_alternative<QueueCommand>(command) || std::holds_alternative<QueueWorkCommand>(command);
}

std::chrono::milliseconds answer_deadline(const Command& command, std::chrono::milliseconds usual) {
  if (const auto* work = std::get_if<QueueWorkCommand>(&command)) return QueueWorker::answer_deadline(work->lease);
  const auto* queue = std::get_if<QueueCommand>(&command);
  if (queue == nullptr || !queue->wait) return usual;
  return usual + std::min(parse_duration(*queue->wait).value_or(std::chrono::milliseconds{0}), queues::kMaxWait);
}

}  // namespace scoreline::cli
