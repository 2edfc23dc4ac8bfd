#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>

#include "ordered/rank_tree.h"

namespace scoreline::ordered {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::size_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file != nullptr) {
    EXPECT_EQ(std::fscanf(file, "%*u %lu", &pages), 1);
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string member(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "player:" + std::string(8 - digits.size(), '0') + digits;
}

/// Points of 0..2 million and a time within 90 days, as the `wide` key of a board.
RankKey season_key(std::mt19937_64& random) {
  return {Uint128{random() % 2'000'000} << 48 | (13'443'840'000'000 + random() % 7'776'000'000)};
}

TEST(RankTreeMemory, ABoardOfTenTakesAtMost200Bytes) {
  std::mt19937_64 random(1);
  for (int board = 0; board < 100; ++board) {
    RankTree tree(1);
    while (tree.size() < 10) tree.upsert(member(random() % 10'000'000), season_key(random));
    tree.check();
    EXPECT_LE(tree.memory_bytes(), 176u);  // with what malloc adds, at most 200
  }
}

TEST(RankTreeMemory, ALargeBoardTakesAtMost60BytesAMemberAfterChurn) {
  constexpr std::size_t kMembers = 100'000;
  std::mt19937_64 random(2);
  RankTree tree(1);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kMembers; ++i) tree.upsert(member(i), season_key(random));
  }
  tree.check();
  EXPECT_LE(tree.memory_bytes() / kMembers, 48u);
}

TEST(RankTreeMemory, GoesBackToTheSystemWhenALargeBoardGoes) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps freed memory";
  constexpr std::size_t kMembers = 300'000;
  std::mt19937_64 random(3);
  RankTree tree(1);
  const std::size_t before = resident_bytes();
  for (std::size_t i = 0; i < kMembers; ++i) tree.upsert(member(i), season_key(random));
  const std::size_t full = resident_bytes();
  ASSERT_GT(full, before + kMembers * 25);
  tree.clear();
  EXPECT_LT(resident_bytes(), before + (full - before) / 5);

  for (std::size_t i = 0; i < kMembers; ++i) tree.upsert(member(i), season_key(random));
  tree.pop(kMembers, Direction::ascending, [](std::string_view, RankKey) {});  // drained instead of cleared
  EXPECT_LT(resident_bytes(), before + (full - before) / 5);
}

}  // namespace
}  // namespace scoreline::ordered
