#include "app/backing.h"

#include <string_view>
#include <utility>

#include "adapters/memory/memory_rank_index.h"
#include "adapters/postgres/postgres_ledger.h"
#include "adapters/redis/redis_rank_index.h"
#include "adapters/redis/url.h"
#include "adapters/sqlite/sqlite_ledger.h"

namespace scoreline::app {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

Error about(Error error, std::string_view field) {
  if (error.code == Code::usage) error.field = field;
  return error;
}

/// Opens the ledger into `backing`. Returns what names it and its history.
Result<std::string> open_ledger(const std::string& data, const std::string& url, const Clock& clock, Random& random,
                                Backing& backing) {
  if (is_postgres_ledger(url)) {
    auto opened = postgres::PostgresLedger::open(url, {}, clock, random);
    if (!opened) return fail(about(std::move(opened).error(), "ledger"));
    postgres::PostgresLedger& ledger = **opened;
    backing.notes = ledger.notes();
    backing.shared = &ledger;
    backing.ledger = *std::move(opened);
    backing.dead_letters = ledger.dead_letters();
    return ledger.identity();
  }
  if (!url.empty() && !url.starts_with(kSqlite)) {
    return fail(Code::usage, "must be sqlite:FOLDER or postgresql://…", "ledger");
  }
  const std::string folder = embedded_folder(data, url);
  if (folder.empty()) return fail(Code::usage, "must name the folder of the ledger", url.empty() ? "data" : "ledger");
  auto opened = sqlite::SqliteLedger::open(folder);
  if (!opened) return fail(std::move(opened).error());
  sqlite::SqliteLedger& ledger = **opened;
  backing.notes = ledger.notes();
  backing.ledger = *std::move(opened);
  auto dead_letters = ledger.open_dead_letters();
  if (!dead_letters) return fail(std::move(dead_letters).error());
  backing.dead_letters = *std::move(dead_letters);
  return std::string();
}

}  // namespace

bool is_postgres_ledger(const std::string& ledger) {
  return ledger.starts_with("postgresql://") || ledger.starts_with("postgres://");
}

std::string embedded_folder(const std::string& data, const std::string& ledger) {
  return ledger.starts_with(kSqlite) ? ledger.substr(kSqlite.size()) : data;
}

bool is_shared_index(const std::string& index) { return !index.empty() && index != "memory:"; }

Result<Backing> open_backing(const std::string& data, const std::string& ledger, const std::string& index,
                             const Clock& clock, Random& random) {
  Backing backing;
  const bool in_memory = !is_shared_index(index);
  const auto url = in_memory ? Result<redis::Url>() : redis::parse_url(index);
  if (!url) return fail(about(url.error(), "index"));
  const auto identity = open_ledger(data, ledger, clock, random, backing);
  if (!identity) return fail(identity.error());
  if (in_memory != identity->empty()) {
    return in_memory ? fail(Code::usage,
                            "several processes may share this ledger, so the boards must be shared too: redis://…, "
                            "rediss://…, redis-sentinel://… or redis-cluster://…",
                            "index")
                     : fail(Code::usage, "a shared index needs a ledger that is shared too: postgresql://…", "ledger");
  }
  if (in_memory) {
    backing.index = std::make_unique<memory::MemoryRankIndex>(random.bits());
    return backing;
  }
  auto client = redis::open_client(*url, {}, clock, random);
  if (!client) return fail(about(std::move(client).error(), "index"));
  backing.redis = *std::move(client);
  auto opened = redis::RedisRankIndex::open(*backing.redis, {.epoch = *identity}, clock, random);
  if (!opened) return fail(about(std::move(opened).error(), "index"));
  backing.follow_ledger = [&index = **opened](std::string epoch) { index.set_epoch(std::move(epoch)); };
  backing.index = *std::move(opened);
  return backing;
}

Backing back_with(std::unique_ptr<leaderboards::Ledger> ledger, Random& random) {
  Backing backing;
  backing.ledger = std::move(ledger);
  backing.index = std::make_unique<memory::MemoryRankIndex>(random.bits());
  return backing;
}

}  // namespace scoreline::app
