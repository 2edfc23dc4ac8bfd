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
  /// Why its jobs, or what it is set to, cannot be changed now.
  std::optional<Error> refusal() const;

  /// From here on changes are recorded, also of a queue that comes into being.
  void begin() { record_as_set(); }
  void bring_into_being();
  /// What it is set to has changed.
  void note_record();
  /// A schedule that has changed.
  void note(const ScheduleRecord& record) { batch_.schedules.push_back(record); }
  /// Moves all jobs into the ledger, or out of it.
  void keep_jobs(bool keep);

  /// Hands jobs to takes that wait, first come, first served.
  void serve();
  /// Puts in the jobs of schedules whose time has come.
  void tick();
  /// Answers takes whose wait is over.
  void end_waits();
  void wait(WaitingTake take, TakeTicket& ticket);
  /// The take waits no longer.
  void answer_waiting(std::uint64_t number, Error error);

  /// Ends the turn with an answer, which comes when what it stands on is kept.
  template <typename T>
  void finish(const Done<T>& done, Result<T> answer) {
    settle();
    if (!must_be_kept()) {
      lock_.unlock();
      done(std::move(answer));
      answer_all(answered_, nullptr);
      return;
    }
    commit([done, answer = std::move(answer), answered = std::move(answered_)](const Error* error) mutable {
      done(error != nullptr ? Result<T>(fail(*error)) : std::move(answer));
      answer_all(answered, error);
    });
  }
  /// Ends the turn of a call that has no answer (yet).
  void finish();

 private:
  struct Answered {
    Done<std::vector<StoredJob>> done;
    Result<std::vector<StoredJob>> jobs;
  };
  void record_as_set();
  void settle();
  void call_again();
  bool must_be_kept() const;
  void commit(GroupCommit::Settled settled);
  static void answer_all(std::vector<Answered>& answered, const Error* error);

  EmbeddedJobStore& store_;
  ServedQueue& served_;
  std::unique_lock<std::mutex> lock_;
  Instant now_;
  LedgerBatch batch_;
  std::vector<Answered> answered_;
};

}  // namespace scoreline::queues
