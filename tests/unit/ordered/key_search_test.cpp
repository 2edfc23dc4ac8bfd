#include "ordered/key_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

namespace scoreline::ordered {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

class EveryKernel : public ::testing::TestWithParam<const KeyKernels*> {};

TEST_P(EveryKernel, CountsKeysBelowAndEqual) {
  std::mt19937_64 random(1);
  for (std::uint32_t n = 0; n <= 60; ++n) {
    std::vector<std::int64_t> keys(n);
    for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random() % 9) - 4;
    if (n > 2) keys[0] = kLowest;
    if (n > 3) keys[1] = kHighest;
    for (const std::int64_t wanted : {kLowest, std::int64_t{-5}, std::int64_t{0}, std::int64_t{4}, kHighest}) {
      const KeyCounts counts = GetParam()->count(keys.data(), n, wanted);
      EXPECT_EQ(counts.below, std::count_if(keys.begin(), keys.end(), [&](auto key) { return key < wanted; }));
      EXPECT_EQ(counts.equal, std::count(keys.begin(), keys.end(), wanted));
    }
  }
}

TEST_P(EveryKernel, CountsThoseBelowAmong32Ascending) {
  std::array<std::int64_t, 32> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i / 2) * 10;
  keys[0] = kLowest;
  keys[31] = kHighest;
  EXPECT_EQ(GetParam()->count_below_32(keys.data(), kLowest), 0u);
  EXPECT_EQ(GetParam()->count_below_32(keys.data(), 0), 1u);
  EXPECT_EQ(GetParam()->count_below_32(keys.data(), 1), 2u);
  EXPECT_EQ(GetParam()->count_below_32(keys.data(), 70), 14u);
  EXPECT_EQ(GetParam()->count_below_32(keys.data(), kHighest), 31u);
}

TEST_P(EveryKernel, PlacesEachValueByHowManyAreBelow) {
  std::mt19937_64 random(2);
  for (std::uint32_t n = 0; n <= kMaxPlaced; ++n) {
    std::array<std::int16_t, kMaxPlaced> values{};
    std::array<std::int16_t, kMaxPlaced> places{};
    for (std::uint32_t i = 0; i < n; ++i) values[i] = static_cast<std::int16_t>(random() % 40 * 800);
    GetParam()->place(values.data(), n, places.data());
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_EQ(places[i], std::count_if(values.begin(), values.begin() + n, [&](auto v) { return v < values[i]; }));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, ::testing::Values(&kPlainKernels, &kKernels),
                         [](const auto& kernels) { return kernels.index == 0 ? "plain" : "best"; });

}  // namespace
}  // namespace scoreline::ordered
