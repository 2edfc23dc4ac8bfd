// What a queue is, as slowly and plainly as it can be said: a list of jobs that is searched from end to end.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "queues/options.h"
#include "queues/values.h"

namespace scoreline::queues {

struct ModelJob {
  std::string id, payload;
  int priority = 0;
  int max_attempts = 0;
  JobState state = JobState::ready;
  DeadCause cause = DeadCause::none;
  std::uint64_t sequence = 0;
  std::int64_t run_at = 0;
  int failures = 0, crashes = 0;
  std::int64_t until = 0;     // ms
  std::int64_t deadline = 0;  // steady ns
  std::int64_t lease_ms = 0;
  Receipt receipt;
};

class ModelQueue {
 public:
  explicit ModelQueue(const QueueOptions& set) : options(set) {}

  QueueOptions options;
  std::vector<ModelJob> jobs;
  std::uint64_t next_sequence = 1;

  ModelJob* find(const std::string& id) {
    const auto it = std::find_if(jobs.begin(), jobs.end(), [&](const ModelJob& job) { return job.id == id; });
    return it == jobs.end() ? nullptr : &*it;
  }
  void erase(const std::string& id) {
    std::erase_if(jobs, [&](const ModelJob& job) { return job.id == id; });
  }

  EnqueueOutcome enqueue(const NewJob& wanted, Instant now) {
    const std::int64_t run_at = std::max(wanted.run_at.value_or(now.wall), now.wall).ms;
    if (const ModelJob* const there = find(std::string(wanted.id))) {
      if (there->state != JobState::done || run_at < there->until) return EnqueueOutcome::duplicate;
      erase(std::string(wanted.id));
    }
    ModelJob job;
    job.id = wanted.id;
    job.payload = wanted.payload;
    job.priority = wanted.priority;
    job.max_attempts = wanted.max_attempts.value_or(options.max_attempts);
    job.sequence = next_sequence++;
    place(job, run_at, now);
    jobs.push_back(job);
    return EnqueueOutcome::enqueued;
  }

  void place(ModelJob& job, std::int64_t run_at, Instant now) {
    job.until = 0;
    job.run_at = run_at;
    job.state = JobState::delayed;
    if (run_at > now.wall.ms) return;
    job.run_at = now.wall.ms;
    for (const ModelJob& other : jobs) {  // behind all that are ready
      if (other.state != JobState::ready || other.priority != job.priority || other.id == job.id) continue;
      if (std::tie(other.run_at, other.sequence) > std::tie(job.run_at, job.sequence)) {
        job.run_at = other.run_at + (other.sequence > job.sequence ? 1 : 0);
      }
    }
    job.state = JobState::ready;
  }

  static bool is_ready(const ModelJob& job, Instant now) {
    return job.state == JobState::ready || (job.state == JobState::delayed && job.run_at <= now.wall.ms);
  }
  auto place_of(const ModelJob& job, Instant now) const {
    const std::int64_t age = std::max<std::int64_t>(0, now.wall.ms - job.run_at);
    const std::int64_t gained = options.aging.count() > 0 ? age / options.aging.count() : 0;
    return std::tuple(std::max<std::int64_t>(0, job.priority - gained), job.run_at, job.sequence);
  }
  bool may_lease(const ModelJob& job) const {
    if (options.max_leased == 0) return true;
    std::size_t leased = 0, not_urgent = 0;
    for (const ModelJob& other : jobs) {
      if (other.state != JobState::leased) continue;
      ++leased;
      not_urgent += other.priority > options.reserved_for;
    }
    if (leased >= options.max_leased) return false;
    if (options.reserved == 0 || job.priority <= options.reserved_for) return true;
    return not_urgent + options.reserved < options.max_leased;
  }
  ModelJob* first(Instant now, bool limited) {
    ModelJob* best = nullptr;
    for (ModelJob& job : jobs) {
      if (!is_ready(job, now) || (limited && !may_lease(job))) continue;
      if (best == nullptr || place_of(job, now) < place_of(*best, now)) best = &job;
    }
    return best;
  }
  std::uint64_t ahead(const ModelJob& job, Instant now) const {
    return static_cast<std::uint64_t>(std::count_if(jobs.begin(), jobs.end(), [&](const ModelJob& other) {
      return is_ready(other, now) && place_of(other, now) < place_of(job, now);
    }));
  }
  std::uint64_t count(JobState state, Instant now) const {
    return static_cast<std::uint64_t>(std::count_if(jobs.begin(), jobs.end(), [&](const ModelJob& job) {
      if (state == JobState::ready) return is_ready(job, now);
      return job.state == state && !(state == JobState::delayed && is_ready(job, now));
    }));
  }

  void finish(ModelJob& job, Instant now) {
    if (options.dedup_for.count() == 0) return erase(std::string(job.id));
    job.state = JobState::done;
    job.payload.clear();
    job.until = now.wall.ms + options.dedup_for.count();
  }
  void bury(ModelJob& job, DeadCause cause, Instant now) {
    job.state = JobState::dead;
    job.cause = cause;
    job.until = now.wall.ms;
    while (count(JobState::dead, now) > options.max_dead) {
      const auto oldest = std::min_element(jobs.begin(), jobs.end(), [](const ModelJob& a, const ModelJob& b) {
        return key_if_dead(a) < key_if_dead(b);
      });
      erase(std::string(oldest->id));
    }
  }
  /// Everything whose time has come, in the order of their times.
  void upkeep(Instant now) {
    for (;;) {
      ModelJob* lost = nullptr;
      for (ModelJob& job : jobs) {
        if (job.state != JobState::leased || job.deadline > now.steady.ns) continue;
        if (lost == nullptr || std::tie(job.deadline, job.sequence) < std::tie(lost->deadline, lost->sequence)) {
          lost = &job;
        }
      }
      if (lost == nullptr) break;
      ++lost->crashes;
      if (lost->crashes > options.crash_limit) {
        bury(*lost, DeadCause::crash_loop, now);
      } else {
        place(*lost, now.wall.ms + options.crash_backoff.count(), now);
      }
    }
    std::erase_if(jobs, [&](const ModelJob& job) {
      return (job.state == JobState::done && job.until <= now.wall.ms) ||
             (job.state == JobState::dead && job.until + options.dead_for.count() <= now.wall.ms);
    });
  }

 private:
  static std::tuple<bool, std::int64_t, std::uint64_t> key_if_dead(const ModelJob& job) {
    return {job.state != JobState::dead, job.until, job.sequence};
  }
};

}  // namespace scoreline::queues
