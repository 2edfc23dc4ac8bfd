// Handing out, and what becomes of what was handed out.
#include <algorithm>
#include <limits>

#include "queues/queue.h"

namespace scoreline::queues {
namespace {

/// How many places ahead a job, and then its bytes, are fetched into the cache.
constexpr std::size_t kJobsAhead = 8, kBytesAhead = 3;

}  // namespace

bool Queue::may_lease(int priority) const {
  if (options_.max_leased == 0) return true;
  if (leased_.size() >= options_.max_leased) return false;
  if (options_.reserved == 0 || priority <= options_.reserved_for) return true;
  std::size_t not_urgent = 0;
  for (auto p = static_cast<std::size_t>(options_.reserved_for) + 1; p < kPriorities; ++p) {
    not_urgent += levels_[p].leased;
  }
  return not_urgent + options_.reserved < options_.max_leased;
}

/// The priority that counts: with aging less than the job's own.
int Queue::level_of(int priority, const Line::Key& key, Instant now) const {
  if (options_.aging.count() == 0 || key.at >= now.wall.ms) return priority;
  const std::int64_t gained = (now.wall.ms - key.at) / options_.aging.count();
  return gained >= priority ? 0 : priority - static_cast<int>(gained);
}

/// The first of all jobs that are ready and allowed.
template <typename Allowed>
std::optional<Queue::Front> Queue::first(Instant now, Allowed allowed) const {
  std::optional<Front> best;
  int best_level = kPriorities;
  for (int priority = 0; priority < kPriorities; ++priority) {
    const Level& level = levels_[static_cast<std::size_t>(priority)];
    const bool due = !level.delayed.empty() && is_due(level.delayed.front().key, now);
    if ((level.ready.empty() && !due) || !allowed(priority)) continue;
    const bool delayed = due && (level.ready.empty() || level.delayed.front().key < level.ready.front().key);
    const Line::Entry& entry = delayed ? level.delayed.front() : level.ready.front();
    const int counts_as = level_of(priority, entry.key, now);
    if (counts_as > best_level || (counts_as == best_level && best->entry.key < entry.key)) continue;
    best = Front{priority, delayed, entry};
    best_level = counts_as;
    if (options_.aging.count() == 0) break;
  }
  return best;
}

Slot Queue::pop(const Front& front) {
  Level& level = levels_[static_cast<std::size_t>(front.priority)];
  Line& line = front.delayed ? level.delayed : level.ready;
  line.pop_front();
  fetch_ahead(line);
  return front.entry.slot;
}

/// Of a long line the jobs that come next were written long ago and lie far away: they are on their way here while
/// those before them are handed out.
void Queue::fetch_ahead(const Line& line) const {
  if (line.empty()) return;
  if (const auto* const soon = line.near_front(kBytesAhead)) {
    const char* const bytes = slab_[soon->slot].bytes.get();
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + 64);
  }
  if (const auto* const later = line.near_front(kJobsAhead)) {
    const auto* const job = reinterpret_cast<const char*>(&slab_[later->slot]);
    __builtin_prefetch(job, 1);
    __builtin_prefetch(job + 64, 1);
  }
}

std::size_t Queue::take(std::size_t max, std::chrono::milliseconds lease_for, Instant now, Visit visit) {
  upkeep(now, kUpkeepSteps);
  if (paused_) return 0;
  std::size_t taken = 0;
  for (; taken < max; ++taken) {
    const auto front = first(now, [this](int priority) { return may_lease(priority); });
    if (!front) break;
    const Slot slot = pop(*front);
    lease(slot, lease_for, now);
    visit(slab_[slot].row());
  }
  counted_.taken += taken;
  if (taken > 0) taken_rate_.count(taken, now.steady);
  return taken;
}

void Queue::lease(Slot slot, std::chrono::milliseconds lease, Instant now) {
  Job& job = slab_[slot];
  job.state = JobState::leased;
  do job.receipt = random_.bits();
  while (job.receipt == 0);
  job.lease_ms = static_cast<std::uint32_t>(lease.count());
  job.until = now.wall.ms + lease.count();
  job.at = (now.steady + lease).ns;
  leased_.insert(job.key(), slot);
  ++levels_[job.priority].leased;
  record(Change::updated, job);
}

void Queue::end_lease(Slot slot) {
  Job& job = slab_[slot];
  leased_.erase(job.key());
  --levels_[job.priority].leased;
  job.receipt = 0;
  job.lease_ms = 0;
}

bool Queue::poll(Instant now, Visit visit) {
  upkeep(now, kUpkeepSteps);
  if (paused_) return false;
  const auto front = first(now, [](int) { return true; });
  if (!front) return false;
  hand_over(pop(*front), now, visit);
  return true;
}

bool Queue::poll_due(Instant now, Visit visit) {
  upkeep(now, kUpkeepSteps);
  if (paused_) return false;
  std::optional<Front> best;
  for (int priority = 0; priority < kPriorities; ++priority) {
    const Line& delayed = levels_[static_cast<std::size_t>(priority)].delayed;
    if (delayed.empty() || !is_due(delayed.front().key, now)) continue;
    if (!best || delayed.front().key < best->entry.key) best = Front{priority, true, delayed.front()};
  }
  if (!best) return false;
  hand_over(pop(*best), now, visit);
  return true;
}

void Queue::hand_over(Slot slot, Instant now, Visit visit) {
  visit(slab_[slot].row());
  ++counted_.taken;
  taken_rate_.count(1, now.steady);
  finish(slot, now);
}

/// Of a job that stands in no line any more.
void Queue::finish(Slot slot, Instant now) {
  if (options_.dedup_for.count() == 0) return forget(slot);
  Job& job = slab_[slot];
  job.state = JobState::done;
  job.at = job.until = now.wall.ms + options_.dedup_for.count();
  done_.insert(job.key(), slot);
  payload_bytes_ -= job.payload_bytes;
  job.set_bytes(std::string(job.id()), {});
  job.reason.reset();
  record(Change::emptied, job);
}

Result<Slot> Queue::held(std::string_view id, Receipt receipt, Instant now) const {
  const auto slot = slot_of(id);
  if (slot && receipt.bits != 0) {
    const Job& job = slab_[*slot];
    if (job.state == JobState::leased && job.receipt == receipt.bits && now.steady.ns < job.at) return *slot;
  }
  return fail(Code::conflict, "the lease is lost: it ran out, or the job was acked, given back or handed to another",
              "receipt");
}

Result<void> Queue::ack(std::string_view id, Receipt receipt, Instant now) {
  const auto slot = held(id, receipt, now);
  if (!slot) return fail(slot.error());
  end_lease(*slot);
  ++counted_.acked;
  finish(*slot, now);
  return {};
}

/// Half of it is certain, half is chance, so that jobs that failed together do not come again together.
std::chrono::milliseconds Queue::backoff_after(int failures) {
  std::int64_t delay = options_.backoff.count();
  const std::int64_t most = options_.max_backoff.count();
  for (int i = 1; i < failures && delay < most; ++i) delay *= 2;
  delay = std::min(delay, most);
  return std::chrono::milliseconds{delay -
                                   static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(delay / 2 + 1)))};
}

Result<JobState> Queue::nack(std::string_view id, Receipt receipt, std::optional<std::chrono::milliseconds> delay,
                             std::string_view reason, Instant now) {
  const auto slot = held(id, receipt, now);
  if (!slot) return fail(slot.error());
  Job& job = slab_[*slot];
  end_lease(*slot);
  ++counted_.nacked;
  ++job.failures;
  job.reason = reason.empty() ? nullptr : std::make_unique<std::string>(reason);
  if (job.failures >= job.max_attempts) {
    bury(*slot, DeadCause::failed, now);
    return JobState::dead;
  }
  place(*slot, now.wall.ms + delay.value_or(backoff_after(job.failures)).count(), now);
  record(Change::updated, job);
  return job.state;
}

Result<Timestamp> Queue::extend(std::string_view id, Receipt receipt, std::chrono::milliseconds lease, Instant now) {
  const auto slot = held(id, receipt, now);
  if (!slot) return fail(slot.error());
  Job& job = slab_[*slot];
  leased_.erase(job.key());
  job.lease_ms = static_cast<std::uint32_t>(lease.count());
  job.until = now.wall.ms + lease.count();
  job.at = (now.steady + lease).ns;
  leased_.insert(job.key(), *slot);
  record(Change::updated, job);
  return Timestamp{job.until};
}

Result<JobState> Queue::release(std::string_view id, Receipt receipt, std::optional<std::chrono::milliseconds> delay,
                                Instant now) {
  const auto slot = held(id, receipt, now);
  if (!slot) return fail(slot.error());
  Job& job = slab_[*slot];
  end_lease(*slot);
  if (delay && delay->count() > 0) {
    place(*slot, now.wall.ms + delay->count(), now);
  } else {
    job.state = JobState::ready;
    job.at = job.run_at;
    job.until = 0;
    levels_[job.priority].ready.insert(job.key(), *slot);
  }
  record(Change::updated, job);
  return job.state;
}

void Queue::lose(Slot slot, Instant now) {
  Job& job = slab_[slot];
  end_lease(slot);
  ++counted_.crashed;
  ++job.crashes;
  if (job.crashes > options_.crash_limit) return bury(slot, DeadCause::crash_loop, now);
  place(slot, now.wall.ms + options_.crash_backoff.count(), now);
  record(Change::updated, job);
}

/// Of a job that stands in no line any more.
void Queue::bury(Slot slot, DeadCause cause, Instant now) {
  Job& job = slab_[slot];
  job.state = JobState::dead;
  job.cause = cause;
  job.at = job.until = now.wall.ms;
  dead_.insert(job.key(), slot);
  ++counted_.died;
  record(Change::updated, job);
  while (dead_.size() > options_.max_dead) {
    drop(dead_.front().slot);
    ++counted_.dead_evicted;
  }
}

}  // namespace scoreline::queues
