// Making the queues of the embedded store from its ledger: at the beginning, and again as it has them when it could not
// keep what they had become.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "queues/embedded_turn.h"

namespace scoreline::queues {
namespace {

/// Until a queue is looked after again: a full disk is so for a while.
constexpr std::chrono::milliseconds kAfterUndo{100};

ServedSchedule served_schedule(const ScheduleRecord& record) {
  ServedSchedule served{record, {}, {}};
  // Its note is the time of a tick, unless it was only made by then.
  const Timestamp just_before{record.last.ms - 1};
  const Ticks found = ticks(record.schedule, just_before, record.last);
  if (found.due == record.last) served.ticked = record.last;
  served.next = found.next;  // which may have gone by, and is made up for then
  return served;
}

tl::unexpected<Error> damaged(std::string what) { return fail(Code::damaged, std::move(what)); }

JobChange removal(QueueNumber queue, std::uint64_t sequence) {
  JobChange removal{queue, Change::removed, {}};
  removal.job.sequence = sequence;
  return removal;
}

void apply(ServedQueue& served, const QueueRecord& record) {
  served.record = record;
  served.queue->set_options(record.options);
  served.queue->set_paused(record.paused);
  if (record.options.durability == Durability::memory) {
    served.recorder.turn_off();
  } else {
    served.recorder.turn_on(record.number);
  }
}

}  // namespace

ServedQueue* EmbeddedJobStore::numbered(QueueNumber number) const {
  const std::shared_lock lock(names_lock_);
  const auto at = numbers_.find(number);
  return at == numbers_.end() ? nullptr : at->second;
}

/// Nobody else has the store yet.
Result<void> EmbeddedJobStore::load(JobLedger& ledger) {
  const Instant now = instant_of(clock_);
  LedgerBatch strays;
  Result<void> right;
  const auto note = [&right](Result<void> done) {
    if (right && !done) right = std::move(done);
  };
  const auto loaded =
      ledger.load([&](const QueueRecord& record) { load_queue(record); },
                  [&](const ScheduleRecord& record) { note(load_schedule(record)); },
                  [&](QueueNumber number, const JobRow& row) { note(load_job(number, row, now, strays)); });
  if (!loaded) return loaded;
  if (!right) return right;
  if (!strays.empty()) commit_->add(std::move(strays), Durability::os, {});
  for (ServedQueue& served : served_) look_after_soon(served, std::chrono::milliseconds{0});
  return {};
}

void EmbeddedJobStore::load_queue(const QueueRecord& record) {
  ServedQueue& served = add_queue(record.name);
  numbers_.emplace(record.number, &served);
  next_number_ = std::max(next_number_, record.number + 1);
  served.there = true;
  served.kept.queue = record;
  apply(served, record);
}

Result<void> EmbeddedJobStore::load_schedule(const ScheduleRecord& record) {
  ServedQueue* const served = numbered(record.queue);
  if (served == nullptr) return damaged(fmt::format("a schedule is of queue {}, and there is none", record.queue));
  if (auto right = check(record.schedule, served->record.options); !right) {
    return damaged(fmt::format("schedule {}: {}: {}", record.schedule.name, right.error().field, right.error().detail));
  }
  served->kept.schedules[record.schedule.name] = served->schedules[record.schedule.name] = served_schedule(record);
  return {};
}

Result<void> EmbeddedJobStore::load_job(QueueNumber number, const JobRow& row, Instant now, LedgerBatch& strays) {
  ServedQueue* const served = numbered(number);
  if (served == nullptr) return damaged(fmt::format("a job is of queue {}, and there is none", number));
  if (!served->recorder.is_on()) {
    // It came in while its queue was being set to `memory`.
    strays.jobs.push_back(removal(number, row.sequence));
    return {};
  }
  Queue& queue = *served->queue;
  const bool right = row.priority < kPriorities && row.state <= JobState::done && row.cause <= DeadCause::crash_loop &&
                     check_job_id(row.id) && row.payload.size() <= kMaxPayloadBytes;
  if (!right || queue.find(row.id, now)) {
    return damaged(fmt::format("job {} of queue {} is not one that was written", row.sequence, number));
  }
  queue.restore(row, now);
  return {};
}

LedgerBatch EmbeddedJobStore::kept(const LedgerBatch& batch) {
  LedgerBatch more;
  for (const QueueRecord& record : batch.queues) {
    ServedQueue& served = *numbered(record.number);
    const std::lock_guard lock(served.lock);
    served.kept.queue = record;
    const bool leaves = record.options.durability == Durability::memory && served.added_while_leaving;
    if (!leaves || served.record.options.durability != Durability::memory) continue;
    served.recorder.turn_off();
    for (const std::uint64_t sequence : *served.added_while_leaving) {
      more.jobs.push_back(removal(record.number, sequence));
    }
    served.added_while_leaving.reset();
  }
  for (const ScheduleRecord& record : batch.schedules) {
    ServedQueue& served = *numbered(record.queue);
    const std::lock_guard lock(served.lock);
    served.kept.schedules.erase(record.schedule.name);
    if (!record.dropped) served.kept.schedules[record.schedule.name] = served_schedule(record);
  }
  return more;
}

/// Under the lock of the queue.
void EmbeddedJobStore::undo_records(ServedQueue& served) {
  served.added_while_leaving.reset();
  served.schedules = served.kept.schedules;
  if (served.kept.queue) return apply(served, *served.kept.queue);
  QueueRecord none;
  none.number = served.record.number;
  none.name = served.record.name;
  apply(served, none);
  served.recorder.turn_off();
  served.there = false;
}

/// What the ledger has of all queues and schedules. It reads the jobs, too, but this is rare.
Result<void> EmbeddedJobStore::read_records(JobLedger& ledger) {
  std::map<QueueNumber, KeptRecords> all;
  const auto read = ledger.load([&](const QueueRecord& record) { all[record.number].queue = record; },
                                [&](const ScheduleRecord& record) {
                                  all[record.queue].schedules[record.schedule.name] = served_schedule(record);
                                },
                                [](QueueNumber, const JobRow&) {});
  if (!read) return read;
  const std::shared_lock names(names_lock_);
  for (const auto& [number, served] : numbers_) {
    const std::lock_guard lock(served->lock);
    served->kept = std::move(all[number]);
  }
  return {};
}

Result<void> EmbeddedJobStore::undo(const LedgerBatch& batch, bool maybe_kept, JobLedger& ledger) {
  if (maybe_kept && !(batch.queues.empty() && batch.schedules.empty())) {
    if (auto read = read_records(ledger); !read) return read;
  }
  struct Touched {
    std::vector<std::uint64_t> sequences;
    std::vector<const StoredJob*> added;
    std::vector<StoredJob> rows;
  };
  std::map<QueueNumber, Touched> touched;
  for (const QueueRecord& record : batch.queues) touched.try_emplace(record.number);
  for (const ScheduleRecord& record : batch.schedules) touched.try_emplace(record.queue);
  for (const JobChange& change : batch.jobs) {
    Touched& of = touched[change.queue];
    of.sequences.push_back(change.job.sequence);
    if (change.change == Change::added) of.added.push_back(&change.job);
  }
  for (auto& [number, of] : touched) {
    const auto row = [&rows = of.rows](const JobRow& found) { rows.push_back(stored(found)); };
    if (of.sequences.empty()) continue;
    if (auto found = ledger.find(number, of.sequences, row); !found) return found;
  }
  for (auto& [number, of] : touched) {
    ServedQueue* const served = numbered(number);
    if (served == nullptr) continue;
    const std::lock_guard lock(served->lock);
    const Instant now = instant_of(clock_);
    undo_records(*served);
    served->recorder.turn_off();
    // Jobs of a queue that was to leave memory, and did not, are where they were.
    const bool in_memory = served->there && served->record.options.durability == Durability::memory;
    for (std::size_t i = 0; !in_memory && i < of.added.size(); ++i) {
      const auto there = served->queue->find(of.added[i]->id, now);
      if (there && there->sequence == of.added[i]->sequence) served->queue->remove(of.added[i]->id);
    }
    for (std::size_t i = 0; !in_memory && i < of.rows.size(); ++i) {
      served->queue->remove(of.rows[i].id);
      served->queue->restore(of.rows[i].row(), now);
    }
    if (served->there && !in_memory) served->recorder.turn_on(number);
    look_after_soon(*served, kAfterUndo);
  }
  return {};
}

}  // namespace scoreline::queues
