// How calls on queues get to Redis: a lane a queue, in which calls go one after the other in the order they came, those
// that wait together in one pipeline; and a few threads that work the lanes off.
//
// Takes go through the lane too, many of them in one script (redis_job_takers.h). Those that find nothing stay, and
// cost nothing until the queue is said to have news: by the scripts that change it (redis_job_wakes.h), or by the time
// at which its next job falls due or its next lease ends, which the script that finds nothing tells.
//
// Thread safety: any thread. What is answered is answered without a lock, on a thread of this.
// Invariant: one thread at a time works on a lane; every call is answered once.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_job_takers.h"
#include "adapters/redis/redis_job_wakes.h"
#include "base/random.h"

namespace scoreline::redis {

struct JobCall {
  const Script* script = nullptr;
  std::vector<std::string> arguments;
  bool makes = false;  ///< the queue may come into being; else not_found when it is not there
  bool reads = false;  ///< it changes nothing that an unknown outcome could leave
  queues::JobStore::Done<Reply> done;

  std::size_t bytes() const;
};

class JobLanes {
 public:
  /// Something that needs no script, on one of the threads.
  using Task = std::function<void()>;

  /// The references outlive it.
  JobLanes(Client& client, std::string prefix, std::size_t threads, const Clock& clock, Random& random);
  /// Answers what still waits with not_ready.
  ~JobLanes();
  /// The same, before it ends; what is asked after it is answered so at once.
  void stop();
  JobLanes(const JobLanes&) = delete;
  JobLanes& operator=(const JobLanes&) = delete;

  /// Errors besides those of Client: overloaded, when too many wait; not_found; storage_full.
  void call(std::string_view queue, JobCall call);
  /// `answer` says of what is asked too late.
  void run(Task task, std::function<void(Error)> refused);
  queues::TakeTicket take(std::string_view queue, Taker taker);
  void cancel(queues::TakeTicket ticket);

 private:
  struct Lane {
    std::string name;
    std::vector<std::string> keys;
    std::deque<JobCall> calls;
    TakeLine takers;
    bool look = false;    // somebody came, or there is news
    bool queued = false;  // among runnable_
    bool busy = false;    // a thread works on it
    std::optional<Monotonic> next_look;

    bool idle() const { return calls.empty() && takers.empty() && !queued && !busy; }
  };
  /// When something is to be done by itself: a look at a lane (ticket 0), or the end of a take's wait.
  struct Timer {
    Monotonic at;
    std::uint64_t ticket = 0;
    Lane* lane = nullptr;
    friend auto operator<=>(const Timer&, const Timer&) = default;
  };
  struct Batch {
    std::vector<JobCall> calls;
    std::optional<TakeLine::Look> look;
  };

  Lane& lane_of(std::string_view queue);
  void wake(Lane& lane);
  void drop_if_idle(Lane& lane);
  void heard(std::string_view key);
  void look_at_all();
  void look_at(Lane& lane);
  void look_later(Lane& lane, Monotonic at);
  void forget_timer(Lane& lane);

  void work();
  void keep_time();
  void end_wait(const Timer& timer, std::vector<TakeDone>& over);
  Batch next_batch(Lane& lane);
  void do_batch(Lane& lane, Batch batch);
  void settle(Lane& lane, const TakeLine::Look& look, Result<Reply> reply);
  std::vector<Result<Reply>> send(const Lane& lane, const std::vector<JobCall*>& calls);
  std::vector<Result<Reply>> send(const Lane& lane, const std::vector<JobCall*>& calls, const std::string& options);
  Result<void> make(const Lane& lane);
  void make_and_send_again(const Lane& lane, const std::vector<JobCall*>& calls, std::vector<Result<Reply>>& answers);
  JobCall take_call(const TakeLine::Look& look);
  void give_back(const Lane& lane, const std::vector<queues::StoredJob>& jobs);

  Client& client_;
  const std::string prefix_;
  const std::string channel_;
  const Clock& clock_;
  Random& random_;

  std::mutex mutex_;
  std::condition_variable work_, time_;
  bool stopping_ = false;
  std::map<std::string, Lane, std::less<>> lanes_;
  std::deque<Lane*> runnable_;
  std::deque<std::pair<Task, std::function<void(Error)>>> tasks_;
  std::set<Timer> timers_;
  std::map<std::uint64_t, std::pair<Lane*, std::optional<Monotonic>>> tickets_;  // of takes not answered
  std::uint64_t last_ticket_ = 0;
  std::size_t waiting_bytes_ = 0;

  JobWakes wakes_;
  std::vector<std::thread> threads_;  // the last member: they begin when all else is there
};

}  // namespace scoreline::redis
