#include "queues/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace scoreline::queues {

Queue::Queue(const QueueOptions& options, Random& random, Transitions& transitions)
    : options_(options), random_(random), transitions_(transitions), ids_(random.bits()) {}

std::optional<Slot> Queue::slot_of(std::string_view id) const {
  return ids_.find(ids_.hash(id), [&](Slot slot) { return slab_[slot].id() == id; });
}

Line& Queue::line_of(const Job& job) {
  switch (job.state) {
    case JobState::ready: return levels_[job.priority].ready;
    case JobState::delayed: return levels_[job.priority].delayed;
    case JobState::leased: return leased_;
    case JobState::dead: return dead_;
    case JobState::done: return done_;
  }
  return done_;
}

/// As it is seen from outside: what has fallen due is ready.
JobRow Queue::row_now(const Job& job, Instant now) const {
  JobRow row = job.row();
  if (row.state == JobState::delayed && is_due(job.key(), now)) row.state = JobState::ready;
  return row;
}

Result<void> Queue::enqueue(std::span<const NewJob> jobs, std::span<Enqueued> answers, Instant now) {
  SCORELINE_CHECK(jobs.size() == answers.size());
  upkeep(now, kUpkeepSteps);
  if (size() + jobs.size() > options_.max_jobs) {
    return fail(Error{Code::overloaded,
                      fmt::format("the queue holds {} jobs, and {} at most", size(), options_.max_jobs),
                      {},
                      std::chrono::seconds{1}});
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) answers[i] = enqueue_one(jobs[i], now);
  return {};
}

Enqueued Queue::enqueue_one(const NewJob& wanted, Instant now) {
  SCORELINE_CHECK(wanted.priority >= 0 && wanted.priority < kPriorities);
  const std::int64_t run_at = std::max(wanted.run_at.value_or(now.wall), now.wall).ms;
  const std::uint32_t hash = ids_.hash(wanted.id);
  if (const auto there = ids_.find(hash, [&](Slot slot) { return slab_[slot].id() == wanted.id; })) {
    const Job& job = slab_[*there];
    // The window is one of scheduled times: a job for after it is another job, however early it comes in.
    if (job.state != JobState::done || run_at < job.until) {
      ++counted_.duplicates;
      return {EnqueueOutcome::duplicate, row_now(job, now).state};
    }
    drop(*there);
  }
  const Slot slot = slab_.add();
  Job& job = slab_[slot];
  job.sequence = next_sequence_++;
  job.hash = hash;
  job.priority = static_cast<std::uint8_t>(wanted.priority);
  job.max_attempts = static_cast<std::uint16_t>(wanted.max_attempts.value_or(options_.max_attempts));
  job.set_bytes(wanted.id, wanted.payload);
  payload_bytes_ += wanted.id.size() + wanted.payload.size();
  ids_.insert(hash, slot);
  place(slot, run_at, now);
  record(Change::added, job);
  ++counted_.enqueued;
  enqueued_rate_.count(1, now.steady);
  return {EnqueueOutcome::enqueued, job.state};
}

void Queue::place(Slot slot, std::int64_t run_at, Instant now) {
  Job& job = slab_[slot];
  Level& level = levels_[job.priority];
  job.until = 0;
  if (run_at > now.wall.ms) {
    job.state = JobState::delayed;
    job.run_at = job.at = run_at;
    level.delayed.insert(job.key(), slot);
    return;
  }
  job.state = JobState::ready;
  job.run_at = now.wall.ms;
  if (!level.ready.empty()) {
    // Never before one that is ready already, whatever the clock says, and however early it was enqueued.
    const Line::Key last = level.ready.back().key;
    job.run_at = std::max(job.run_at, last.at);
    if (Line::Key{job.run_at, job.sequence} < last) ++job.run_at;
  }
  job.at = job.run_at;
  level.ready.insert(job.key(), slot);
}

void Queue::drop(Slot slot) {
  const Job& job = slab_[slot];
  if (job.state == JobState::leased) --levels_[job.priority].leased;
  line_of(job).erase(job.key());
  forget(slot);
}

/// Of a job that stands in no line any more.
void Queue::forget(Slot slot) {
  const Job& job = slab_[slot];
  record(Change::removed, job);
  payload_bytes_ -= job.id_bytes + job.payload_bytes;
  ids_.erase(job.hash, slot);
  slab_.remove(slot);
}

std::size_t Queue::upkeep(Instant now, std::size_t limit) {
  std::size_t steps = 0;
  for (; steps < limit && !leased_.empty() && leased_.front().key.at <= now.steady.ns; ++steps) {
    lose(leased_.front().slot, now);
  }
  for (; steps < limit && !done_.empty() && is_due(done_.front().key, now); ++steps) drop(done_.front().slot);
  for (; steps < limit && !dead_.empty() && dead_.front().key.at + options_.dead_for.count() <= now.wall.ms; ++steps) {
    drop(dead_.front().slot);
    ++counted_.dead_expired;
  }
  return steps;
}

std::optional<Monotonic> Queue::next_lease_end() const {
  return leased_.empty() ? std::nullopt : std::optional(Monotonic{leased_.front().key.at});
}

std::optional<Timestamp> Queue::next_forgetting() const {
  std::optional<Timestamp> next;
  if (!done_.empty()) next = Timestamp{done_.front().key.at};
  if (!dead_.empty()) {
    const Timestamp dropped{dead_.front().key.at + options_.dead_for.count()};
    next = next ? std::min(*next, dropped) : dropped;
  }
  return next;
}

std::optional<Timestamp> Queue::next_due() const {
  std::optional<Timestamp> due;
  for (int priority = 0; priority < kPriorities && !paused_; ++priority) {
    const Line& delayed = levels_[static_cast<std::size_t>(priority)].delayed;
    if (delayed.empty() || !may_lease(priority)) continue;
    const Timestamp at{delayed.front().key.at};
    if (!due || at < *due) due = at;
  }
  return due;
}

void Queue::restore(const JobRow& row, Instant now) {
  SCORELINE_CHECK(row.priority < kPriorities && !slot_of(row.id));
  const Slot slot = slab_.add();
  Job& job = slab_[slot];
  job.sequence = row.sequence;
  job.run_at = row.run_at.ms;
  job.until = row.until.ms;
  job.receipt = row.receipt.bits;
  job.lease_ms = row.lease_ms;
  job.max_attempts = row.max_attempts;
  job.failures = row.failures;
  job.crashes = row.crashes;
  job.priority = row.priority;
  job.state = row.state;
  job.cause = row.cause;
  job.hash = ids_.hash(row.id);
  job.set_bytes(row.id, row.payload);
  if (!row.reason.empty()) job.reason = std::make_unique<std::string>(row.reason);
  switch (row.state) {
    case JobState::ready:
    case JobState::delayed: job.at = job.run_at; break;
    case JobState::leased: {
      const std::int64_t left = std::clamp<std::int64_t>(job.until - now.wall.ms, 0, row.lease_ms);
      job.at = (now.steady + std::chrono::milliseconds{left}).ns;
      ++levels_[job.priority].leased;
      break;
    }
    case JobState::dead:
    case JobState::done: job.at = job.until; break;
  }
  line_of(job).insert(job.key(), slot);
  ids_.insert(job.hash, slot);
  payload_bytes_ += row.id.size() + row.payload.size();
  next_sequence_ = std::max(next_sequence_, row.sequence + 1);
}

}  // namespace scoreline::queues
