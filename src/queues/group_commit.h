// Takes to the ledger what calls have changed: all that waits in one transaction, and then they are answered.
//
// A commit that fails takes back in memory all that is not in the ledger: until that is done no call may change
// anything (refusal()), and whoever waited is told the error. A commit whose outcome is unknown is sent again until it
// is known, and counts as failed when that takes too long. When the ledger can write no more, nothing is changed any
// more; reads go on.
//
// Thread safety: every call from any thread. The keeper is called on the thread that commits, without any lock held.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "queues/change_list.h"
#include "queues/job_ledger.h"

namespace scoreline::queues {

class GroupCommit {
 public:
  /// Who has the queues in memory.
  class Keeper {
   public:
    virtual ~Keeper() = default;
    /// `batch` is in the ledger; what is given back is to be committed, too.
    virtual LedgerBatch kept(const LedgerBatch& batch) = 0;
    /// Has everything that is named in `batch` as the ledger has it; `maybe_kept`: some of it may be there after all.
    /// May come again with the same.
    virtual Result<void> undo(const LedgerBatch& batch, bool maybe_kept, JobLedger& ledger) = 0;
  };

  /// The error, or nullptr: it is kept.
  using Settled = std::function<void(const Error* error)>;

  /// Both must outlive it.
  GroupCommit(JobLedger& ledger, Keeper& keeper) : ledger_(ledger), keeper_(keeper) {}
  ~GroupCommit() { stop(); }

  /// From here on a thread of its own does the work.
  void start();
  /// Commits what waits, and ends the thread.
  void stop();
  /// Does all that can be done now; for a store without threads.
  void step();

  /// Why nothing may be changed now; nullopt while all is well. Ask under the lock of the queue that is to be changed.
  std::optional<Error> refusal() const {
    return open_.load(std::memory_order_acquire) ? std::nullopt : std::optional(why_not());
  }
  /// So much waits (kMaxUnkeptBytes) that no more should be put in.
  bool is_behind() const { return is_behind_.load(std::memory_order_relaxed); }
  /// What is in memory may not be in the ledger: an undo is outstanding.
  bool is_ahead() const { return ahead_.load(std::memory_order_acquire); }

  /// Takes what one call changed, in the order of the locks of queues, and says its number; `settled` comes later, also
  /// when nothing was changed: then all before it has been settled.
  std::uint64_t add(LedgerBatch&& changes, Durability durability, Settled settled);
  /// All up to this number have been settled.
  std::uint64_t settled() const { return settled_.load(std::memory_order_acquire); }

 private:
  struct Pending {
    LedgerBatch batch;
    bool to_disk = false;
    std::vector<Settled> waiting;
    std::uint64_t last = 0;
    std::size_t bytes = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  Error why_not() const;
  void run();
  bool undo(Lock& lock);
  void commit(Lock& lock);
  Result<void> send(const LedgerBatch& batch, Durability durability);
  void fail_all(Lock& lock, LedgerBatch&& batch, Pending&& pending, Error error);
  void settle(const Pending& pending, const Error* error);
  void open_unless_the_ledger_failed();
  void pause(Lock& lock, std::chrono::milliseconds span);

  JobLedger& ledger_;
  Keeper& keeper_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Pending pending_;
  std::uint64_t added_ = 0;
  std::optional<Error> error_;  // why it is not open
  LedgerBatch to_undo_;
  bool maybe_kept_ = false;  // some of what is to be undone
  bool has_thread_ = false;
  bool stopping_ = false;
  std::atomic<bool> open_{true}, ahead_{false}, is_behind_{false};
  std::atomic<std::uint64_t> settled_{0};
  std::thread thread_;
};

}  // namespace scoreline::queues
