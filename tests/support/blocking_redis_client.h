// A Client of one server and one connection, as plain as can be: it waits for every answer. What is tested on top of it
// needs nothing more, and a test can see and change what goes out.
//
// Thread safety: any thread; one call at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "adapters/redis/client.h"

struct redisContext;

namespace scoreline::test {

class BlockingRedisClient final : public redis::Client {
 public:
  explicit BlockingRedisClient(int port) : port_(port) {}
  ~BlockingRedisClient() override;

  Result<std::vector<redis::Reply>> run(std::span<const redis::Command> commands) override;
  Result<std::vector<redis::Reply>> run(std::span<const redis::ScriptCall> calls) override;
  Result<redis::ServerInfo> server_of(std::string_view key) override;

  /// One command outside of what is tested; words separated by spaces.
  redis::Reply command(const std::string& words);
  redis::Reply command(std::vector<std::string> words);

  /// Called before each run of scripts.
  void before_scripts(std::function<void()> call) { before_scripts_ = std::move(call); }

 private:
  Result<void> connect();
  Result<std::vector<redis::Reply>> exchange(const std::vector<std::vector<std::string>>& commands);

  int port_;
  std::recursive_mutex mutex_;
  redisContext* connection_ = nullptr;
  redis::ServerInfo server_;
  std::function<void()> before_scripts_;
};

}  // namespace scoreline::test
