// What jobs live in, chosen by a URL:
//
//   ledger: | redis://… | rediss://… | redis-sentinel://…/NAME | redis-cluster://…
//
// `ledger:` is the store of the ledger of results: jobs.sqlite in the data folder, or the PostgreSQL database, whose
// jobs one process holds at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/redis/client.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "queues/job_ledger.h"
#include "queues/job_store.h"

namespace scoreline::app {

/// Goes last to first.
struct JobBacking {
  std::unique_ptr<redis::Client> redis;       ///< nullptr: jobs are in this process
  std::unique_ptr<queues::JobLedger> ledger;  ///< nullptr: none, or on Redis
  bool may_be_taken = false;                  ///< by another process: once it was, all is to be opened again
  std::unique_ptr<queues::JobStore> store;
};

/// Opens it; may be called again after an error, or when what it opened is gone. Errors: not_ready (another process
/// holds the jobs), those of the ledgers and of the client.
using OpenJobs = std::function<Result<JobBacking>()>;

/// `data` and `ledger` as the engine has them; `queues` empty: `ledger:`. All references must outlive what is opened.
/// Errors: usage, field `queues`.
Result<OpenJobs> job_backing(const std::string& data, const std::string& ledger, const std::string& queues,
                             const Clock& clock, Random& random);

/// Jobs in memory alone.
OpenJobs jobs_in_memory(const Clock& clock, Random& random);

}  // namespace scoreline::app
