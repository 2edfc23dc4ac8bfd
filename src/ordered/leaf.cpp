#include "ordered/leaf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "ordered/key_search.h"

namespace scoreline::ordered {

void Leaf::clear(RankKey first_base, bool make_wide) {
  base = first_base.value;
  text_bytes = 0;
  size = 0;
  wide = make_wide;
  mixed_lengths = false;
}

std::uint32_t Leaf::load_of(std::uint32_t entries, std::uint32_t text_bytes, bool wide) {
  const auto key_bytes = static_cast<std::uint32_t>(wide ? sizeof(Uint128) : sizeof(std::int64_t));
  return std::max(entries * key_bytes + text_bytes, entries * kRoom / kMaxEntries);
}

void Leaf::widen() {
  for (std::uint32_t i = size; i-- > 0;) wide_keys[i] = base + static_cast<std::uint64_t>(narrow_keys[i]);
  wide = true;
}

/// Makes the representation take `new_key` beside what is there, if `new_entries` entries then still fit.
bool Leaf::make_fit(RankKey new_key, std::uint32_t new_entries, std::uint32_t new_text_bytes) {
  if (new_entries > kMaxEntries) return false;
  if (!wide && new_key.value - base < kNarrowSpan) {  // the usual case; a key below the base wraps far above
    return new_entries * sizeof(std::int64_t) + new_text_bytes <= kRoom;
  }
  bool stays_narrow = false;
  Uint128 down = 0;  // how far the base must go down
  if (!wide && new_key.value < base) {
    down = base - new_key.value;
    const std::int64_t last = size == 0 ? 0 : *std::max_element(narrow_keys, narrow_keys + size);
    stays_narrow = down < kNarrowSpan && down + static_cast<std::uint64_t>(last) < kNarrowSpan;
  }
  const std::uint32_t key_bytes = stays_narrow ? sizeof(std::int64_t) : sizeof(Uint128);
  if (new_entries * key_bytes + new_text_bytes > kRoom) return false;
  if (!wide && !stays_narrow) widen();
  if (!wide && down != 0) {
    for (std::uint32_t i = 0; i < size; ++i) narrow_keys[i] += static_cast<std::int64_t>(down);
    base = new_key.value;
  }
  return true;
}

bool Leaf::append(std::uint8_t tag, std::string_view new_member, RankKey new_key) {
  const auto length = static_cast<std::uint32_t>(new_member.size());
  if (!make_fit(new_key, size + 1U, text_bytes + length)) return false;
  text_bytes = static_cast<std::uint16_t>(text_bytes + length);
  std::copy(new_member.begin(), new_member.end(), text + kRoom - text_bytes);
  if (size > 0 && lengths[0] != length) mixed_lengths = true;
  tags[size] = tag;
  lengths[size] = static_cast<std::uint8_t>(length);
  ++size;
  write_key(size - 1U, new_key);
  return true;
}

bool Leaf::set_key(std::uint32_t slot, RankKey new_key) {
  if (!make_fit(new_key, size, text_bytes)) return false;
  write_key(slot, new_key);
  return true;
}

void Leaf::write_key(std::uint32_t slot, RankKey new_key) {
  if (wide) {
    wide_keys[slot] = new_key.value;
  } else {
    narrow_keys[slot] = static_cast<std::int64_t>(new_key.value - base);
  }
}

void Leaf::remove(std::uint32_t slot) {
  const std::uint32_t last = size - 1U;
  const std::uint32_t length = lengths[slot];
  char* const text_start = text + kRoom - text_bytes;
  if (slot != last && length == lengths[last]) {
    std::memcpy(text + text_end(slot) - length, text_start, length);
    tags[slot] = tags[last];
    if (wide) {
      wide_keys[slot] = wide_keys[last];
    } else {
      narrow_keys[slot] = narrow_keys[last];
    }
  } else if (slot != last) {  // close the gap: entries and their bytes stay in the same order
    char* const end = text + text_end(slot);
    std::memmove(text_start + length, text_start, static_cast<std::size_t>(end - length - text_start));
    std::copy(tags + slot + 1, tags + size, tags + slot);
    std::copy(lengths + slot + 1, lengths + size, lengths + slot);
    if (wide) {
      std::copy(wide_keys + slot + 1, wide_keys + size, wide_keys + slot);
    } else {
      std::copy(narrow_keys + slot + 1, narrow_keys + size, narrow_keys + slot);
    }
  }
  text_bytes = static_cast<std::uint16_t>(text_bytes - length);
  --size;
}

bool Leaf::before(std::uint32_t slot, RankKey wanted, std::string_view wanted_member) const {
  const RankKey own = key(slot);
  return own < wanted || (own == wanted && member(slot) < wanted_member);
}

std::uint32_t Leaf::count_before(RankKey wanted, std::string_view wanted_member) const {
  if (wide) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < size; ++i) count += before(i, wanted, wanted_member) ? 1 : 0;
    return count;
  }
  if (wanted.value < base) return 0;
  if (wanted.value - base >= kNarrowSpan) return size;
  const KeyCounts counts = count_keys(narrow_keys, size, static_cast<std::int64_t>(wanted.value - base));
  return counts.below + (counts.equal == 0 ? 0 : count_equal_before(wanted, wanted_member));
}

std::uint32_t Leaf::place_of(std::uint32_t slot) const {
  if (wide) return count_before(key(slot), member(slot));
  const KeyCounts counts = count_keys(narrow_keys, size, narrow_keys[slot]);
  return counts.below + (counts.equal == 1 ? 0 : count_equal_before(key(slot), member(slot)));
}

/// Entries with the key `wanted` whose members are before `wanted_member`. The leaf is narrow.
std::uint32_t Leaf::count_equal_before(RankKey wanted, std::string_view wanted_member) const {
  const auto distance = static_cast<std::int64_t>(wanted.value - base);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < size; ++i) count += narrow_keys[i] == distance && member(i) < wanted_member ? 1 : 0;
  return count;
}

/// Orders by the upper 15 bits of what keys differ in, each entry's place being the number of smaller ones; entries
/// that are equal there ask for the same place, take the next free ones, and are sorted among themselves.
void Leaf::order_of(std::uint8_t* slots) const {
  const auto less = [this](std::uint8_t a, std::uint8_t b) {
    const RankKey key_a = key(a);
    const RankKey key_b = key(b);
    return key_a < key_b || (key_a == key_b && member(a) < member(b));
  };
  if (wide) {
    std::iota(slots, slots + size, std::uint8_t{0});
    std::sort(slots, slots + size, less);
    return;
  }
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < size; ++i) all |= static_cast<std::uint64_t>(narrow_keys[i]);
  const int shift = std::max(static_cast<int>(std::bit_width(all)) - 15, 0);
  alignas(32) std::int16_t values[kMaxPlaced];
  alignas(32) std::int16_t places[kMaxPlaced];
  for (std::uint32_t i = 0; i < size; ++i) values[i] = static_cast<std::int16_t>(narrow_keys[i] >> shift);
  std::fill(values + size, std::end(values), std::int16_t{0});
  place_values(values, size, places);
  std::uint64_t taken = 0;
  std::uint64_t run_starts = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    auto place = static_cast<std::uint32_t>(places[i]);
    if ((taken >> place & 1) != 0) {
      run_starts |= std::uint64_t{1} << place;
      place += static_cast<std::uint32_t>(std::countr_one(taken >> place));
    }
    taken |= std::uint64_t{1} << place;
    slots[place] = static_cast<std::uint8_t>(i);
  }
  for (; run_starts != 0; run_starts &= run_starts - 1) {
    const auto start = static_cast<std::uint32_t>(std::countr_zero(run_starts));
    std::uint32_t end = start + 1;
    while (end < size && values[slots[end]] == values[slots[start]]) ++end;
    std::sort(slots + start, slots + end, less);
  }
}

std::uint32_t Leaf::first_slot(bool largest) const {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < size; ++i) {
    if (!wide && (largest ? narrow_keys[i] < narrow_keys[best] : narrow_keys[i] > narrow_keys[best])) continue;
    if (before(i, key(best), member(best)) != largest) best = i;
  }
  return best;
}

}  // namespace scoreline::ordered
