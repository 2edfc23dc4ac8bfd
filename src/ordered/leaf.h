// A leaf of the counted tree: up to 52 entries in one block of 21 cache lines, in no order.
//
// An append writes four lines and moves nothing; a rank inside the leaf is a count of smaller keys, which needs no
// order; an ordered read works the order out (order_of). So reads never write.
//
// Layout: the first two lines hold the head, one hash byte and one length of each entry; then `room`: keys grow from
// its start, member bytes from its end downwards, in the order of the entries. Keys are 64-bit distances from `base`
// as long as they lie within 2^63 of each other (narrow), else whole 128-bit keys (wide): a leaf of a big board
// spans little, whatever the board spans.
//
// Invariants: size ≤ kMaxEntries; size · key bytes + text_bytes ≤ kRoom; narrow keys are in [base, base + 2^63);
// unless mixed_lengths, all members are as long as lengths[0].
// Thread safety: none. Plain bytes: a copy of the block is a copy of the leaf.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ordered/byte_search.h"
#include "ordered/rank_key.h"

namespace scoreline::ordered {

struct alignas(64) Leaf {
  static constexpr std::size_t kBlockBytes = 1344;
  static constexpr std::uint32_t kMaxEntries = 52;
  static constexpr std::uint32_t kRoom = kBlockBytes - 128;

  Uint128 base;
  std::uint16_t text_bytes;
  std::uint8_t size;
  bool wide;
  bool mixed_lengths;
  std::uint8_t unused[3];
  std::uint8_t tags[kMaxEntries];
  std::uint8_t lengths[kMaxEntries];
  union {
    std::int64_t narrow_keys[kRoom / sizeof(std::int64_t)];
    Uint128 wide_keys[kRoom / sizeof(Uint128)];
    char text[kRoom];
  };

  /// An empty leaf that takes keys from `first_base` on without rebasing.
  void clear(RankKey first_base, bool make_wide);

  RankKey key(std::uint32_t slot) const {
    return {wide ? wide_keys[slot] : base + static_cast<std::uint64_t>(narrow_keys[slot])};
  }
  std::string_view member(std::uint32_t slot) const { return {text + text_end(slot) - lengths[slot], lengths[slot]}; }
  bool holds(std::uint32_t slot, std::string_view wanted) const {
    return lengths[slot] == wanted.size() && same_bytes(member(slot).data(), wanted.data(), wanted.size());
  }

  /// The slot that holds `wanted`, or -1. `tag` is its hash byte.
  int find(std::uint8_t tag, std::string_view wanted) const {
    for (std::uint64_t matches = tag_matches(tag); matches != 0; matches &= matches - 1) {
      const int slot = std::countr_zero(matches);
      if (holds(static_cast<std::uint32_t>(slot), wanted)) return slot;
    }
    return -1;
  }
  /// A slot that may hold a member with this hash byte, or -1: for looking ahead.
  int find_tag(std::uint8_t tag) const {
    const std::uint64_t matches = tag_matches(tag);
    return matches == 0 ? -1 : std::countr_zero(matches);
  }
  /// Bit i is set when tags[i] is `tag`.
  std::uint64_t tag_matches(std::uint8_t tag) const { return match_bytes(tags, size, tag); }

  /// False, and nothing done, when there is no room: split or spread first.
  bool append(std::uint8_t tag, std::string_view new_member, RankKey new_key);
  /// False, and nothing done, when the new key does not fit in.
  bool set_key(std::uint32_t slot, RankKey new_key);
  /// The last entry may take the slot of the removed one.
  void remove(std::uint32_t slot);

  /// Entries that stand before (key, member).
  std::uint32_t count_before(RankKey wanted, std::string_view wanted_member) const;
  /// Entries that stand before the one in `slot`.
  std::uint32_t place_of(std::uint32_t slot) const;
  /// slots[r] = the slot that stands at place r in ascending order.
  void order_of(std::uint8_t* slots) const;
  /// The slot of the smallest entry (largest: of the largest). The leaf is not empty.
  std::uint32_t first_slot(bool largest) const;

  /// 0..kRoom: how full it is, by bytes or by entries, whichever is nearer to the limit.
  std::uint32_t load() const { return load_of(size, text_bytes, wide); }
  static std::uint32_t load_of(std::uint32_t entries, std::uint32_t text_bytes, bool wide);

 private:
  std::uint32_t text_end(std::uint32_t slot) const {
    return kRoom - (mixed_lengths ? sum_bytes(lengths, slot) : slot * lengths[0]);
  }
  bool before(std::uint32_t slot, RankKey wanted, std::string_view wanted_member) const;
  bool make_fit(RankKey new_key, std::uint32_t new_entries, std::uint32_t new_text_bytes);
  void widen();
  void write_key(std::uint32_t slot, RankKey new_key);
  std::uint32_t count_equal_before(RankKey wanted, std::string_view wanted_member) const;
};

static_assert(sizeof(Leaf) == Leaf::kBlockBytes);

/// Narrow keys lie less than this apart: they stay positive as signed numbers, which is what SIMD compares.
inline constexpr Uint128 kNarrowSpan = Uint128{1} << 63;

}  // namespace scoreline::ordered
