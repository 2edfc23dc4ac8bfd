// The jobs of the embedded store in a data folder: one SQLite database of its own, beside the ledger of results.
//
// Files: jobs.sqlite (with -wal beside it while open). What a job becomes is a small row, updated in place; payloads
// stand in a table of their own, so a change of state rewrites none. What jobs leave behind is used again for later
// ones: the database is as large as the most jobs there ever were at once, and its log is bounded (kCheckpointPages).
//
// Durability: `disk` is synchronous=FULL, an fsync each commit; `os` leaves that to the system: the next commit of the
// other kind brings it to the disk too.
//
// What a failure leaves behind is as ledger_writer.h says: no room is an error of that one commit; after an I/O error
// nothing is written any more until the process begins again, since after a failed fsync the kernel takes the lost
// pages for written.
//
// Thread safety: as the port says. The folder's lock (folder_lock.h) is the caller's; another process that opens the
// same file gets locked too.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "adapters/sqlite/connection.h"
#include "queues/job_ledger.h"

namespace scoreline::sqlite {

inline constexpr std::string_view kJobsFile = "jobs.sqlite";

class SqliteJobLedger final : public queues::JobLedger {
 public:
  /// Makes the folder and the database when they are not there. Errors: locked, damaged (not ours), conflict (written
  /// by a newer Scoreline), storage_failed, storage_full.
  static Result<std::unique_ptr<SqliteJobLedger>> open(const std::filesystem::path& folder);

  Result<void> load(const std::function<void(const queues::QueueRecord&)>& queue,
                    const std::function<void(const queues::ScheduleRecord&)>& schedule,
                    const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job) override;
  Result<void> find(queues::QueueNumber queue, std::span<const std::uint64_t> sequences,
                    const std::function<void(const queues::JobRow&)>& job) override;
  Result<void> commit(const queues::LedgerBatch& batch, queues::Durability durability) override;
  std::optional<Error> write_failure() const override;

 private:
  enum class Sync : std::uint8_t { none, each_commit };

  explicit SqliteJobLedger(Connection connection) : connection_(std::move(connection)) {}
  Result<void> prepare();
  Result<void> sync(Sync wanted);
  bool write(const queues::LedgerBatch& batch);
  bool put(const queues::QueueRecord& record);
  bool put(const queues::ScheduleRecord& record);
  bool put(const queues::JobChange& change);
  Result<void> load_queues(const std::function<void(const queues::QueueRecord&)>& visit);
  Result<void> load_schedules(const std::function<void(const queues::ScheduleRecord&)>& visit);
  Result<void> load_jobs(const std::function<void(queues::QueueNumber, const queues::JobRow&)>& visit);
  Error failed(std::string_view doing, bool while_committing);
  void checkpoint_if_due();
  void stop_writing(const Failure& failure, std::string_view doing);
  void rollback();
  static int on_commit(void* ledger, sqlite3* database, const char* name, int pages);

  Connection connection_;
  Statement begin_, commit_, rollback_;
  Statement put_queue_, put_schedule_, drop_schedule_;
  Statement add_, update_, remove_, add_payload_, remove_payload_;
  std::optional<Sync> sync_;
  std::uint64_t log_pages_ = 0;
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;  // guarded by failure_mutex_
};

}  // namespace scoreline::sqlite
