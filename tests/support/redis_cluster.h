// Three masters of a Redis or Valkey cluster that share the slots in order, and a spare node to become a replica.
//
// Thread safety: none.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/redis/slots.h"
#include "support/loopback.h"
#include "support/redis_admin.h"
#include "support/redis_server.h"

namespace scoreline::test {

class RedisCluster {
 public:
  static constexpr std::size_t kMasters = 3;
  static constexpr std::size_t kSpare = kMasters;

  explicit RedisCluster(const std::string& program = "redis-server") {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      bus_ports_[i] = free_port();
      nodes_[i].emplace(program, std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
                                                          "--cluster-port", std::to_string(bus_ports_[i]),
                                                          "--repl-diskless-sync-delay", "0",
                                                          "--cluster-replica-validity-factor", "0"});
      ids_[i] = say(i, "CLUSTER MYID");
    }
    for (std::size_t i = 0; i < kMasters; ++i) {
      const auto first = redis::kSlots * i / kMasters, last = redis::kSlots * (i + 1) / kMasters - 1;
      must_say_ok(i, "CLUSTER ADDSLOTSRANGE " + std::to_string(first) + " " + std::to_string(last));
      must_say_ok(i, "CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1));
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      must_say_ok(0,
                  "CLUSTER MEET 127.0.0.1 " + std::to_string(nodes_[i]->port()) + " " + std::to_string(bus_ports_[i]));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!eventually([&] { return say(i, "CLUSTER INFO").find("cluster_state:ok") != std::string::npos; })) {
        throw std::runtime_error("the cluster does not come up");
      }
    }
  }

  std::string url() const {
    return "redis-cluster://127.0.0.1:" + std::to_string(nodes_[0]->port()) +
           ",127.0.0.1:" + std::to_string(nodes_[1]->port());
  }
  RedisServer& node(std::size_t i) { return *nodes_[i]; }
  const std::string& id(std::size_t i) const { return ids_[i]; }
  /// Who owned the key's slot at the start.
  static std::size_t owner_of(std::string_view key) { return redis::slot_of(key) * kMasters / redis::kSlots; }

  /// One command to one node, outside of what is tested.
  std::string say(std::size_t node, const std::string& words) const { return say_to(nodes_[node]->port(), words); }
  void must_say_ok(std::size_t node, const std::string& words) const {
    if (const auto said = say(node, words); said != "OK") throw std::runtime_error(words + ": " + said);
  }

  /// Makes the spare node a replica that has everything the master has. False when it does not become one.
  bool replicate(std::size_t master) const {
    return eventually([&] { return say(kSpare, "CLUSTER REPLICATE " + ids_[master]) == "OK"; }) &&
           eventually([&] { return say(kSpare, "INFO replication").find("link_status:up") != std::string::npos; });
  }

  /// The slot's keys go from node to node one after the other, as redis-cli --cluster reshard does it. `between` is
  /// called once the move has begun, and after each key.
  template <typename Between>
  void move_slot(std::uint16_t slot, std::size_t from, std::size_t to, Between between) const {
    const std::string number = std::to_string(slot);
    must_say_ok(to, "CLUSTER SETSLOT " + number + " IMPORTING " + ids_[from]);
    must_say_ok(from, "CLUSTER SETSLOT " + number + " MIGRATING " + ids_[to]);
    between();
    for (;;) {
      const auto keys = ask_server(nodes_[from]->port(), {"CLUSTER", "GETKEYSINSLOT", number, "1"}).elements;
      if (keys.empty()) break;
      const auto moved = ask_server(nodes_[from]->port(), {"MIGRATE", "127.0.0.1", std::to_string(nodes_[to]->port()),
                                                           keys.front().text, "0", "5000"});
      if (moved.text != "OK" && moved.text != "NOKEY") throw std::runtime_error("MIGRATE: " + moved.text);
      between();
    }
    for (const std::size_t node : {to, from}) must_say_ok(node, "CLUSTER SETSLOT " + number + " NODE " + ids_[to]);
  }

 private:
  std::array<int, kMasters + 1> bus_ports_{};
  std::array<std::optional<RedisServer>, kMasters + 1> nodes_;
  std::array<std::string, kMasters + 1> ids_;
};

}  // namespace scoreline::test
