#include "ordered/key_search.h"

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

void place_plain(const std::int64_t* keys, std::uint32_t n, std::uint8_t* places) {
  for (std::uint32_t i = 0; i < n; ++i) places[i] = static_cast<std::uint8_t>(count_plain(keys, n, keys[i]).below);
}

#if defined(__x86_64__)

/// Four keys from `keys`, cut to the first `count` by the caller's mask.
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

/// Four keys at a time against all others: n²/4 comparisons, no branch to mispredict.
SCORELINE_AVX2 void place_avx2(const std::int64_t* keys, std::uint32_t n, std::uint8_t* places) {
  std::uint32_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i first = load4(keys + i);
    const __m256i second = load4(keys + i + 4);
    __m256i first_below = _mm256_setzero_si256();
    __m256i second_below = _mm256_setzero_si256();
    for (std::uint32_t j = 0; j < n; ++j) {
      const __m256i other = _mm256_set1_epi64x(keys[j]);
      first_below = _mm256_sub_epi64(first_below, _mm256_cmpgt_epi64(first, other));
      second_below = _mm256_sub_epi64(second_below, _mm256_cmpgt_epi64(second, other));
    }
    alignas(32) std::int64_t lanes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), first_below);
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes + 4), second_below);
    for (std::uint32_t lane = 0; lane < 8; ++lane) places[i + lane] = static_cast<std::uint8_t>(lanes[lane]);
  }
  for (; i < n; ++i) places[i] = static_cast<std::uint8_t>(count_avx2(keys, n, keys[i]).below);
}

#endif

/// Which of the two serve on this processor.
struct Kernels {
  KeyCounts (*count)(const std::int64_t*, std::uint32_t, std::int64_t) = count_plain;
  void (*place)(const std::int64_t*, std::uint32_t, std::uint8_t*) = place_plain;

  Kernels() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0) {
      count = count_avx2;
      place = place_avx2;
    }
#endif
  }
};

const Kernels kKernels;

}  // namespace

KeyCounts count_keys(const std::int64_t* keys, std::uint32_t n, std::int64_t key) {
  return kKernels.count(keys, n, key);
}

void place_keys(const std::int64_t* keys, std::uint32_t n, std::uint8_t* places) { kKernels.place(keys, n, places); }

}  // namespace scoreline::ordered
