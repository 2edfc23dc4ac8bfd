// A RedisRankIndex over a server that the whole test program shares, started when first asked for.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/redis/redis_rank_index.h"
#include "base/clock.h"
#include "base/random.h"
#include "support/blocking_redis_client.h"
#include "support/redis_server.h"

namespace scoreline::test {

/// One node: its own connection, its own memory of what it saw.
struct RedisNode {
  explicit RedisNode(int port, redis::RankIndexOptions options = {}, std::uint64_t seed = system_seed())
      : client(port), random(seed) {
    if (options.epoch.empty()) options.epoch = "ledger";
    index = redis::RedisRankIndex::open(client, options, clock, random).value();
  }

  BlockingRedisClient client;
  SystemClock clock;
  SeededRandom random;
  std::unique_ptr<redis::RedisRankIndex> index;
};

inline const char* valkey_program() { return std::getenv("SCORELINE_VALKEY_SERVER"); }

}  // namespace scoreline::test
