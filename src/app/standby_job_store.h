// The store of jobs of a process, from its start to its end: also while the jobs are still being loaded, while another
// process holds them, or while their server cannot be reached. Then every call is answered with why that is so, and a
// thread of its own goes on trying; once it has them, calls go to the store that it opened.
//
// A store whose jobs another process has taken over is closed (it answers what waits with not_ready) and opened again.
//
// Thread safety: as the port says.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/job_backing.h"
#include "queues/job_store.h"

namespace scoreline::app {

class StandbyJobStore final : public queues::JobStore {
 public:
  /// Begins to open. `tell` hears what an operator should know, on the store's thread.
  StandbyJobStore(OpenJobs open, std::function<void(const std::string&)> tell);
  ~StandbyJobStore() override;
  StandbyJobStore(const StandbyJobStore&) = delete;
  StandbyJobStore& operator=(const StandbyJobStore&) = delete;

  /// Waits until it was tried once, and tells how that ended.
  Result<void> wait_opened();
  /// Whether it was tried once.
  bool tried() const;
  /// Why trying again is of no use (the jobs are damaged, or of a newer version).
  std::optional<Error> failure() const;

  void enqueue(std::string_view queue, std::vector<queues::JobSpec> jobs,
               Done<std::vector<queues::EnqueueAnswer>> done) override;
  queues::TakeTicket take(std::string_view queue, const queues::TakeSpec& spec,
                          Done<std::vector<queues::StoredJob>> done) override;
  /// A take of a store that was closed meanwhile has been answered; should its number be that of a take of the next
  /// store, that one is answered early and with nothing, which does no harm.
  void cancel(queues::TakeTicket take) override;
  void poll(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void poll_due(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void ack(std::string_view queue, std::vector<queues::HeldJob> jobs, Done<std::vector<Result<void>>> done) override;
  void nack(std::string_view queue, std::vector<queues::HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
            std::string reason, Done<std::vector<Result<queues::JobState>>> done) override;
  void extend(std::string_view queue, std::vector<queues::HeldJob> jobs, std::optional<std::chrono::milliseconds> lease,
              Done<std::vector<Result<Timestamp>>> done) override;
  void release(std::string_view queue, std::vector<queues::HeldJob> jobs,
               std::optional<std::chrono::milliseconds> delay,
               Done<std::vector<Result<queues::JobState>>> done) override;
  void put_schedule(std::string_view queue, const queues::Schedule& schedule, Done<void> done) override;
  void drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) override;
  void schedules(std::string_view queue, Done<std::vector<queues::ScheduleState>> done) override;
  void queues(Done<std::vector<std::string>> done) override;
  void options(std::string_view queue, Done<queues::QueueOptions> done) override;
  void set_options(std::string_view queue, const queues::QueueOptions& options, Done<void> done) override;
  void set_paused(std::string_view queue, bool paused, Done<void> done) override;
  void stats(std::string_view queue, Done<queues::QueueStats> done) override;
  void find(std::string_view queue, std::string_view id, Done<std::optional<queues::StoredJob>> done) override;
  void peek(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void list(std::string_view queue, const queues::ListSpec& spec, Done<std::vector<queues::StoredJob>> done) override;
  void position(std::string_view queue, std::string_view id, Done<std::optional<queues::JobPosition>> done) override;
  void purge(std::string_view queue, queues::JobState state, Done<std::uint64_t> done) override;
  void remove(std::string_view queue, std::string_view id, Done<bool> done) override;
  void retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) override;

 private:
  using Backing = std::shared_ptr<JobBacking>;

  /// Errors: why there is none.
  Result<Backing> current() const;
  /// Calls `call(store, done)`, or answers why there is no store.
  template <typename T, typename Call>
  void ask(Done<T> done, Call call);

  void run();
  /// Until there is nothing to wait for: the jobs are somebody else's, or it is time to stop.
  void stand_by();
  void close();
  bool pause(std::chrono::milliseconds time);
  void report(const Error& error);

  const OpenJobs open_;
  const std::function<void(const std::string&)> tell_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Backing backing_;  // nullptr: see why_not_
  Error why_not_{Code::not_ready, "the jobs are being loaded", {}, std::chrono::seconds{1}};
  bool tried_ = false;
  bool given_up_ = false;
  bool stopping_ = false;
  std::string told_;    // for the thread alone
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scoreline::app
