// The queues of the public library: calls of the store of jobs, waited for.
#include <scoreline/queue.h>

#include <future>

#include "app/library_core.h"
#include "queues/job_store.h"
#include "queues/specs.h"

namespace scoreline {

namespace {

using queues::JobStore;
using queues::StoredJob;
using std::chrono::milliseconds;

/// What `call(done)` answers.
template <typename T, typename Call>
T waited(const Call& call) {
  // Shared, because whoever answers may still be inside set_value when this thread has the answer and is gone.
  const auto answered = std::make_shared<std::promise<Result<T>>>();
  auto answer = answered->get_future();
  call([answered](Result<T> result) { answered->set_value(std::move(result)); });
  return value_of(answer.get());
}

Time time_of(Timestamp at) { return Time{milliseconds{at.ms}}; }

JobState state_of(queues::JobState state) {
  switch (state) {
    case queues::JobState::ready: return JobState::ready;
    case queues::JobState::delayed: return JobState::delayed;
    case queues::JobState::leased: return JobState::leased;
    case queues::JobState::dead: return JobState::dead;
    case queues::JobState::done: return JobState::done;
  }
  return JobState::done;
}

queues::JobSpec spec_of(const NewJob& job) {
  queues::JobSpec spec{job.id, job.payload, job.priority, job.delay, {}, job.max_attempts};
  if (job.run_at) spec.run_at = Timestamp{job.run_at->time_since_epoch().count()};
  return spec;
}

Job job_of(StoredJob stored) {
  Job job{std::move(stored.id), std::move(stored.payload), stored.priority, stored.attempt(), {}, {}};
  if (stored.state == queues::JobState::leased) {
    job.receipt = queues::format_receipt(stored.receipt);
    job.lease_until = time_of(stored.until);
  }
  return job;
}

std::vector<Job> jobs_of(std::vector<StoredJob> stored) {
  std::vector<Job> jobs;
  for (StoredJob& each : stored) jobs.push_back(job_of(std::move(each)));
  return jobs;
}

std::optional<Job> job_of(std::optional<StoredJob> stored) {
  return stored ? std::optional(job_of(*std::move(stored))) : std::nullopt;
}

std::vector<queues::HeldJob> held(const Job& job) { return {{job.id, value_of(queues::parse_receipt(job.receipt))}}; }

}  // namespace

struct Queue::Place {
  std::shared_ptr<Scoreline::Core> core;
  std::string name;
  JobStore& store() const { return core->jobs(); }
};

Queue Scoreline::queue(std::string_view name) {
  value_of(queues::check_queue_name(name));
  core_->jobs();
  return Queue(std::make_shared<const Queue::Place>(Queue::Place{core_, std::string(name)}));
}

Enqueued Queue::enqueue(std::string_view id, int priority) {
  NewJob job;
  job.id = id;
  job.priority = priority;
  return enqueue(job);
}

Enqueued Queue::enqueue(const NewJob& job) { return enqueue(std::span(&job, 1)).front(); }

std::vector<Enqueued> Queue::enqueue(std::span<const NewJob> jobs) {
  std::vector<queues::JobSpec> specs;
  for (const NewJob& job : jobs) specs.push_back(spec_of(job));
  std::vector<Enqueued> enqueued;
  for (auto& answer : waited<std::vector<queues::EnqueueAnswer>>(
           [&](auto done) { place_->store().enqueue(place_->name, std::move(specs), std::move(done)); })) {
    enqueued.push_back(
        {std::move(answer.id), answer.outcome == queues::EnqueueOutcome::duplicate, state_of(answer.state)});
  }
  return enqueued;
}

Enqueued Queue::schedule(std::string_view id, Time run_at, int priority) {
  NewJob job;
  job.id = id;
  job.priority = priority;
  job.run_at = run_at;
  return enqueue(job);
}

std::optional<Job> Queue::poll() {
  return job_of(waited<std::optional<StoredJob>>([&](auto done) { place_->store().poll(place_->name, done); }));
}

std::optional<Job> Queue::poll_due() {
  return job_of(waited<std::optional<StoredJob>>([&](auto done) { place_->store().poll_due(place_->name, done); }));
}

std::optional<Job> Queue::take(milliseconds wait, std::optional<milliseconds> lease) {
  auto jobs = take(1, wait, lease);
  return jobs.empty() ? std::nullopt : std::optional(std::move(jobs.front()));
}

std::vector<Job> Queue::take(std::size_t max, milliseconds wait, std::optional<milliseconds> lease) {
  return jobs_of(waited<std::vector<StoredJob>>([&](auto done) {
    place_->store().take(place_->name, {max, lease, wait}, std::move(done));
  }));
}

void Queue::take(std::size_t max, milliseconds wait, std::optional<milliseconds> lease,
                 std::function<void(std::vector<Job>)> taken) {
  const queues::TakeSpec spec{max, lease, wait};
  value_of(queues::check(spec));
  place_->store().take(place_->name, spec, [taken = std::move(taken)](Result<std::vector<StoredJob>> jobs) {
    taken(jobs ? jobs_of(*std::move(jobs)) : std::vector<Job>());
  });
}

void Queue::ack(const Job& job) {
  value_of(waited<std::vector<Result<void>>>([&](auto done) {
             place_->store().ack(place_->name, held(job), done);
           }).front());
}

JobState Queue::nack(const Job& job, std::string_view reason, std::optional<milliseconds> delay) {
  return state_of(value_of(waited<std::vector<Result<queues::JobState>>>([&](auto done) {
                             place_->store().nack(place_->name, held(job), delay, std::string(reason), done);
                           }).front()));
}

Time Queue::extend(const Job& job, std::optional<milliseconds> lease) {
  return time_of(value_of(waited<std::vector<Result<Timestamp>>>([&](auto done) {
                            place_->store().extend(place_->name, held(job), lease, done);
                          }).front()));
}

JobState Queue::release(const Job& job, std::optional<milliseconds> delay) {
  return state_of(value_of(waited<std::vector<Result<queues::JobState>>>([&](auto done) {
                             place_->store().release(place_->name, held(job), delay, done);
                           }).front()));
}

QueueCounts Queue::counts() const {
  try {
    const auto stats = waited<queues::QueueStats>([&](auto done) { place_->store().stats(place_->name, done); });
    return {stats.ready, stats.delayed, stats.leased, stats.dead, stats.oldest_ready};
  } catch (const Failure& failure) {
    if (failure.code() == traits(Code::not_found).name) return {};  // nothing was ever put in
    throw;
  }
}

}  // namespace scoreline
