// Builds a CountedTree from an ascending stream: leaves one after the other, then the inner levels over them.
//
// Thread safety: none. Cost: one pass; each leaf's members go into the table together, so that their misses overlap.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ordered/counted_tree.h"

namespace scoreline::ordered {

class TreeLoader {
 public:
  TreeLoader(std::uint64_t hash_seed, std::uint64_t expected);
  ~TreeLoader();

  /// (key, member) must be greater than the one before, and the member new: a broken invariant otherwise.
  void add(std::string_view member, RankKey key);
  std::unique_ptr<CountedTree> finish();

 private:
  void close_leaf();
  void build_level(std::uint32_t level);

  std::unique_ptr<CountedTree> tree_;
  std::vector<Child> children_;                          // the finished nodes of the level below
  std::array<std::uint64_t, Leaf::kMaxEntries> hashes_;  // of the entries of the open leaf
  Child open_;
};

}  // namespace scoreline::ordered
