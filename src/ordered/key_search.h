// The inner loops over arrays of keys: plain C++ everywhere, AVX2 where the processor has it (asked once).
#pragma once

#include <cstdint>

namespace scoreline::ordered {

/// How many of some keys are below one, and how many equal it.
struct KeyCounts {
  std::uint32_t below = 0;
  std::uint32_t equal = 0;
};

inline constexpr std::uint32_t kMaxPlaced = 64;

struct KeyKernels {
  /// How keys[0..n) compare with `key`.
  KeyCounts (*count)(const std::int64_t* keys, std::uint32_t n, std::int64_t key);
  /// How many of the 32 ascending `keys` are below `key`.
  std::uint32_t (*count_below_32)(const std::int64_t* keys, std::int64_t key);
  /// places[i] = how many of values[0..n) are below values[i], for each i < n ≤ kMaxPlaced. Both arrays are kMaxPlaced
  /// long.
  void (*place)(const std::int16_t* values, std::uint32_t n, std::int16_t* places);
};

/// Those that any processor can run.
extern const KeyKernels kPlainKernels;
/// The best that this processor can run.
extern const KeyKernels kKernels;

inline KeyCounts count_keys(const std::int64_t* keys, std::uint32_t n, std::int64_t key) {
  return kKernels.count(keys, n, key);
}
inline std::uint32_t count_below_32(const std::int64_t* keys, std::int64_t key) {
  return kKernels.count_below_32(keys, key);
}
inline void place_values(const std::int16_t* values, std::uint32_t n, std::int16_t* places) {
  kKernels.place(values, n, places);
}

}  // namespace scoreline::ordered
