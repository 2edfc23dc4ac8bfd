#include "app/job_backing.h"

#include <utility>

#include "adapters/postgres/postgres_job_ledger.h"
#include "adapters/redis/redis_job_store.h"
#include "adapters/redis/url.h"
#include "adapters/sqlite/sqlite_job_ledger.h"
#include "app/backing.h"
#include "queues/embedded_job_store.h"

namespace scoreline::app {
namespace {

Result<JobBacking> embedded(std::unique_ptr<queues::JobLedger> ledger, bool may_be_taken, const Clock& clock,
                            Random& random) {
  auto store = queues::EmbeddedJobStore::open(ledger.get(), clock, random);
  if (!store) return fail(std::move(store.error()));
  return JobBacking{nullptr, std::move(ledger), may_be_taken, *std::move(store)};
}

Result<JobBacking> open_sqlite(const std::string& folder, const Clock& clock, Random& random) {
  auto ledger = sqlite::SqliteJobLedger::open(folder);
  if (!ledger) return fail(std::move(ledger.error()));
  return embedded(*std::move(ledger), false, clock, random);
}

Result<JobBacking> open_postgres(const std::string& url, const Clock& clock, Random& random) {
  auto ledger = postgres::PostgresJobLedger::open(url, {}, clock, random);
  if (!ledger) return fail(std::move(ledger.error()));
  return embedded(*std::move(ledger), true, clock, random);
}

Result<JobBacking> open_redis(const redis::Url& url, const Clock& clock, Random& random) {
  auto client = redis::open_client(url, {}, clock, random);
  if (!client) return fail(std::move(client.error()));
  auto store = redis::RedisJobStore::open(**client, {}, clock, random);
  if (!store) return fail(std::move(store.error()));
  return JobBacking{*std::move(client), nullptr, false, *std::move(store)};
}

}  // namespace

Result<OpenJobs> job_backing(const std::string& data, const std::string& ledger, const std::string& queues,
                             const Clock& clock, Random& random) {
  if (!queues.empty() && queues != "ledger:") {
    auto url = redis::parse_url(queues);
    if (!url) {
      return fail(Code::usage, "must be ledger:, redis://…, rediss://…, redis-sentinel://…/NAME or redis-cluster://…",
                  "queues");
    }
    return [url = *std::move(url), &clock, &random] { return open_redis(url, clock, random); };
  }
  if (is_postgres_ledger(ledger)) return [ledger, &clock, &random] { return open_postgres(ledger, clock, random); };
  return [folder = embedded_folder(data, ledger), &clock, &random] { return open_sqlite(folder, clock, random); };
}

OpenJobs jobs_in_memory(const Clock& clock, Random& random) {
  return [&clock, &random] { return embedded(nullptr, false, clock, random); };
}

}  // namespace scoreline::app
