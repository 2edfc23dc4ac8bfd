// Making the queues of the embedded store from its ledger: at the beginning, and again when the ledger could not keep
// what they had become.
#include <fmt/format.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "queues/embedded_job_store.h"

namespace scoreline::queues {
namespace {

tl::unexpected<Error> damaged(std::string what) { return fail(Code::damaged, std::move(what)); }

}  // namespace

Result<void> EmbeddedJobStore::load() {
  const Instant now = instant_of(clock_);
  // A queue that the ledger does not have has not come into being.
  for (ServedQueue& served : served_) make_anew(served);
  Result<void> right;
  const auto note = [&right](Result<void> done) {
    if (right && !done) right = std::move(done);
  };
  const auto loaded = ledger_->load([&](const QueueRecord& record) { load_queue(record); },
                                    [&](const ScheduleRecord& record) { note(load_schedule(record, now)); },
                                    [&](QueueNumber number, const JobRow& row) { note(load_job(number, row, now)); });
  if (!loaded) return loaded;
  for (ServedQueue& served : served_) {
    served.called_at = now.steady;
    agenda_.set(served.index, now.steady);
  }
  return right;
}

/// Empty, but for the jobs that are in memory alone.
void EmbeddedJobStore::make_anew(ServedQueue& served) {
  static_cast<void>(served.recorder.take());
  served.record_changed = false;
  served.there = false;
  served.schedules.clear();
  if (!served.recorder.is_on()) return;
  served.record = {served.record.number, served.record.name, {}, false};
  served.queue = std::make_unique<Queue>(served.record.options, random_, served.recorder);
}

void EmbeddedJobStore::load_queue(const QueueRecord& record) {
  const auto known = numbers_.find(record.number);
  ServedQueue& served = known == numbers_.end() ? add(record) : *known->second;
  served.there = true;
  served.record = record;
  served.queue->set_options(record.options);
  served.queue->set_paused(record.paused);
  record.options.durability == Durability::memory ? served.recorder.turn_off() : served.recorder.turn_on(record.number);
}

Result<void> EmbeddedJobStore::load_schedule(const ScheduleRecord& record, Instant now) {
  const auto served = numbers_.find(record.queue);
  if (served == numbers_.end())
    return damaged(fmt::format("a schedule is of queue {}, and there is none", record.queue));
  if (auto right = check(record.schedule, served->second->record.options); !right) {
    return damaged(fmt::format("schedule {}: {}: {}", record.schedule.name, right.error().field, right.error().detail));
  }
  served->second->schedules[record.schedule.name] = {record, {}, now.wall};
  return {};
}

Result<void> EmbeddedJobStore::load_job(QueueNumber number, const JobRow& row, Instant now) {
  const auto served = numbers_.find(number);
  if (served == numbers_.end()) return damaged(fmt::format("a job is of queue {}, and there is none", number));
  Queue& queue = *served->second->queue;
  const bool right = row.priority < kPriorities && row.state <= JobState::done && row.cause <= DeadCause::crash_loop &&
                     check_job_id(row.id) && row.payload.size() <= kMaxPayloadBytes;
  if (!right || queue.find(row.id, now)) {
    return damaged(fmt::format("job {} of queue {} is not one that was written", row.sequence, number));
  }
  queue.restore(row, now);
  return {};
}

bool EmbeddedJobStore::make_again(const Error& why) {
  const std::lock_guard names(names_lock_);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (ServedQueue& served : served_) locks.emplace_back(served.lock);
  out_of_step_ = why;
  commit_->give_up();
  if (!load()) return false;
  out_of_step_.reset();
  return true;
}

}  // namespace scoreline::queues
