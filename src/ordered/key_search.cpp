#include "ordered/key_search.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define SCORELINE_AVX2 __attribute__((target("avx2,popcnt")))
#endif

namespace scoreline::ordered {
namespace {

KeyCounts count_plain(const std::int64_t* keys, std::uint32_t n, std::int64_t key) {
  KeyCounts counts;
  for (std::uint32_t i = 0; i < n; ++i) {
    counts.below += keys[i] < key ? 1 : 0;
    counts.equal += keys[i] == key ? 1 : 0;
  }
  return counts;
}

std::uint32_t count_below_plain(const std::int64_t* keys, std::int64_t key) {
  return static_cast<std::uint32_t>(std::lower_bound(keys, keys + 32, key) - keys);
}

/// Each value against all others, a vector of them at a time: n² comparisons, no branch to mispredict.
__attribute__((always_inline)) inline void place_vectors(const std::int16_t* values, std::uint32_t n,
                                                         std::int16_t* places) {
  using Lanes = std::int16_t __attribute__((vector_size(32)));
  constexpr std::uint32_t kLanes = sizeof(Lanes) / sizeof(std::int16_t);
  for (std::uint32_t i = 0; i < n; i += 2 * kLanes) {
    // Variables of their own: the compiler keeps an array of vectors in memory, which each step then waits for.
    Lanes first;
    Lanes second;
    Lanes below_first{};
    Lanes below_second{};
    std::memcpy(&first, values + i, sizeof(Lanes));
    std::memcpy(&second, values + i + kLanes, sizeof(Lanes));
    for (std::uint32_t j = 0; j < n; ++j) {
      const Lanes other = values[j] - Lanes{};
      below_first -= other < first;
      below_second -= other < second;
    }
    std::memcpy(places + i, &below_first, sizeof(Lanes));
    std::memcpy(places + i + kLanes, &below_second, sizeof(Lanes));
  }
}

void place_plain(const std::int16_t* values, std::uint32_t n, std::int16_t* places) {
  place_vectors(values, n, places);
}

#if defined(__x86_64__)

SCORELINE_AVX2 inline __m256i load4(const std::int64_t* keys) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
}

SCORELINE_AVX2 inline std::uint32_t sum_lanes(__m256i negative_counts) {
  const __m128i pair =
      _mm_add_epi64(_mm256_castsi256_si128(negative_counts), _mm256_extracti128_si256(negative_counts, 1));
  return static_cast<std::uint32_t>(-(_mm_cvtsi128_si64(pair) + _mm_extract_epi64(pair, 1)));
}

SCORELINE_AVX2 KeyCounts count_avx2(const std::int64_t* keys, std::uint32_t n, std::int64_t key) {
  const __m256i wanted = _mm256_set1_epi64x(key);
  __m256i below = _mm256_setzero_si256();
  __m256i equal = _mm256_setzero_si256();
  std::uint32_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256i four = load4(keys + i);
    below = _mm256_add_epi64(below, _mm256_cmpgt_epi64(wanted, four));
    equal = _mm256_add_epi64(equal, _mm256_cmpeq_epi64(wanted, four));
  }
  KeyCounts counts{sum_lanes(below), sum_lanes(equal)};
  for (; i < n; ++i) {
    counts.below += keys[i] < key ? 1 : 0;
    counts.equal += keys[i] == key ? 1 : 0;
  }
  return counts;
}

SCORELINE_AVX2 std::uint32_t count_below_avx2(const std::int64_t* keys, std::int64_t key) {
  const __m256i wanted = _mm256_set1_epi64x(key);
  __m256i below = _mm256_setzero_si256();
  for (std::uint32_t i = 0; i < 32; i += 4)
    below = _mm256_add_epi64(below, _mm256_cmpgt_epi64(wanted, load4(keys + i)));
  return sum_lanes(below);
}

SCORELINE_AVX2 void place_avx2(const std::int16_t* values, std::uint32_t n, std::int16_t* places) {
  place_vectors(values, n, places);
}

#endif

KeyKernels best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) return {count_avx2, count_below_avx2, place_avx2};
#endif
  return kPlainKernels;
}

}  // namespace

constinit const KeyKernels kPlainKernels{count_plain, count_below_plain, place_plain};
const KeyKernels kKernels = best_kernels();

}  // namespace scoreline::ordered
