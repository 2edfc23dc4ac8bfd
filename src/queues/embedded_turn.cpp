#include "queues/embedded_turn.h"

#include <algorithm>

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

/// Ids that are free again and dead jobs that are too old are seen to in lots, not one by one.
constexpr milliseconds kForgettingMayWait = std::chrono::seconds{1};

}  // namespace

void EmbeddedJobStore::Turn::bring_into_being() { served_.there = true; }

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
  lock_.unlock();
  answer_takes();
}

void EmbeddedJobStore::Turn::settle() {
  if (!served_.waiting.empty()) serve();
  call_again();
}

/// Calls from the agenda that come too early do no harm, so a time that moves away is left as it is.
void EmbeddedJobStore::Turn::call_again() {
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
  if (!next || (served_.called_at && *served_.called_at <= *next)) return;
  served_.called_at = next;
  store_.agenda_.set(served_.index, *next);
}

void EmbeddedJobStore::Turn::answer_takes() {
  for (Answered& each : answered_) each.done(std::move(each.jobs));
}

}  // namespace scoreline::queues
