// Port: where jobs live, and everything that can be done with them. Two stores have it: one in this process over a
// ledger (embedded_job_store.h), one on Redis. One contract suite holds both to the same answers.
//
// Every call returns at once and answers through `done`, once: on the caller's thread before it returns, or later on a
// thread of the store, or of another caller whose call let it go on. `done` must be short and must not block; it may
// call the store again.
//
// Queues come into being with defaults when something is put in, taken, polled, or set. Calls that only look, and those
// on jobs, answer not_found for a queue that is not there.
//
// An answer holds what the durability of its queue promises (options.h). Errors of every call: Code::invalid for what
// is checked (`queue`, and fields as JSON writes them), overloaded, not_ready (starting, or another process holds the
// jobs), storage_failed, storage_full, unknown_outcome (send the same again).
//
// Thread safety: every call from any thread. The destructor answers what still waits, with not_ready.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "queues/options.h"
#include "queues/schedule.h"
#include "queues/stored_job.h"
#include "queues/values.h"

namespace scoreline::queues {

/// What a caller puts in. Times are those of the store's clock, whatever the caller's says.
struct JobSpec {
  std::string id;  ///< empty: a UUIDv7
  std::string payload;
  int priority = kDefaultPriority;
  std::optional<std::chrono::milliseconds> delay;  ///< from now on; not beside run_at
  std::optional<Timestamp> run_at;                 ///< absent, as delay: ready at once
  std::optional<int> max_attempts;                 ///< absent: as the queue says
};

struct EnqueueAnswer {
  std::string id;
  EnqueueOutcome outcome = EnqueueOutcome::enqueued;
  JobState state = JobState::ready;  ///< of the job that has this id now
};

struct TakeSpec {
  std::size_t max = 1;                             ///< 1..kMaxJobs
  std::optional<std::chrono::milliseconds> lease;  ///< absent: as the queue says
  std::chrono::milliseconds wait{0};               ///< 0..kMaxWait for the first job; then as many as there are
};

/// A take that may be waiting; 0 is none.
struct TakeTicket {
  std::uint64_t number = 0;
};

/// A job that a worker holds.
struct HeldJob {
  std::string id;
  Receipt receipt;
};

struct ListSpec {
  JobState state = JobState::ready;
  std::size_t first = 0;
  std::size_t count = 100;  ///< 1..kMaxJobs
};

struct ScheduleState {
  Schedule schedule;
  std::optional<Timestamp> last;  ///< the tick that was put in last
  std::optional<Timestamp> next;
};

class JobStore {
 public:
  template <typename T>
  using Done = std::function<void(Result<T>)>;

  virtual ~JobStore() = default;

  // Putting in.

  /// 1..kMaxJobs jobs, all or none; answers in their order.
  virtual void enqueue(std::string_view queue, std::vector<JobSpec> jobs, Done<std::vector<EnqueueAnswer>> done) = 0;

  // Handing out. None while the queue is paused.

  /// Leases up to `max` jobs, in order. With none, it waits: woken first come, first served; an empty answer when the
  /// wait is over.
  virtual TakeTicket take(std::string_view queue, const TakeSpec& spec, Done<std::vector<StoredJob>> done) = 0;
  /// Answers a take that waits with Code::conflict, and it takes nothing. Nothing happens when it has been answered.
  virtual void cancel(TakeTicket take) = 0;
  /// Hands one ready job over and forgets it.
  virtual void poll(std::string_view queue, Done<std::optional<StoredJob>> done) = 0;
  /// The same with the delayed job that fell due first, whatever its priority.
  virtual void poll_due(std::string_view queue, Done<std::optional<StoredJob>> done) = 0;

  // Leases: 1..kMaxJobs jobs, an answer for each in their order. Errors of one: Code::conflict, field `receipt`.

  virtual void ack(std::string_view queue, std::vector<HeldJob> jobs, Done<std::vector<Result<void>>> done) = 0;
  /// `delay` absent: the backoff of the queue. The state that each is in now: ready, delayed or dead.
  virtual void nack(std::string_view queue, std::vector<HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
                    std::string reason, Done<std::vector<Result<JobState>>> done) = 0;
  /// The new deadlines.
  virtual void extend(std::string_view queue, std::vector<HeldJob> jobs, std::optional<std::chrono::milliseconds> lease,
                      Done<std::vector<Result<Timestamp>>> done) = 0;
  /// Gives them back, to their places or for after `delay`. Counts as no attempt.
  virtual void release(std::string_view queue, std::vector<HeldJob> jobs,
                       std::optional<std::chrono::milliseconds> delay, Done<std::vector<Result<JobState>>> done) = 0;

  // Schedules (schedule.h): a job at each tick, once, however many processes share the store.

  /// Makes it, or puts it in the place of the one of its name; its ticks begin now. One that is there already, and says
  /// the same, stays as it is: so its ticks while nobody ran are made up for.
  virtual void put_schedule(std::string_view queue, const Schedule& schedule, Done<void> done) = 0;
  /// False when it is not there. Jobs that it put in stay.
  virtual void drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) = 0;
  virtual void schedules(std::string_view queue, Done<std::vector<ScheduleState>> done) = 0;

  // Operating.

  virtual void queues(Done<std::vector<std::string>> done) = 0;  ///< names in order
  virtual void options(std::string_view queue, Done<QueueOptions> done) = 0;
  virtual void set_options(std::string_view queue, const QueueOptions& options, Done<void> done) = 0;
  virtual void set_paused(std::string_view queue, bool paused, Done<void> done) = 0;
  virtual void stats(std::string_view queue, Done<QueueStats> done) = 0;
  virtual void find(std::string_view queue, std::string_view id, Done<std::optional<StoredJob>> done) = 0;
  /// The job that the next take would get, limits and pause apart.
  virtual void peek(std::string_view queue, Done<std::optional<StoredJob>> done) = 0;
  /// Jobs of one state in their order; without payloads.
  virtual void list(std::string_view queue, const ListSpec& spec, Done<std::vector<StoredJob>> done) = 0;
  /// Of a ready job; nullopt for any other.
  virtual void position(std::string_view queue, std::string_view id, Done<std::optional<JobPosition>> done) = 0;
  /// Drops all jobs of a state; how many.
  virtual void purge(std::string_view queue, JobState state, Done<std::uint64_t> done) = 0;
  /// Drops one, whatever its state; false when it is not there.
  virtual void remove(std::string_view queue, std::string_view id, Done<bool> done) = 0;
  /// Makes dead jobs ready, with their budgets whole again: all, or the one of `id`. How many. Errors: not_found and
  /// conflict (it is not dead), of the one.
  virtual void retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) = 0;
};

}  // namespace scoreline::queues
