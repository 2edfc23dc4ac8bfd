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

  /// Ends the turn with an answer.
  template <typename T>
  void finish(const Done<T>& done, Result<T> answer) {
    settle();
    lock_.unlock();
    done(std::move(answer));
    answer_takes();
  }
  /// Ends the turn of a call that has no answer (yet).
  void finish();

 private:
  struct Answered {
    Done<std::vector<StoredJob>> done;
    Result<std::vector<StoredJob>> jobs;
  };
  void settle();
  void call_again();
  void answer_takes();

  EmbeddedJobStore& store_;
  ServedQueue& served_;
  std::unique_lock<std::mutex> lock_;
  Instant now_;
  std::vector<ScheduleRecord> schedules_;
  std::vector<Answered> answered_;
};

}  // namespace scoreline::queues
