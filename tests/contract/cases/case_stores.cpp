#include "contract/cases/case_stores.h"

#include <utility>

#include "adapters/memory/memory_rank_index.h"
#include "adapters/postgres/postgres_ledger.h"
#include "adapters/sqlite/sqlite_ledger.h"
#include "support/postgres_server.h"
#include "support/redis_admin.h"
#include "support/redis_cluster.h"
#include "support/redis_index.h"
#include "support/scratch_folder.h"

namespace scoreline::test {
namespace {

class SqliteAndMemory final : public Stores {
 public:
  leaderboards::Ledger& truth() override { return *ledger_; }
  std::shared_ptr<leaderboards::RankIndex> new_index(Random& random, const Clock&) override {
    index_ = std::make_shared<memory::MemoryRankIndex>(random.bits());
    return index_;
  }
  std::size_t boards() const override { return index_->boards(); }

 private:
  ScratchFolder folder_;
  std::unique_ptr<sqlite::SqliteLedger> ledger_ = sqlite::SqliteLedger::open(folder_.path() / "data").value();
  std::shared_ptr<memory::MemoryRankIndex> index_;
};

const PostgresServer& postgres_server() {
  static const PostgresServer server;
  return server;
}

/// Where the boards are: which keys there are, and the end of them all.
struct SharedBoards {
  std::string url;
  std::vector<int> masters;  ///< ports
};

class PostgresAndRedis final : public Stores {
 public:
  explicit PostgresAndRedis(SharedBoards boards) : boards_(std::move(boards)) { flush(); }

  leaderboards::Ledger& truth() override { return *ledger_; }
  std::shared_ptr<leaderboards::RankIndex> new_index(Random&, const Clock& clock) override {
    const auto node = std::make_shared<RedisNode>(
        boards_.url, redis::RankIndexOptions{.epoch = ledger_->identity().value(), .calendar_clock = &clock});
    return {node, node->index.get()};
  }
  /// Every board that was ever loaded has one key of a kind that the empty ones have, too.
  std::size_t boards() const override {
    std::size_t count = 0;
    for (const int port : boards_.masters) count += ask_server(port, {"KEYS", "lb:*}:meta"}).elements.size();
    return count;
  }
  bool lose_boards() override {
    flush();
    return true;
  }

 private:
  void flush() const {
    for (const int port : boards_.masters) ask_server(port, {"FLUSHALL"});
  }

  SharedBoards boards_;
  SystemClock clock_;
  SeededRandom random_{system_seed()};
  std::unique_ptr<postgres::PostgresLedger> ledger_ =
      postgres::PostgresLedger::open(new_schema_url(postgres_server()), {}, clock_, random_).value();
};

bool has_servers(const std::string& program) {
  return !PostgresServer::programs().empty() && !program.empty() && RedisServer::installed(program);
}

template <Program program>
std::unique_ptr<Stores> postgres_and_server() {
  if (!has_servers(path_of(program))) return nullptr;
  static const RedisServer server(path_of(program));
  return std::make_unique<PostgresAndRedis>(
      SharedBoards{"redis://127.0.0.1:" + std::to_string(server.port()), {server.port()}});
}

}  // namespace

std::unique_ptr<Stores> model_and_memory() { return std::make_unique<ModelStores>(); }
std::unique_ptr<Stores> sqlite_and_memory() { return std::make_unique<SqliteAndMemory>(); }
std::unique_ptr<Stores> postgres_and_redis() { return postgres_and_server<Program::redis>(); }
std::unique_ptr<Stores> postgres_and_valkey() { return postgres_and_server<Program::valkey>(); }

std::unique_ptr<Stores> postgres_and_redis_cluster() {
  if (!has_servers(path_of(Program::redis))) return nullptr;
  static RedisCluster cluster(path_of(Program::redis));
  SharedBoards boards{cluster.url(), {}};
  for (std::size_t i = 0; i < RedisCluster::kMasters; ++i) boards.masters.push_back(cluster.node(i).port());
  return std::make_unique<PostgresAndRedis>(std::move(boards));
}

}  // namespace scoreline::test
