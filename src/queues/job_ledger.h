// Port: what the embedded store keeps its jobs in, so that they outlive the process. One writer; one row a job, updated
// in place; rows alone, in any order, make the queues again.
//
// Thread safety: none but write_failure(), which any thread may ask; the first load() comes before the first commit().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "queues/options.h"
#include "queues/schedule.h"
#include "queues/stored_job.h"
#include "queues/transition.h"

namespace scoreline::queues {

/// Numbers a queue in its ledger: from 1, never used again.
using QueueNumber = std::uint32_t;

struct QueueRecord {
  QueueNumber number = 0;
  std::string name;
  QueueOptions options;
  bool paused = false;
};

/// One transition, kept. `updated` has no id and no payload; `removed` has its sequence alone.
struct JobChange {
  QueueNumber queue = 0;
  Change change = Change::updated;
  StoredJob job;
};

struct ScheduleRecord {
  QueueNumber queue = 0;
  Schedule schedule;
  Timestamp last;  ///< the tick that was put in last, or when the schedule was made
  bool dropped = false;
};

/// What goes into one transaction: queues and schedules that are new or have changed, and what their jobs have become,
/// each once. A tick of a schedule goes in together with its job.
struct LedgerBatch {
  std::vector<QueueRecord> queues;
  std::vector<ScheduleRecord> schedules;
  std::vector<JobChange> jobs;
  bool empty() const { return queues.empty() && schedules.empty() && jobs.empty(); }
};

class JobLedger {
 public:
  virtual ~JobLedger() = default;

  /// All queues, then all schedules, then all jobs. Errors: damaged, storage_failed.
  virtual Result<void> load(const std::function<void(const QueueRecord&)>& queue,
                            const std::function<void(const ScheduleRecord&)>& schedule,
                            const std::function<void(QueueNumber, const JobRow&)>& job) = 0;

  /// Those of a queue's jobs that are there, in any order. Errors: damaged, storage_failed.
  virtual Result<void> find(QueueNumber queue, std::span<const std::uint64_t> sequences,
                            const std::function<void(const JobRow&)>& job) = 0;

  /// All of the batch or none. The same batch again changes nothing: so an unknown outcome is settled.
  /// `durability`: disk, or os. Errors: storage_full and storage_failed (nothing of it is there), unknown_outcome.
  virtual Result<void> commit(const LedgerBatch& batch, Durability durability) = 0;

  /// Why nothing can be written until the process begins again; nullopt while it can.
  virtual std::optional<Error> write_failure() const = 0;
};

}  // namespace scoreline::queues
