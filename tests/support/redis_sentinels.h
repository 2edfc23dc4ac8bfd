// A master, its replica, and three sentinels that watch them under the name `lb`.
//
// Thread safety: none.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/redis_admin.h"
#include "support/redis_server.h"

namespace scoreline::test {

class RedisSentinels {
 public:
  explicit RedisSentinels(const std::string& program = "redis-server") : master_(program) {
    const std::string port = std::to_string(master_.port());
    replica_.emplace(program,
                     std::vector<std::string>{"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0"});
    const std::string settings = "sentinel monitor lb 127.0.0.1 " + port +
                                 " 2\nsentinel down-after-milliseconds lb 500\nsentinel failover-timeout lb 3000\n";
    for (auto& sentinel : sentinels_) sentinel.emplace(program, std::vector<std::string>{"--sentinel"}, settings);
    if (!eventually([&] { return say_to(master_.port(), "WAIT 1 100") == "1"; }) ||
        !eventually([&] { return know_each_other(); })) {
      throw std::runtime_error("the sentinels do not come up");
    }
  }

  /// Without the master's name.
  std::string url() const {
    std::string url = "redis-sentinel://";
    for (const auto& sentinel : sentinels_) {
      url += (url.ends_with('/') ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(sentinel->port());
    }
    return url;
  }
  RedisServer& master() { return master_; }
  RedisServer& replica() { return *replica_; }
  RedisServer& sentinel(std::size_t i) { return *sentinels_[i]; }
  std::size_t size() const { return sentinels_.size(); }

 private:
  /// Without the replica and the two others a sentinel does not fail over.
  bool know_each_other() const {
    for (const auto& sentinel : sentinels_) {
      const auto words = ask_server(sentinel->port(), {"SENTINEL", "master", "lb"}).elements;
      const auto value = [&](std::string_view name) {
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
          if (words[i].text == name) return words[i + 1].text;
        }
        return std::string();
      };
      if (value("num-slaves") != "1" || value("num-other-sentinels") != "2") return false;
    }
    return true;
  }

  RedisServer master_;
  std::optional<RedisServer> replica_;
  std::array<std::optional<RedisServer>, 3> sentinels_;
};

}  // namespace scoreline::test
