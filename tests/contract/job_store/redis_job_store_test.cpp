// The store on Redis and Valkey: a server, a cluster, sentinels, each with its promise at its strongest.
#include "adapters/redis/redis_job_store.h"

#include <algorithm>

#include "adapters/redis/url.h"
#include "contract/job_store/job_store_contract.h"
#include "support/redis_cluster.h"
#include "support/redis_index.h"
#include "support/redis_sentinels.h"

namespace scoreline::queues {
namespace {

using test::Program;

/// One process over a server that all tests share; each has a prefix of its own.
class OnRedis final : public JobStoreHarness {
 public:
  explicit OnRedis(const std::string& url)
      : client_(redis::open_client(redis::parse_url(url).value(), {}, clock_, random_).value()) {
    open();
  }
  JobStore& store() override { return *store_; }
  bool reopen() override {
    open();
    return true;
  }

 private:
  void open() {
    store_.reset();
    store_ = redis::RedisJobStore::open(*client_, {.key_prefix = prefix_}, clock_, random_).value();
  }

  static int next_number() {
    static int number = 0;
    return ++number;
  }

  SystemClock clock_;
  SeededRandom random_{system_seed()};
  std::string prefix_ = "test" + std::to_string(next_number()) + ":queue";
  std::unique_ptr<redis::Client> client_;
  std::unique_ptr<JobStore> store_;
};

template <Program program>
std::unique_ptr<JobStoreHarness> on_server() {
  static const test::RedisServer server(test::path_of(program), {"--appendonly", "yes", "--appendfsync", "always"});
  return std::make_unique<OnRedis>("redis://127.0.0.1:" + std::to_string(server.port()));
}

template <Program program>
std::unique_ptr<JobStoreHarness> on_cluster() {
  static test::RedisCluster* const cluster = [] {
    auto* const made = new test::RedisCluster(test::path_of(program));
    for (std::size_t i = 0; i < test::RedisCluster::kMasters; ++i) {
      made->must_say_ok(i, "CONFIG SET appendfsync always");
      made->must_say_ok(i, "CONFIG SET appendonly yes");
    }
    return made;
  }();
  return std::make_unique<OnRedis>(cluster->url());
}

std::unique_ptr<JobStoreHarness> behind_sentinels() {
  static test::RedisSentinels* const servers = [] {
    auto* const made = new test::RedisSentinels;
    for (const char* const setting : {"CONFIG SET appendfsync always", "CONFIG SET appendonly yes"}) {
      test::say_to(made->master().port(), setting);
    }
    return made;
  }();
  return std::make_unique<OnRedis>(servers->url() + "/lb");
}

std::vector<JobStoreMaker> makers() {
  std::vector<JobStoreMaker> all = {JobStoreMaker{"redis", &on_server<Program::redis>},
                                    JobStoreMaker{"redis_cluster", &on_cluster<Program::redis>},
                                    JobStoreMaker{"redis_sentinel", &behind_sentinels}};
  if (!test::path_of(Program::valkey).empty()) {
    all.push_back(JobStoreMaker{"valkey", &on_server<Program::valkey>});
    all.push_back(JobStoreMaker{"valkey_cluster", &on_cluster<Program::valkey>});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Redis, JobStoreContract, ::testing::ValuesIn(makers()),
                         [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace scoreline::queues
