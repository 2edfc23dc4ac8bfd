// The inner loops over arrays of 64-bit keys: plain C++ everywhere, AVX2 where the processor has it (asked once).
#pragma once

#include <cstdint>

namespace scoreline::ordered {

/// How many of keys[0..n) are below `key`, and how many equal it.
struct KeyCounts {
  std::uint32_t below = 0;
  std::uint32_t equal = 0;
};
KeyCounts count_keys(const std::int64_t* keys, std::uint32_t n, std::int64_t key);

/// places[i] = how many of keys[0..n) are below keys[i]. n ≤ 255.
void place_keys(const std::int64_t* keys, std::uint32_t n, std::uint8_t* places);

}  // namespace scoreline::ordered
