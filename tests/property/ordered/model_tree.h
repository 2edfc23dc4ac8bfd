// The plain model of a RankTree: two standard containers and no cleverness.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordered/rank_tree.h"

namespace scoreline::ordered {

class ModelTree {
 public:
  std::size_t size() const { return keys_.size(); }

  std::optional<RankKey> key_of(const std::string& member) const {
    const auto at = keys_.find(member);
    return at == keys_.end() ? std::nullopt : std::optional(at->second);
  }
  std::optional<RankKey> upsert(const std::string& member, RankKey key) {
    const auto before = key_of(member);
    if (before) order_.erase({*before, member});
    keys_[member] = key;
    order_.insert({key, member});
    return before;
  }
  bool erase(const std::string& member) {
    const auto before = key_of(member);
    if (before) order_.erase({*before, member});
    return keys_.erase(member) > 0;
  }
  std::uint64_t lower_bound_rank(RankKey key, const std::string& member) const {
    return static_cast<std::uint64_t>(std::distance(order_.begin(), order_.lower_bound({key, member})));
  }
  std::optional<Position> position_of(const std::string& member) const {
    const auto key = key_of(member);
    if (!key) return std::nullopt;
    return Position{lower_bound_rank(*key, member), *key};
  }
  std::optional<Item> pop(Direction direction) {
    if (order_.empty()) return std::nullopt;
    const auto at = direction == Direction::ascending ? order_.begin() : std::prev(order_.end());
    Item item{at->second, at->first};
    erase(item.member);
    return item;
  }
  std::vector<Item> items() const {
    std::vector<Item> all;
    all.reserve(order_.size());
    for (const auto& [key, member] : order_) all.push_back({member, key});
    return all;
  }

 private:
  std::map<std::string, RankKey> keys_;
  std::set<std::pair<RankKey, std::string>> order_;
};

/// All that `source` (a RankTree or a Snapshot) shows, from its first to its last in `direction`.
template <typename Source>
std::vector<Item> items_of(const Source& source, Direction direction = Direction::ascending) {
  std::vector<Item> all;
  source.visit(0, source.size(), direction, [&](std::string_view member, RankKey key) {
    all.push_back({std::string(member), key});
  });
  return all;
}

}  // namespace scoreline::ordered
