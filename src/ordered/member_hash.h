// The hash of a member. XXH3 with a secret seed: outsiders choose the ids, and must not be able to choose collisions.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace scoreline::ordered {

inline std::uint64_t member_hash(std::string_view member, std::uint64_t seed) {
  return XXH3_64bits_withSeed(member.data(), member.size(), seed);
}

/// The byte that a leaf keeps of it, and the member table too.
inline std::uint8_t hash_byte(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }

}  // namespace scoreline::ordered
