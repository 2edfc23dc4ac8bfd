#include "queues/embedded_turn.h"

#include <algorithm>
#include <utility>

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

/// Ids that are free again and dead jobs that are too old are seen to in lots, not one by one.
constexpr milliseconds kForgettingMayWait = std::chrono::seconds{1};
/// What is due while the ledger cannot be written stays so.
constexpr milliseconds kLookAgain{100};

}  // namespace

void EmbeddedJobStore::Turn::bring_into_being() {
  if (served_.there) return;
  served_.there = true;
  note_record();
}

Result<void> EmbeddedJobStore::Turn::check_writable() const {
  if (store_.ledger_ == nullptr) return {};
  if (const auto& error = store_.out_of_step_) return fail(*error);
  if (const auto error = store_.ledger_->write_failure()) return fail(*error);
  return {};
}

void EmbeddedJobStore::Turn::follow_durability() {
  const bool keeps = store_.ledger_ != nullptr && served_.record.options.durability != Durability::memory;
  if (keeps == served_.recorder.is_on()) return;
  if (keeps) served_.recorder.turn_on(served_.record.number);
  record_all(keeps ? Change::added : Change::removed);
  if (!keeps) served_.recorder.turn_off();
}

void EmbeddedJobStore::Turn::record_all(Change change) {
  for (const JobState state : {JobState::ready, JobState::delayed, JobState::leased, JobState::dead, JobState::done}) {
    queue().list(state, 0, kMaxJobsInQueue, now_, [&](const JobRow& row) { served_.recorder.record({change, row}); });
  }
}

void EmbeddedJobStore::Turn::serve() {
  while (!served_.waiting.empty()) {
    const WaitingTake& first = served_.waiting.front();
    std::vector<StoredJob> jobs;
    queue().take(first.max, first.lease.value_or(queue().options().lease), now_,
                 [&](const JobRow& row) { jobs.push_back(stored(row)); });
    if (jobs.empty()) return;
    --store_.takes_waiting_;
    answered_.push_back({served_.waiting.pop_front().done, std::move(jobs)});
  }
}

void EmbeddedJobStore::Turn::end_waits() {
  while (auto ended = served_.waiting.pop_ended(now_.steady)) {
    --store_.takes_waiting_;
    answered_.push_back({std::move(ended->done), std::vector<StoredJob>()});
  }
}

void EmbeddedJobStore::Turn::wait(WaitingTake take, TakeTicket& ticket) {
  const std::uint64_t number = ++served_.takes_so_far;
  served_.waiting.add(number, std::move(take));
  ticket.number = (served_.index + 1) << kTakeNumberBits | number;
}

bool EmbeddedJobStore::Turn::answer_waiting(std::uint64_t number, Error error) {
  auto take = served_.waiting.remove(number);
  if (!take) return false;
  --store_.takes_waiting_;
  answered_.push_back({std::move(take->done), fail(std::move(error))});
  return true;
}

void EmbeddedJobStore::Turn::finish() {
  settle();
  if (needs_commit()) {
    return commit([takes = std::move(answered_)](const Result<void>& kept) mutable { answer_takes(takes, kept); });
  }
  lock_.unlock();
  answer_takes(answered_, {});
}

void EmbeddedJobStore::Turn::settle() {
  const bool writable = check_writable().has_value();
  if (writable && !served_.waiting.empty()) serve();
  call_again(writable);
}

/// Calls from the agenda that come too early do no harm, so a time that moves away is left as it is.
void EmbeddedJobStore::Turn::call_again(bool writable) {
  std::optional<Monotonic> next = queue().next_lease_end();
  const auto sooner = [&next](Monotonic at) { next = next ? std::min(*next, at) : at; };
  const auto by_the_wall = [&](Timestamp at, milliseconds late) {
    // Far ahead of any wait, and with room to calculate.
    const milliseconds ahead = std::clamp(milliseconds{at.ms - now_.wall.ms}, milliseconds{0}, kMaxDelay);
    sooner(now_.steady + (ahead + late));
  };
  if (const auto forgetting = queue().next_forgetting()) by_the_wall(*forgetting, kForgettingMayWait);
  for (const auto& [name, schedule] : served_.schedules) {
    if (schedule.next) by_the_wall(*schedule.next, milliseconds{0});
  }
  if (!served_.waiting.empty()) {
    if (const auto end = served_.waiting.next_end()) sooner(*end);
    if (const auto due = queue().next_due()) by_the_wall(*due, milliseconds{0});
  }
  if (next && !writable) next = std::max(*next, now_.steady + kLookAgain);
  if (!next || (served_.called_at && *served_.called_at <= *next)) return;
  served_.called_at = next;
  store_.agenda_.set(served_.index, *next);
}

/// Also when nothing has changed, as long as something that it saw is not kept yet: a duplicate is one of a job that
/// the ledger has.
bool EmbeddedJobStore::Turn::needs_commit() const {
  if (!store_.commit_) return false;
  if (!served_.recorder.empty() || served_.record_changed || !schedules_.empty()) return true;
  return served_.recorder.is_on() && !store_.commit_->is_idle();
}

void EmbeddedJobStore::Turn::commit(GroupCommit::Kept kept) {
  LedgerBatch batch;
  if (std::exchange(served_.record_changed, false)) batch.queues.push_back(served_.record);
  batch.schedules = std::move(schedules_);
  batch.jobs = served_.recorder.take();
  const bool disk = served_.record.options.durability == Durability::disk;
  store_.commit_->add(std::move(batch), disk ? Durability::disk : Durability::os, std::move(kept));
  lock_.unlock();
}

void EmbeddedJobStore::Turn::answer_takes(std::vector<Answered>& takes, const Result<void>& kept) {
  for (Answered& each : takes) {
    each.done(kept ? std::move(each.jobs) : Result<std::vector<StoredJob>>(fail(kept.error())));
  }
}

}  // namespace scoreline::queues
