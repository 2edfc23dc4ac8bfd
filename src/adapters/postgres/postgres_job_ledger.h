// The jobs of the embedded store in PostgreSQL, in the schema of the ledger.
//
// One process holds the jobs: by an advisory lock of its session, so that another can take them over as soon as that
// session ends, and by an epoch that each new holder raises. A holder whose connection was lost takes the lock again;
// if the epoch is another one by then, somebody else has held the jobs, what this process knows of them is out of date,
// and it writes no more. (A pooler that shares sessions between transactions does not keep such a lock: connect without
// one.)
//
// Durability: `disk` is what the server promises for a commit (synchronous_commit); `os` does not wait for it: what was
// answered in the last half second may be lost with the server, and never in part.
//
// Thread safety: as the port says.
// Cost: a commit is one round trip and one transaction, whatever the batch holds.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "adapters/postgres/connector.h"
#include "adapters/postgres/options.h"
#include "queues/job_ledger.h"

namespace scoreline::postgres {

class PostgresJobLedger final : public queues::JobLedger {
 public:
  /// Connects, makes or migrates the tables, and takes hold of the jobs. `clock` and `random` must outlive it.
  /// Errors: not_ready (another process holds the jobs), usage (the URL), conflict (a newer schema), storage_failed.
  static Result<std::unique_ptr<PostgresJobLedger>> open(std::string_view url, const Options& options,
                                                         const Clock& clock, Random& random);

  Result<void> load(const std::function<void(const queues::QueueRecord&)>& queue,
                    const std::function<void(const queues::ScheduleRecord&)>& schedule,
                    const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job) override;
  Result<void> find(queues::QueueNumber queue, std::span<const std::uint64_t> sequences,
                    const std::function<void(const queues::JobRow&)>& job) override;
  Result<void> commit(const queues::LedgerBatch& batch, queues::Durability durability) override;
  std::optional<Error> write_failure() const override;

 private:
  PostgresJobLedger(ConnectionUrl url, const Options& options, const Clock& clock, Random& random)
      : options_(options), connector_(std::move(url), options, clock, random) {}
  Result<void> prepare();
  /// Connects and holds the jobs again when the session is gone.
  Result<void> ensure_session(Monotonic deadline);
  Result<void> hold(Session& session, Monotonic deadline);
  Result<void> read(Session& session, const std::function<void(const queues::QueueRecord&)>& queue,
                    const std::function<void(const queues::ScheduleRecord&)>& schedule,
                    const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job);
  Error lose_hold();
  Monotonic in(std::chrono::milliseconds time) const { return connector_.clock().monotonic() + time; }

  const Options options_;
  Connector connector_;
  std::optional<Session> session_;  // holds the jobs
  std::optional<std::int64_t> epoch_;
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;  // guarded by failure_mutex_
};

}  // namespace scoreline::postgres
