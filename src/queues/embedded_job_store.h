// The store of jobs in this process: every queue in memory, over a ledger that they are made again from at start.
//
// A call is applied on the caller's thread, under the lock of its queue. What it changed goes to the ledger with all
// that other calls changed meanwhile, in one transaction, and then it is answered. Queues with durability `memory`
// answer at once, and no job of theirs reaches the ledger. Reads answer at once, from memory.
//
// What the ledger could not keep is answered with its error, and taken back in memory: memory never goes on from what
// the disk does not have. Until that is done, changes are refused; a queue whose jobs live in memory goes on.
//
// Waiting costs nothing: whatever makes a job ready serves the first take that waits, and one thread for all queues
// sleeps until the first delayed job falls due, lease ends or wait is over.
//
// Thread safety: as the port says. No callback comes after the destructor.
// Cost: what queue.h says, and a copy of the jobs that are answered.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "queues/agenda.h"
#include "queues/group_commit.h"
#include "queues/job_ledger.h"
#include "queues/job_store.h"
#include "queues/served_queue.h"

namespace scoreline::queues {

class EmbeddedJobStore final : public JobStore, private GroupCommit::Keeper {
 public:
  enum class Driven {
    by_threads,  ///< of its own
    by_steps,    ///< by step() alone, for virtual time
  };

  /// Makes the queues again from the ledger. `ledger` may be absent: then all queues live in memory. All must outlive
  /// it. Errors: those of loading, and damaged.
  static Result<std::unique_ptr<EmbeddedJobStore>> open(JobLedger* ledger, const Clock& clock, Random& random,
                                                        Driven driven = Driven::by_threads);
  ~EmbeddedJobStore() override;

  /// Why nothing can be changed now; nullopt: all is well.
  std::optional<Error> trouble() const { return commit_ ? commit_->refusal() : std::nullopt; }

  /// Does all whose time has come, and commits what waits; with Driven::by_steps nothing happens without it.
  void step();
  /// When there will be something to do by the clock as it goes now; nullopt: not before the next call.
  std::optional<Monotonic> next_step() const { return agenda_.next(); }

  void enqueue(std::string_view queue, std::vector<JobSpec> jobs, Done<std::vector<EnqueueAnswer>> done) override;
  TakeTicket take(std::string_view queue, const TakeSpec& spec, Done<std::vector<StoredJob>> done) override;
  void cancel(TakeTicket take) override;
  void poll(std::string_view queue, Done<std::optional<StoredJob>> done) override;
  void poll_due(std::string_view queue, Done<std::optional<StoredJob>> done) override;

  void ack(std::string_view queue, std::vector<HeldJob> jobs, Done<std::vector<Result<void>>> done) override;
  void nack(std::string_view queue, std::vector<HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
            std::string reason, Done<std::vector<Result<JobState>>> done) override;
  void extend(std::string_view queue, std::vector<HeldJob> jobs, std::optional<std::chrono::milliseconds> lease,
              Done<std::vector<Result<Timestamp>>> done) override;
  void release(std::string_view queue, std::vector<HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
               Done<std::vector<Result<JobState>>> done) override;

  void put_schedule(std::string_view queue, const Schedule& schedule, Done<void> done) override;
  void drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) override;
  void schedules(std::string_view queue, Done<std::vector<ScheduleState>> done) override;

  void queues(Done<std::vector<std::string>> done) override;
  void options(std::string_view queue, Done<QueueOptions> done) override;
  void set_options(std::string_view queue, const QueueOptions& options, Done<void> done) override;
  void set_paused(std::string_view queue, bool paused, Done<void> done) override;
  void stats(std::string_view queue, Done<QueueStats> done) override;
  void find(std::string_view queue, std::string_view id, Done<std::optional<StoredJob>> done) override;
  void peek(std::string_view queue, Done<std::optional<StoredJob>> done) override;
  void list(std::string_view queue, const ListSpec& spec, Done<std::vector<StoredJob>> done) override;
  void position(std::string_view queue, std::string_view id, Done<std::optional<JobPosition>> done) override;
  void purge(std::string_view queue, JobState state, Done<std::uint64_t> done) override;
  void remove(std::string_view queue, std::string_view id, Done<bool> done) override;
  void retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) override;

 private:
  class Turn;
  /// A ticket: the place of its queue, from 1, then the number of the take there.
  static constexpr int kTakeNumberBits = 40;

  ServedQueue* known(std::string_view name) const;
  Result<ServedQueue*> known_already(std::string_view name) const;  ///< errors: not_found
  Result<ServedQueue*> known_or_new(std::string_view name);
  ServedQueue& add_queue(std::string_view name);
  ServedQueue* numbered(QueueNumber number) const;
  void look_after(ServedQueue& served);
  void look_after_soon(ServedQueue& served, std::chrono::milliseconds from_now);

  EmbeddedJobStore(JobLedger* ledger, const Clock& clock, Random& random);
  Result<void> load(JobLedger& ledger);
  void load_queue(const QueueRecord& record);
  Result<void> load_schedule(const ScheduleRecord& record);
  Result<void> load_job(QueueNumber number, const JobRow& row, Instant now, LedgerBatch& strays);

  // The keeper of what is committed.
  LedgerBatch kept(const LedgerBatch& batch) override;
  Result<void> undo(const LedgerBatch& batch, bool maybe_kept, JobLedger& ledger) override;
  Result<void> read_records(JobLedger& ledger);
  void undo_records(ServedQueue& served);

  template <typename T, typename Call>
  void read(std::string_view queue, const Done<T>& done, Call call);
  template <typename T, typename Call>
  void change(std::string_view queue, bool comes_into_being, const Done<T>& done, Call call);
  template <typename T, typename Call>
  void change_setting(std::string_view queue, bool comes_into_being, const Done<T>& done, Call call);
  template <typename T, typename Call>
  void change_each(std::string_view queue, const std::vector<HeldJob>& jobs, Result<void> checked,
                   const Done<std::vector<Result<T>>>& done, Call call);

  const Clock& clock_;
  Random& random_;
  mutable std::shared_mutex names_lock_;  // of the next four; a queue stays where it is
  std::map<std::string, ServedQueue*, std::less<>> names_;
  std::map<QueueNumber, ServedQueue*> numbers_;
  QueueNumber next_number_ = 1;
  std::deque<ServedQueue> served_;
  std::atomic<std::size_t> takes_waiting_{0};
  std::unique_ptr<GroupCommit> commit_;  // none without a ledger
  Agenda agenda_;                        // last: it calls look_after()
};

}  // namespace scoreline::queues
