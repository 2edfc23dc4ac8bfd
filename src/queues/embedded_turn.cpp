#include "queues/embedded_turn.h"

#include <algorithm>

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

/// Ids that are free again and dead jobs that are too old are seen to in lots, not one by one.
constexpr milliseconds kForgettingMayWait = std::chrono::seconds{1};
constexpr milliseconds kTryAgain = std::chrono::seconds{1};

}  // namespace

std::optional<Error> EmbeddedJobStore::Turn::refusal() const {
  // Jobs that live in memory alone go on whatever becomes of the ledger.
  const bool in_memory = served_.there && !served_.recorder.is_on();
  return store_.commit_ && !in_memory ? store_.commit_->refusal() : std::nullopt;
}

void EmbeddedJobStore::Turn::bring_into_being() {
  if (served_.there) return;
  served_.there = true;
  record_as_set();
  note_record();
}

void EmbeddedJobStore::Turn::record_as_set() {
  if (!store_.commit_ || served_.added_while_leaving) return;
  const bool keeps = served_.record.options.durability != Durability::memory;
  keeps ? served_.recorder.turn_on(served_.record.number) : served_.recorder.turn_off();
}

void EmbeddedJobStore::Turn::note_record() {
  if (store_.commit_) batch_.queues.assign(1, served_.record);
}

void EmbeddedJobStore::Turn::keep_jobs(bool keep) {
  if (keep) served_.recorder.turn_on(served_.record.number);
  served_.added_while_leaving.reset();
  for (const JobState state : {JobState::ready, JobState::delayed, JobState::leased, JobState::dead, JobState::done}) {
    queue().list(state, 0, kMaxJobsInQueue, now_, [&](const JobRow& row) {
      served_.recorder.record({keep ? Change::added : Change::removed, row});
    });
  }
  // Until the ledger has let them go, they are kept as before.
  if (!keep) served_.added_while_leaving.emplace();
}

void EmbeddedJobStore::Turn::serve() {
  if (served_.waiting.empty() || refusal()) return;
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

void EmbeddedJobStore::Turn::answer_waiting(std::uint64_t number, Error error) {
  auto take = served_.waiting.remove(number);
  if (!take) return;
  --store_.takes_waiting_;
  answered_.push_back({std::move(take->done), fail(std::move(error))});
}

void EmbeddedJobStore::Turn::finish() {
  settle();
  if (must_be_kept()) {
    return commit([answered = std::move(answered_)](const Error* error) mutable { answer_all(answered, error); });
  }
  lock_.unlock();
  answer_all(answered_, nullptr);
}

void EmbeddedJobStore::Turn::settle() {
  serve();
  call_again();
  batch_.jobs = served_.recorder.take();
  if (served_.added_while_leaving) {
    for (const JobChange& change : batch_.jobs) {
      if (change.change == Change::added) served_.added_while_leaving->push_back(change.job.sequence);
    }
  }
}

/// Also what it only says may stand on changes of others that are under way.
bool EmbeddedJobStore::Turn::must_be_kept() const {
  if (!store_.commit_) return false;
  return !batch_.empty() || (served_.recorder.is_on() && served_.last_added > store_.commit_->settled());
}

void EmbeddedJobStore::Turn::commit(GroupCommit::Settled settled) {
  served_.last_added = store_.commit_->add(std::move(batch_), served_.record.options.durability, std::move(settled));
  lock_.unlock();
}

/// Calls from the agenda that come too early do no harm, so a time that moves away is left as it is.
void EmbeddedJobStore::Turn::call_again() {
  std::optional<Monotonic> next;
  const auto sooner = [&next](Monotonic at) { next = next ? std::min(*next, at) : at; };
  const auto by_the_wall = [&](Timestamp at, milliseconds late) {
    // Far ahead of any wait, and with room to calculate.
    const milliseconds ahead = std::clamp(milliseconds{at.ms - now_.wall.ms}, milliseconds{0}, kMaxDelay);
    sooner(now_.steady + (ahead + late));
  };
  if (const auto end = queue().next_lease_end()) sooner(*end);
  if (const auto forgetting = queue().next_forgetting()) by_the_wall(*forgetting, kForgettingMayWait);
  if (const auto due = served_.waiting.empty() ? std::nullopt : queue().next_due()) by_the_wall(*due, milliseconds{0});
  for (const auto& [name, schedule] : served_.schedules) {
    if (schedule.next) by_the_wall(*schedule.next, milliseconds{0});
  }
  // What cannot be done now is tried again, but not all the time.
  if (next && store_.trouble()) next = std::max(*next, now_.steady + kTryAgain);
  if (const auto end = served_.waiting.next_end()) sooner(*end);
  if (!next || (served_.called_at && *served_.called_at <= *next)) return;
  served_.called_at = next;
  store_.agenda_.set(served_.index, *next);
}

void EmbeddedJobStore::Turn::answer_all(std::vector<Answered>& answered, const Error* error) {
  for (auto& [done, jobs] : answered) {
    const bool lost = error != nullptr && jobs && !jobs->empty();
    done(lost ? Result<std::vector<StoredJob>>(fail(*error)) : std::move(jobs));
  }
}

}  // namespace scoreline::queues
