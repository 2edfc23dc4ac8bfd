// The one connection that writes the ledger and moves its log into the database (checkpoints).
//
// One connection for both, because SQLite 3.7.0 to 3.51.2 can corrupt the database when two connections write or
// checkpoint at the same moment (the WAL-reset bug, fixed in 3.51.3); with one there is no such moment, so the version
// needs no check.
//
// Life of a change: begin() → statements on connection() → commit(), or abandon() when one of them failed, or
// rollback() when there was nothing to change.
//
// What a failure leaves behind:
//   no room (before or while the log is written)  nothing of the change is there; the next change may succeed
//   memory or a busy database, before the commit  the same
//   an I/O error before the commit                nothing of the change is there; no more writing
//   anything else while committing                unknown: a whole commit may lie in the log without being durable, and
//                                                 may come to life at the next start; no more writing
//   an I/O error in a checkpoint                  the change is durable in the log; no more writing
// "No more writing" lasts until the process restarts: after a failed fsync the kernel counts the lost pages as clean,
// and a second fsync would lie. The next start reads the log afresh and syncs all of it.
//
// Thread safety: one thread at a time; failed() and wal_bytes() from any.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "adapters/sqlite/connection.h"
#include "adapters/sqlite/head_witness.h"
#include "adapters/sqlite/options.h"
#include "adapters/sqlite/seal.h"
#include "base/error.h"

namespace scoreline::sqlite {

class LedgerWriter {
 public:
  /// Opens the database in `folder`, whose lock the caller holds; makes or migrates it; checks that it ends where the
  /// witness says. Errors: damaged, conflict (a newer schema), storage_failed, storage_full.
  static Result<std::unique_ptr<LedgerWriter>> open(const std::filesystem::path& folder, const Options& options);
  ~LedgerWriter();

  Connection& connection() { return connection_; }
  /// The number of the batch that the next commit() makes.
  std::int64_t next_seq() const { return static_cast<std::int64_t>(head_.seq) + 1; }

  Result<void> begin();
  /// Makes the change durable, with its row of `batches`. Errors: storage_failed, storage_full, unknown_outcome.
  Result<void> commit(std::string_view kind, const Delta& delta);
  /// The same for a change of tables that `batches` does not seal.
  Result<void> commit_unsealed();
  /// Makes a whole change, from begin() to commit_unsealed(), that need not be durable before the next commit() is.
  Result<void> unsynced(const std::function<Result<void>()>& change);
  /// Takes the change back after a statement failed, and says what failed.
  Error abandon(std::string_view doing);
  void rollback();

  /// Why nothing can be written any more; empty while it can.
  std::string failure() const;
  std::uint64_t wal_bytes() const { return wal_pages_.load(std::memory_order_relaxed) * kPageBytes; }
  const HeadWitness& witness() const { return witness_; }
  /// The witness was lost or unreadable, and was made again from the ledger.
  bool witness_made_again() const { return witness_made_again_; }

 private:
  LedgerWriter(Connection connection, HeadWitness witness, const Options& options)
      : connection_(std::move(connection)), witness_(std::move(witness)), options_(options) {}
  Result<void> prepare();
  Result<void> check_witness();
  Result<void> settle_log(const std::filesystem::path& folder);
  Error commit_failed();
  void checkpoint_if_due();
  void stop_writing(const Failure& failure, std::string_view doing);
  static int on_commit(void* writer, sqlite3* database, const char* name, int pages);

  Connection connection_;
  HeadWitness witness_;
  Options options_;
  Head head_;
  bool witness_made_again_ = false;
  Statement begin_, commit_, rollback_, insert_batch_;
  std::atomic<std::uint64_t> wal_pages_{0};
  std::atomic<bool> failed_{false};
  mutable std::mutex failure_mutex_;
  std::string failure_;
};

}  // namespace scoreline::sqlite
