// One queue as a pure state machine: times come in with the calls, chance from the Random, changes go out as
// transitions. The embedded store keeps one of these a queue; it is also the model that other stores are held to.
//
// The order: by priority, then by (run_at, sequence). `run_at` of a job that is ready at once is the time of its
// enqueue, never before that of the last one in its priority, so that a clock that steps back does not change who came
// first. A delayed job is one whose run_at lies in the future; it falls due by the passing of time alone, without any
// step: a million that fall due together cost nothing. A job that is given back keeps its place; one that failed or
// lost its worker gets a new one, behind those that are ready.
//
// With aging a job counts as one level higher for each interval that it has been ready. Within a priority the oldest is
// always first, so this is a matter of looking at ten fronts, and no job is ever moved.
//
// Thread safety: none; one lock around every call. What `visit` is shown lives during its call, which must not touch
// the queue.
// Invariants (check() proves them): an id is there once; each job stands in exactly the one line of its state; a job is
// leased to one receipt at most; counts are exact.
// Cost: O(log n) a call or a job of it, O(1) at the ends (line.h); about 200 bytes a job, its id and payload apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/random.h"
#include "ordered/function_ref.h"
#include "queues/id_table.h"
#include "queues/job_slab.h"
#include "queues/line.h"
#include "queues/options.h"
#include "queues/rate.h"
#include "queues/transition.h"
#include "queues/values.h"

namespace scoreline::queues {

class Queue {
 public:
  using Visit = ordered::FunctionRef<void(const JobRow&)>;

  /// Both references must outlive it. `options` are checked (options.h).
  Queue(const QueueOptions& options, Random& random, Transitions& transitions);

  // Putting in.

  /// Adds what is checked (options.h), or says for each why not; `answers` is as long as `jobs`. A live, dead or
  /// remembered id is a duplicate and changes nothing. Errors: Code::overloaded (max_jobs); then none is added.
  Result<void> enqueue(std::span<const NewJob> jobs, std::span<Enqueued> answers, Instant now);

  // Handing out. None while paused.

  /// Leases up to `max` jobs, in order; how many. `visit` sees each as it is handed out.
  std::size_t take(std::size_t max, std::chrono::milliseconds lease, Instant now, Visit visit);
  /// Hands one ready job over and forgets it. False when there is none.
  bool poll(Instant now, Visit visit);
  /// The same with the delayed job that fell due first, whatever its priority.
  bool poll_due(Instant now, Visit visit);
  /// When the next delayed job could be taken, as far as limits let it; asked after a take that found too few.
  std::optional<Timestamp> next_due() const;

  // Leases. Errors: Code::conflict, field `receipt`, when it is not (or no longer) that of the job's lease.

  Result<void> ack(std::string_view id, Receipt receipt, Instant now);
  /// `delay` absent: the backoff of the queue. The state that the job is in now: ready, delayed or dead.
  Result<JobState> nack(std::string_view id, Receipt receipt, std::optional<std::chrono::milliseconds> delay,
                        std::string_view reason, Instant now);
  /// The lease lasts `lease` from now; its new deadline.
  Result<Timestamp> extend(std::string_view id, Receipt receipt, std::chrono::milliseconds lease, Instant now);
  /// Gives the job back, to its place or for after `delay`. Counts as no attempt.
  Result<JobState> release(std::string_view id, Receipt receipt, std::optional<std::chrono::milliseconds> delay,
                           Instant now);

  // Time.

  /// Takes back leases that ran out, forgets ids whose window is over and dead jobs that are too old: up to `limit`
  /// steps; how many were done. Calls do some of it in passing.
  std::size_t upkeep(Instant now, std::size_t limit);
  /// When the first lease runs out.
  std::optional<Monotonic> next_lease_end() const;
  /// When upkeep next has an id to forget, or a dead job to drop.
  std::optional<Timestamp> next_forgetting() const;

  // Operating.

  const QueueOptions& options() const { return options_; }
  void set_options(const QueueOptions& options) { options_ = options; }
  bool paused() const { return paused_; }
  void set_paused(bool paused) { paused_ = paused; }

  std::optional<JobRow> find(std::string_view id, Instant now) const;
  /// The job that the next take would get, limits and pause apart.
  std::optional<JobRow> peek(Instant now) const;
  /// Jobs of one state in their order (leased: by deadline; dead: since when; done: until when), from the place `first`
  /// on. Aging apart.
  void list(JobState state, std::size_t first, std::size_t count, Instant now, Visit visit) const;
  /// Of a ready job; nullopt for any other. O(n / 64).
  std::optional<JobPosition> position(std::string_view id, Instant now) const;
  QueueStats stats(Instant now) const;

  /// Drops up to `limit` jobs of a state; how many.
  std::size_t purge(JobState state, std::size_t limit, Instant now);
  /// False when it is not there.
  bool remove(std::string_view id);
  /// Makes up to `limit` dead jobs ready, the longest dead first, with their budgets whole again; how many.
  std::size_t retry_dead(std::size_t limit, Instant now);
  /// Errors: not_found; conflict when it is not dead.
  Result<void> retry_dead(std::string_view id, Instant now);
  struct Moved {
    std::size_t moved = 0;
    std::size_t left = 0;  ///< the other queue has their ids already, or no room
  };
  /// Moves up to `limit` waiting or dead jobs of a state to another queue, in order, past the first `skip` ones; there
  /// they begin anew.
  Moved move_to(Queue& other, JobState state, std::size_t skip, std::size_t limit, Instant now);

  // Making it again.

  /// A row that was recorded before. A lease goes on until its deadline by the wall clock, and for no longer than it
  /// was given.
  void restore(const JobRow& row, Instant now);

  std::size_t size() const { return ids_.size(); }
  std::uint64_t memory_bytes() const;
  void check() const;

 private:
  /// The waiting jobs of one priority, and how many of it are leased.
  struct Level {
    Line ready;
    Line delayed;  // also those that have fallen due since
    std::size_t leased = 0;
  };
  struct Front {
    int priority = 0;
    bool delayed = false;
    Line::Entry entry;
  };

  std::optional<Slot> slot_of(std::string_view id) const;
  Result<Slot> held(std::string_view id, Receipt receipt, Instant now) const;
  Line& line_of(const Job& job);
  JobRow row_now(const Job& job, Instant now) const;
  bool is_due(const Line::Key& key, Instant now) const { return key.at <= now.wall.ms; }

  Enqueued enqueue_one(const NewJob& job, Instant now);
  /// Puts a job that stands in no line into the order; its state is ready or delayed from here on.
  void place(Slot slot, std::int64_t run_at, Instant now);
  void record(Change change, const Job& job) { transitions_.record({change, job.row()}); }

  bool may_lease(int priority) const;
  int level_of(int priority, const Line::Key& key, Instant now) const;
  template <typename Allowed>
  std::optional<Front> first(Instant now, Allowed allowed) const;
  Slot pop(const Front& front);
  void fetch_ahead(const Line& line) const;
  void lease(Slot slot, std::chrono::milliseconds lease, Instant now);
  void end_lease(Slot slot);
  void hand_over(Slot slot, Instant now, Visit visit);
  void finish(Slot slot, Instant now);
  void lose(Slot slot, Instant now);
  void bury(Slot slot, DeadCause cause, Instant now);
  void revive(Slot slot, Instant now);
  void drop(Slot slot);
  void forget(Slot slot);
  std::chrono::milliseconds backoff_after(int failures);
  std::vector<Slot> slots_of(JobState state, std::size_t first, std::size_t count, Instant now) const;
  std::uint64_t ahead_of(const Job& job, Instant now) const;

  QueueOptions options_;
  Random& random_;
  Transitions& transitions_;
  bool paused_ = false;
  std::uint64_t next_sequence_ = 1;
  JobSlab slab_;
  IdTable ids_;
  std::array<Level, kPriorities> levels_;
  Line leased_;                      // by deadline, in monotonic ns
  Line dead_;                        // by when they died
  Line done_;                        // by when their id is free again
  std::uint64_t payload_bytes_ = 0;  // and ids
  QueueStats counted_;               // what only grows
  Rate enqueued_rate_, taken_rate_;
};

}  // namespace scoreline::queues
