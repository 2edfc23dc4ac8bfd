// The contract on real servers: Redis and Valkey, alone, in a cluster and behind sentinels.
#include <gtest/gtest.h>

#include "contract/rank_index/rank_index_order_contract.h"
#include "support/loaded_index.h"
#include "support/redis_cluster.h"
#include "support/redis_index.h"
#include "support/redis_sentinels.h"

namespace scoreline::test {
namespace {

using Index = std::unique_ptr<leaderboards::RankIndex>;

Index new_node(const std::string& url) {
  const auto node = std::make_shared<RedisNode>(url);
  return std::make_unique<LoadedIndex>(std::shared_ptr<leaderboards::RankIndex>(node, node->index.get()));
}

/// One server for all tests, emptied for each.
template <Program program>
Index on_server() {
  if (path_of(program).empty()) return nullptr;
  static const RedisServer server(path_of(program));
  say_to(server.port(), "FLUSHALL");
  return new_node("redis://127.0.0.1:" + std::to_string(server.port()));
}

template <Program program>
Index on_cluster() {
  if (path_of(program).empty()) return nullptr;
  static RedisCluster cluster(path_of(program));
  for (std::size_t i = 0; i < RedisCluster::kMasters; ++i) cluster.must_say_ok(i, "FLUSHALL");
  return new_node(cluster.url());
}

template <Program program>
Index behind_sentinels() {
  if (path_of(program).empty()) return nullptr;
  static RedisSentinels servers(path_of(program));
  say_to(servers.master().port(), "FLUSHALL");
  return new_node(servers.url() + "/lb");
}

INSTANTIATE_TEST_SUITE_P(Redis, RankIndexContract,
                         testing::Values(IndexUnderTest{"redis", &on_server<Program::redis>},
                                         IndexUnderTest{"valkey", &on_server<Program::valkey>},
                                         IndexUnderTest{"redis_cluster", &on_cluster<Program::redis>},
                                         IndexUnderTest{"valkey_cluster", &on_cluster<Program::valkey>},
                                         IndexUnderTest{"redis_sentinel", &behind_sentinels<Program::redis>},
                                         IndexUnderTest{"valkey_sentinel", &behind_sentinels<Program::valkey>}),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Redis, RankIndexOrderContract,
                         testing::Values(IndexUnderTest{"redis", &on_server<Program::redis>},
                                         IndexUnderTest{"valkey", &on_server<Program::valkey>},
                                         IndexUnderTest{"redis_cluster", &on_cluster<Program::redis>}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::test
