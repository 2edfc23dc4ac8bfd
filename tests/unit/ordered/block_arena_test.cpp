#include "ordered/block_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace scoreline::ordered {
namespace {

TEST(BlockArena, KeepsEveryBlockApartAndInItsPlace) {
  constexpr std::size_t kBytes = 192;
  constexpr std::uint32_t kBlocks = 20'000;  // beyond the doubling chunks and several regions
  BlockArena arena(kBytes);
  std::vector<std::byte*> at;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(arena.allocate(), i);
    at.push_back(arena.at(i));
    std::memcpy(at.back(), &i, sizeof(i));
    std::memcpy(at.back() + kBytes - sizeof(i), &i, sizeof(i));
  }
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(arena.at(i), at[i]);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at[i]) % 64, 0u);
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, at[i], sizeof(first));
    std::memcpy(&last, at[i] + kBytes - sizeof(last), sizeof(last));
    ASSERT_EQ(first, i);
    ASSERT_EQ(last, i);
  }
}

TEST(BlockArena, GivesReleasedBlocksOutAgain) {
  BlockArena arena(64);
  for (int i = 0; i < 100; ++i) arena.allocate();
  arena.release(7);
  arena.release(42);
  EXPECT_EQ(arena.blocks_in_use(), 98u);
  EXPECT_EQ((std::set{arena.allocate(), arena.allocate()}), (std::set{7u, 42u}));
  EXPECT_EQ(arena.allocate(), 100u);
}

}  // namespace
}  // namespace scoreline::ordered
