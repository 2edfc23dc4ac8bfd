// One call's hold of one queue of the embedded store: it changes the queue, and when it finishes, takes that wait are
// served, and all are answered once what they were told is kept.
//
// Thread safety: one thread; it holds the lock of the queue from the beginning until finish().
#pragma once

#include <utility>
#include <vector>

#include "queues/embedded_job_store.h"

namespace scoreline::queues {

class EmbeddedJobStore::Turn {
 public:
  Turn(EmbeddedJobStore& store, ServedQueue& served) : store_(store), served_(served), lock_(served.lock) {
    now_ = instant_of(store.clock_);
  }

  Queue& queue() { return *served_.queue; }
  ServedQueue& served() { return served_; }
  Instant now() const { return now_; }
  bool is_there() const { return served_.there; }
  void bring_into_being();
  /// Errors: while what is in memory may not be what the ledger has.
  Result<void> check_writable() const;
  /// What the queue is set to has changed.
  void note_record() { served_.record_changed = true; }
  /// A schedule that has changed.
  void note(const ScheduleRecord& record) { schedules_.push_back(record); }

  /// Hands jobs to takes that wait, first come, first served.
  void serve();
  /// Puts in the jobs of schedules whose time has come.
  void tick();
  /// Answers takes whose wait is over.
  void end_waits();
  void wait(WaitingTake take, TakeTicket& ticket);
  /// The take that waits no longer.
  bool answer_waiting(std::uint64_t number, Error error);

  /// What the ledger keeps follows from the queue's durability, which may have changed: brings all jobs in, or takes
  /// all out.
  void follow_durability();

  /// Ends the turn of a call that changes something: answered once the ledger has it.
  template <typename T>
  void finish(const Done<T>& done, Result<T> answer) {
    settle();
    if (!needs_commit()) {
      lock_.unlock();
      done(std::move(answer));
      return answer_takes(answered_, {});
    }
    commit([done, answer = std::move(answer), takes = std::move(answered_)](const Result<void>& kept) mutable {
      done(kept ? std::move(answer) : Result<T>(fail(kept.error())));
      answer_takes(takes, kept);
    });
  }
  /// Ends the turn of a call that has no answer (yet).
  void finish();
  /// Ends the turn of a call that only looks: answered at once.
  template <typename T>
  void finish_looking(const Done<T>& done, Result<T> answer) {
    finish();
    done(std::move(answer));
  }

 private:
  struct Answered {
    Done<std::vector<StoredJob>> done;
    Result<std::vector<StoredJob>> jobs;
  };
  void settle();
  void call_again(bool writable);
  bool needs_commit() const;
  void commit(GroupCommit::Kept kept);
  void record_all(Change change);
  static void answer_takes(std::vector<Answered>& takes, const Result<void>& kept);

  EmbeddedJobStore& store_;
  ServedQueue& served_;
  std::unique_lock<std::mutex> lock_;
  Instant now_;
  std::vector<ScheduleRecord> schedules_;
  std::vector<Answered> answered_;
};

}  // namespace scoreline::queues
