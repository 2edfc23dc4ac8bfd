// The inner loops over small arrays of bytes and 32-bit numbers. SSE2 is part of every x86-64; plain C++ elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace scoreline::ordered {

/// The lowest `count` bits set; count ≤ 64.
inline std::uint64_t low_bits(std::uint32_t count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

/// Bit i is set when bytes[i] is `wanted`, for i < count ≤ 64. Reads up to 15 bytes further.
inline std::uint64_t match_bytes(const std::uint8_t* bytes, std::uint32_t count, std::uint8_t wanted) {
  std::uint64_t matches = 0;
#if defined(__SSE2__)
  const __m128i all_wanted = _mm_set1_epi8(static_cast<char>(wanted));
  for (std::uint32_t at = 0; at < count; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    const auto hits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, all_wanted)));
    matches |= std::uint64_t{hits} << at;
  }
  return matches & low_bits(count);
#else
  for (std::uint32_t i = 0; i < count; ++i) matches |= std::uint64_t{bytes[i] == wanted} << i;
  return matches;
#endif
}

/// bytes[0] + … + bytes[count - 1].
inline std::uint32_t sum_bytes(const std::uint8_t* bytes, std::uint32_t count) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += bytes[i];
  return sum;
}

/// Bit i is set when words[i] is `wanted`, for i < 12. Reads 32 bytes, from a multiple of 16.
inline std::uint32_t match_12_words(const std::uint16_t* words, std::uint16_t wanted) {
#if defined(__SSE2__)
  const __m128i all_wanted = _mm_set1_epi16(static_cast<short>(wanted));
  const auto* const from = reinterpret_cast<const __m128i*>(words);
  const __m128i first = _mm_cmpeq_epi16(_mm_load_si128(from), all_wanted);
  const __m128i second = _mm_cmpeq_epi16(_mm_load_si128(from + 1), all_wanted);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(first, second))) & 0xFFF;
#else
  std::uint32_t matches = 0;
  for (std::uint32_t i = 0; i < 12; ++i) matches |= static_cast<std::uint32_t>(words[i] == wanted) << i;
  return matches;
#endif
}

/// numbers[0] + … + numbers[count - 1], modulo 2^32; count ≤ 32. Reads up to 3 numbers further.
inline std::uint32_t sum_first(const std::uint32_t* numbers, std::uint32_t count) {
#if defined(__SSE2__)
  __m128i sum = _mm_setzero_si128();
  const __m128i limit = _mm_set1_epi32(static_cast<int>(count));
  __m128i place = _mm_setr_epi32(0, 1, 2, 3);
  for (std::uint32_t at = 0; at < count; at += 4) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + at));
    sum = _mm_add_epi32(sum, _mm_and_si128(part, _mm_cmplt_epi32(place, limit)));
    place = _mm_add_epi32(place, _mm_set1_epi32(4));
  }
  sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
  sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 4));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sum));
#else
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += numbers[i];
  return sum;
#endif
}

/// Whether two texts of one length are the same; inline for the usual lengths of ids.
inline bool same_bytes(const char* a, const char* b, std::size_t length) {
  const auto word = [](const char* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  if (length < 8 || length > 16) return std::memcmp(a, b, length) == 0;
  return ((word(a) ^ word(b)) | (word(a + length - 8) ^ word(b + length - 8))) == 0;
}

}  // namespace scoreline::ordered
