// A redis-server started for a benchmark, and a blocking connection to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scoreline::bench {

/// Requests in the Redis protocol, one after the other, to be sent as one pipeline.
class Pipeline {
 public:
  void add(std::initializer_list<std::string_view> words);
  void begin(std::size_t words);
  void word(std::string_view text);

  std::size_t commands() const { return commands_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t commands_ = 0;
};

class RedisServer {
 public:
  /// Starts `program` without persistence, listening on a Unix socket in a new scratch folder only.
  explicit RedisServer(const std::string& program);
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  bool running() const { return socket_ >= 0; }
  /// Sends and receives at once; the replies are checked for errors. Each one's integer, 0 for other kinds.
  std::vector<std::int64_t> run(const Pipeline& pipeline);
  /// One command with a bulk reply.
  std::string ask(std::initializer_list<std::string_view> words);
  /// CPU seconds of its main thread up to now.
  double cpu_seconds() const;

 private:
  void receive();
  std::string take_line();
  std::int64_t take_reply(std::string* text);

  std::string folder_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::string incoming_;
  std::size_t taken_ = 0;
};

}  // namespace scoreline::bench
