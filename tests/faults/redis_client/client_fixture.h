// A client of a real server, and short words to use it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/url.h"
#include "support/loopback.h"
#include "support/redis_admin.h"
#include "support/redis_server.h"
#include "support/redis_words.h"

namespace scoreline::redis {

using test::eventually;

class ClientTest : public testing::Test {
 protected:
  std::unique_ptr<Client> client_of(const std::string& url, ClientOptions options = {}) {
    return open_client(parse_url(url).value(), options, clock, random).value();
  }
  std::unique_ptr<Client> client_of(const test::RedisServer& server, ClientOptions options = {}) {
    return client_of("redis://127.0.0.1:" + std::to_string(server.port()), options);
  }

  static Result<Reply> run(Client& client, const std::string& words) { return test::run_words(client, words); }

  /// The text of the reply, or the error as `code: detail`.
  static std::string said(const Result<Reply>& reply) {
    if (!reply) return std::string(traits(reply.error().code).name) + ": " + reply.error().detail;
    switch (reply->kind) {
      case Reply::Kind::nil: return "nil";
      case Reply::Kind::integer: return std::to_string(reply->integer);
      default: return reply->text;
    }
  }
  static std::string say(Client& client, const std::string& words) { return said(run(client, words)); }

  SystemClock clock;
  SeededRandom random{system_seed()};
};

#define EXPECT_CODE(expected, reply)                          \
  do {                                                        \
    const auto reply_ = (reply);                              \
    ASSERT_FALSE(reply_) << said(reply_);                     \
    EXPECT_EQ(reply_.error().code, expected) << said(reply_); \
  } while (false)

}  // namespace scoreline::redis
