// What waits for the ledger: the changes of all queues in one batch, and those who are answered once it is kept. Many
// calls share one transaction, and of a job that changed several times only the last state is written.
//
// A batch that could not be kept is an end for all that came after it too: it stood on what is not there. Then the
// store is told to make its queues again from the ledger, and only after that are the callers told.
//
// Thread safety: every call from any thread, but commit_waiting() and start() and stop() from one.
// Cost: O(1) for each change, and one commit of the ledger for all that came during the one before.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "queues/job_ledger.h"

namespace scoreline::queues {

class GroupCommit {
 public:
  using Kept = std::function<void(const Result<void>&)>;
  /// Makes the queues again from the ledger; it must call give_up() once nobody can add any more. False when it could
  /// not: then it is called again, until it could.
  using MakeAgain = std::function<bool(const Error& why)>;

  GroupCommit(JobLedger& ledger, MakeAgain make_again) : ledger_(ledger), make_again_(std::move(make_again)) {}
  ~GroupCommit() { stop(); }
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  /// From here on a thread of its own commits.
  void start();
  /// Commits what waits; nothing may be added any more.
  void stop();
  /// What start()'s thread would do now; false when there was nothing to do.
  bool commit_waiting();

  /// `kept` is called when the changes are kept as `durability` (disk or os) says, or with the error that they are not.
  /// Changes of one queue must come in their order. Calls nothing before it returns.
  void add(LedgerBatch changes, Durability durability, Kept kept);
  /// Whether all that was added is kept.
  bool is_idle() const;
  /// Forgets what waits.
  void give_up();

 private:
  struct Batch {
    LedgerBatch changes;
    std::unordered_map<std::uint64_t, std::size_t> places;  // of a job's change
    Durability durability = Durability::os;
    std::vector<Kept> kept;
  };

  static std::uint64_t key_of(const JobChange& change);
  static void merge(JobChange& before, JobChange change);
  static void add_to(Batch& batch, JobChange change);
  Result<void> commit(const Batch& batch);
  void fail_all(std::vector<Kept> told, const Error& error);
  void run();

  JobLedger& ledger_;
  const MakeAgain make_again_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Batch waiting_;  // guarded by mutex_, as are the next three
  std::vector<Kept> given_up_;
  bool committing_ = false;
  bool stopping_ = false;
  std::optional<Error> out_of_step_;  // of the committing thread
  std::thread thread_;
};

}  // namespace scoreline::queues
