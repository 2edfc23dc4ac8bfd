#include "http/board_tasks.h"

#include <algorithm>
#include <utility>

namespace scoreline::http {
namespace {

constexpr std::size_t kMaxRemembered = 256;

bool is_of(const BoardTasks::Task& task, BoardTasks::Kind kind, const leaderboards::BoardId& board) {
  return task.kind == kind && task.board.id == board;
}

}  // namespace

BoardTasks::~BoardTasks() {
  if (thread_.joinable()) thread_.join();
}

Result<BoardTasks::Task> BoardTasks::start(Task task) {
  const std::lock_guard lock(mutex_);
  if (running_) {
    if (is_of(*running_, task.kind, task.board.id) && running_->repair == task.repair) return *running_;
    return fail(Code::conflict, "another board is being made or compared by this server; ask again when it has ended");
  }
  if (thread_.joinable()) thread_.join();  // it has ended
  task.started_at = service_.clock().now();
  running_ = task;
  thread_ = std::thread([this, task] { run(task); });
  return task;
}

std::optional<BoardTasks::Task> BoardTasks::last(Kind kind, const leaderboards::BoardId& board) const {
  const std::lock_guard lock(mutex_);
  if (running_ && is_of(*running_, kind, board)) return running_;
  for (const Task& task : ended_) {
    if (is_of(task, kind, board)) return task;
  }
  return std::nullopt;
}

std::vector<BoardTasks::Task> BoardTasks::reconciled() const {
  const std::lock_guard lock(mutex_);
  std::vector<Task> tasks;
  std::copy_if(ended_.begin(), ended_.end(), std::back_inserter(tasks), [](const Task& task) { return task.drift; });
  return tasks;
}

void BoardTasks::run(Task task) {
  const auto worked = work(task);
  if (!worked) task.failure = worked.error();
  task.ended_at = service_.clock().now();
  remember(std::move(task));
}

Result<void> BoardTasks::work(Task& task) {
  const auto progress = [&](leaderboards::ScanProgress at) {
    task.progress = at;
    const std::lock_guard lock(mutex_);
    running_->progress = at;
  };
  leaderboards::BoardMaker& maker = service_.maker();
  if (task.kind == Kind::rebuild) return maker.make(task.board, progress);
  auto drift = maker.compare(task.board, progress);
  if (!drift) return fail(std::move(drift).error());
  if (task.repair && drift->players > 0) {
    if (const auto made = maker.make(task.board, progress); !made) return made;
    task.repaired = true;
  }
  task.drift = *std::move(drift);
  return {};
}

void BoardTasks::remember(Task task) {
  const std::lock_guard lock(mutex_);
  std::erase_if(ended_, [&task](const Task& old) { return is_of(old, task.kind, task.board.id); });
  if (ended_.size() == kMaxRemembered) ended_.erase(ended_.begin());
  ended_.push_back(std::move(task));
  running_.reset();
}

}  // namespace scoreline::http
