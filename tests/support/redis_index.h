// A RedisRankIndex over its client, as one node of several has them.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_rank_index.h"
#include "adapters/redis/url.h"
#include "base/clock.h"
#include "base/random.h"
#include "support/redis_server.h"
#include "support/redis_words.h"

namespace scoreline::test {

/// One node: its own connection, its own memory of what it saw.
struct RedisNode {
  explicit RedisNode(int port)
      : client(
            redis::open_client(redis::parse_url("redis://127.0.0.1:" + std::to_string(port)).value(), {}, clock, random)
                .value()),
        index(redis::RedisRankIndex::open(*client, {.epoch = "ledger"}, clock, random).value()) {}

  /// One command outside of what is tested; words separated by spaces.
  redis::Reply command(const std::string& words) { return run_words(*client, words).value(); }

  SystemClock clock;
  SeededRandom random{system_seed()};
  std::unique_ptr<redis::Client> client;
  std::unique_ptr<redis::RedisRankIndex> index;
};

inline const char* valkey_program() { return std::getenv("SCORELINE_VALKEY_SERVER"); }

}  // namespace scoreline::test
