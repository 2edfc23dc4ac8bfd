// Job queues of the library: jobs in an order, handed to workers under a lease.
//
//     auto queue = scoreline::Scoreline::open("data").queue("mail");
//     queue.enqueue("newsletter", 5);
//     queue.enqueue("password-reset", 0);
//     while (auto job = queue.take(std::chrono::seconds(10))) {  // password-reset first
//       send(job->id);
//       queue.ack(*job);
//     }
//
// Priority 0 goes first, 9 last; within one, who was enqueued first. A job that is not acknowledged before its lease
// ends is handed to somebody else: at least once. `poll` hands over and forgets: at most once.
//
// What is answered survives a power failure, unless the queue is set to less.
//
// Thread safety: everything may be called from any thread. Errors: exceptions of type scoreline::Failure, those of a
// lease that is lost with the code `conflict`.
#pragma once

#include <functional>

#include "scoreline/scoreline.h"

namespace scoreline {

enum class JobState {
  ready,
  delayed,  ///< its time has not come
  leased,   ///< a worker holds it
  dead,     ///< failed as often as it may, or lost by too many workers
  done,     ///< gone, and its id is taken still
};

struct NewJob {
  std::string id = {};       ///< 1..128 bytes of UTF-8, there once while it lives; empty: a new UUID
  std::string payload = {};  ///< any bytes, 256 KiB unless the queue is set otherwise
  int priority = 5;          ///< 0..9
  std::optional<std::chrono::milliseconds> delay = {};  ///< not before so long from now
  std::optional<Time> run_at = {};                      ///< not before then; not beside delay
  std::optional<int> max_attempts = {};                 ///< 1..1000; absent: as the queue says
};

struct Enqueued {
  std::string id;
  bool duplicate = false;  ///< a job with this id is there already; nothing changed
  JobState state = JobState::ready;
};

/// A job that was handed over.
struct Job {
  std::string id;
  std::string payload;
  int priority = 0;
  int attempt = 1;      ///< which delivery this is
  std::string receipt;  ///< of the lease; empty when polled
  Time lease_until;     ///< when somebody else may get it
};

struct QueueCounts {
  std::uint64_t ready = 0, delayed = 0, leased = 0, dead = 0;
  std::chrono::milliseconds oldest_ready{0};  ///< for how long the oldest ready job has been ready
};

class Queue {
 public:
  /// Ready at once.
  Enqueued enqueue(std::string_view id, int priority);
  Enqueued enqueue(const NewJob& job);
  /// 1..1000 jobs, all or none.
  std::vector<Enqueued> enqueue(std::span<const NewJob> jobs);
  /// Ready at `run_at`.
  Enqueued schedule(std::string_view id, Time run_at, int priority = 5);

  /// Hands one ready job over and forgets it.
  std::optional<Job> poll();
  /// The same with the delayed job whose time came first, whatever its priority.
  std::optional<Job> poll_due();
  /// One job under a lease; waits for it up to `wait` (0..10 minutes). `lease` absent: as the queue says.
  std::optional<Job> take(std::chrono::milliseconds wait = {}, std::optional<std::chrono::milliseconds> lease = {});
  /// Up to `max` (1..1000), and waits for the first of them.
  std::vector<Job> take(std::size_t max, std::chrono::milliseconds wait,
                        std::optional<std::chrono::milliseconds> lease = {});
  /// The same without waiting here: `taken` is called once, with none when the wait is over, on a thread of the
  /// library. It must be short. What goes wrong later than this call gives none, too.
  void take(std::size_t max, std::chrono::milliseconds wait, std::optional<std::chrono::milliseconds> lease,
            std::function<void(std::vector<Job>)> taken);

  /// It is done.
  void ack(const Job& job);
  /// It failed: ready again after `delay` (absent: the queue's backoff), or dead. The state it is in now.
  JobState nack(const Job& job, std::string_view reason = {}, std::optional<std::chrono::milliseconds> delay = {});
  /// The lease lasts so long from now on (absent: as the queue says); its new end.
  Time extend(const Job& job, std::optional<std::chrono::milliseconds> lease = {});
  /// Gives it back to its place, or for after `delay`. Counts as no attempt.
  JobState release(const Job& job, std::optional<std::chrono::milliseconds> delay = {});

  QueueCounts counts() const;

 private:
  friend class Scoreline;
  struct Place;
  explicit Queue(std::shared_ptr<const Place> place) : place_(std::move(place)) {}
  std::shared_ptr<const Place> place_;
};

}  // namespace scoreline
