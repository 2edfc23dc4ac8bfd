// The contract on real servers: Redis, and Valkey where SCORELINE_VALKEY_SERVER names its program.
#include <gtest/gtest.h>

#include "contract/rank_index/rank_index_contract.h"
#include "support/loaded_index.h"
#include "support/redis_index.h"

namespace scoreline::test {
namespace {

/// A new node on a server that was emptied.
std::unique_ptr<leaderboards::RankIndex> new_node(const RedisServer& server) {
  const auto node = std::make_shared<RedisNode>(server.port());
  node->command("FLUSHALL");
  return std::make_unique<LoadedIndex>(std::shared_ptr<leaderboards::RankIndex>(node, node->index.get()));
}

std::unique_ptr<leaderboards::RankIndex> make_on_redis() {
  static const RedisServer server;
  return new_node(server);
}

std::unique_ptr<leaderboards::RankIndex> make_on_valkey() {
  static const RedisServer server(valkey_program());
  return new_node(server);
}

std::vector<IndexUnderTest> servers() {
  std::vector<IndexUnderTest> servers = {{"redis", &make_on_redis}};
  if (valkey_program() != nullptr) servers.push_back({"valkey", &make_on_valkey});
  return servers;
}

INSTANTIATE_TEST_SUITE_P(Redis, RankIndexContract, testing::ValuesIn(servers()), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::test
