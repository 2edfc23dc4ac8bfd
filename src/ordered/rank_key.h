// The number that an ordered set is sorted by: one unsigned integer of up to 128 bits.
//
// What goes into it is decided elsewhere (leaderboards/rank_key_codec.h); here it is only compared.
#pragma once

#include <compare>
#include <cstdint>

namespace scoreline::ordered {

__extension__ using Uint128 = unsigned __int128;

struct RankKey {
  Uint128 value = 0;

  constexpr std::uint64_t high() const { return static_cast<std::uint64_t>(value >> 64); }
  constexpr std::uint64_t low() const { return static_cast<std::uint64_t>(value); }

  friend constexpr bool operator==(RankKey a, RankKey b) { return a.value == b.value; }
  friend constexpr std::strong_ordering operator<=>(RankKey a, RankKey b) {
    if (a.value < b.value) return std::strong_ordering::less;
    return a.value == b.value ? std::strong_ordering::equal : std::strong_ordering::greater;
  }
};

}  // namespace scoreline::ordered
