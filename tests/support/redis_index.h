// A RedisRankIndex over its client, as one node of several has them, and the programs it is tried on.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_rank_index.h"
#include "adapters/redis/url.h"
#include "base/clock.h"
#include "base/random.h"
#include "support/redis_server.h"
#include "support/redis_words.h"

namespace scoreline::test {

/// A parameter of tests that are the same on both.
enum class Program { redis, valkey };

inline std::string name_of(Program program) { return program == Program::redis ? "redis" : "valkey"; }
inline void PrintTo(Program program, std::ostream* out) { *out << name_of(program); }
/// Empty when it is not on this machine.
inline std::string path_of(Program program) {
  return program == Program::redis ? "redis-server" : RedisServer::valkey();
}

/// At the beginning of a test or of its SetUp: a machine without the program skips it, and says so.
#define SKIP_UNLESS_INSTALLED(program)                                                    \
  do {                                                                                    \
    if (::scoreline::test::path_of(program).empty()) {                                    \
      GTEST_SKIP() << ::scoreline::test::name_of(program) << " is not here: ./dev setup"; \
    }                                                                                     \
  } while (false)

/// One node: its own connections, its own memory of what it saw.
struct RedisNode {
  explicit RedisNode(const std::string& url, redis::RankIndexOptions options = {.epoch = "ledger"},
                     redis::ClientOptions client_options = {})
      : client(redis::open_client(redis::parse_url(url).value(), client_options, clock, random).value()),
        index(redis::RedisRankIndex::open(*client, std::move(options), clock, random).value()) {}
  explicit RedisNode(int port) : RedisNode("redis://127.0.0.1:" + std::to_string(port)) {}

  /// One command outside of what is tested; words separated by spaces.
  redis::Reply command(const std::string& words) { return run_words(*client, words).value(); }

  SystemClock clock;
  SeededRandom random{system_seed()};
  std::unique_ptr<redis::Client> client;
  std::unique_ptr<redis::RedisRankIndex> index;
};

}  // namespace scoreline::test
