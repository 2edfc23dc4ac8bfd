#include "ordered/member_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace scoreline::ordered {
namespace {

/// Leaves that know the hashes of their members, as the tree does.
class Leaves final : public MemberHashes {
 public:
  void append_hashes(std::uint32_t leaf, std::uint8_t tag, std::vector<std::uint64_t>& out) const override {
    const auto at = hashes.find(leaf);
    if (at == hashes.end()) return;
    for (const std::uint64_t hash : at->second) {
      if (static_cast<std::uint8_t>(hash) == tag) out.push_back(hash);
    }
  }
  void expect(std::uint32_t) const override {}

  std::map<std::uint32_t, std::vector<std::uint64_t>> hashes;
};

TEST(MemberTable, FindsMovesAndErasesAcrossManySplits) {
  constexpr std::size_t kMembers = 60'000;
  std::mt19937_64 random(1);
  Leaves leaves;
  MemberTable table;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  for (std::size_t i = 0; i < kMembers; ++i) {
    const std::uint64_t hash = random();
    const auto leaf = static_cast<std::uint32_t>(i / 40);
    table.insert(hash, leaf, leaves);
    leaves.hashes[leaf].push_back(hash);
    all.emplace_back(hash, leaf);
    if (i % 5000 == 0) table.check();
  }
  table.check();
  EXPECT_EQ(table.size(), kMembers);
  for (auto& [hash, leaf] : all) {
    ASSERT_EQ(table.find(hash, [&, wanted = leaf](std::uint32_t id) { return id == wanted; }), leaf);
    table.move(hash, leaf, leaf + 10'000);
    leaf += 10'000;
  }
  for (const auto& [hash, leaf] : all) {
    ASSERT_EQ(table.find(hash, [&, wanted = leaf](std::uint32_t id) { return id == wanted; }), leaf);
    table.erase(hash, leaf);
  }
  table.check();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.probable(all[0].first), kNoLeaf);
}

TEST(MemberTable, SplitsWhereManyMembersOfOneLeafHaveOneTag) {
  Leaves leaves;
  MemberTable table;
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 4000; ++i) {  // eight tags and three leaves in all
    const std::uint64_t hash = (random() & ~std::uint64_t{0xFFFF}) | (i % 8 * 8191);
    const auto leaf = static_cast<std::uint32_t>(i % 3);
    table.insert(hash, leaf, leaves);
    leaves.hashes[leaf].push_back(hash);
    hashes.push_back(hash);
  }
  table.check();
  for (std::uint64_t i = 0; i < hashes.size(); ++i) table.erase(hashes[i], static_cast<std::uint32_t>(i % 3));
  table.check();
  EXPECT_EQ(table.size(), 0u);
}

TEST(MemberTable, HasRoomForWhatWasExpected) {
  Leaves leaves;
  MemberTable table(100'000);
  const std::size_t at_first = table.memory_bytes();
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < 50'000; ++i) table.insert(random(), 1, leaves);  // a split would find no hashes, and stop
  table.check();
  EXPECT_GE(at_first, 50'000u * 5);
}

}  // namespace
}  // namespace scoreline::ordered
