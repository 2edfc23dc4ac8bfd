#include "ordered/inner_node.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "ordered/key_search.h"

namespace scoreline::ordered {

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

std::int64_t searched_part(Uint128 distance, std::uint8_t shift) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(distance >> shift)) ^ kLowest;
}

std::uint64_t low_part(Uint128 distance, std::uint8_t shift) {
  return static_cast<std::uint64_t>(distance) & low_bits(shift);
}

/// So that distances up to `longest` fit into 64 bits.
std::uint8_t shift_for(Uint128 longest) {
  const auto high = static_cast<std::uint64_t>(longest >> 64);
  return static_cast<std::uint8_t>(std::bit_width(high));
}

}  // namespace

RankKey InnerNode::separator(std::uint32_t place) const {
  const auto searched = static_cast<std::uint64_t>(keys[place - 1] ^ kLowest);
  const Uint128 distance = Uint128{searched} << shift;
  return {base + (shift == 0 ? distance : distance | low_keys[place - 1])};
}

std::uint32_t InnerNode::place_for(RankKey key, std::string_view member, const TieTexts* ties) const {
  if (key.value < base) return 0;
  const Uint128 distance = key.value - base;
  if (distance >> shift >> 63 > 1) return size - 1U;
  const std::int64_t searched = searched_part(distance, shift);
  const std::uint32_t limit = size - 1U;
  std::uint32_t place = count_below_32(keys, searched);
  if (place >= limit || keys[place] != searched) return std::min(place, limit);
  // A run of separators equal in what was searched: go on by their low parts, then by their ties.
  const std::uint64_t low = low_part(distance, shift);
  for (; place < limit && keys[place] == searched; ++place) {
    const std::uint64_t own = shift == 0 ? 0 : low_keys[place];
    if (own > low || (own == low && tied && (*ties)[place] > member)) break;
  }
  return place;
}

std::vector<Child> InnerNode::read(const TieTexts* ties) const {
  std::vector<Child> out(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    out[i].id = children[i];
    out[i].count = counts[i];
    if (i == 0) continue;
    out[i].key = separator(i);
    if (tied) out[i].tie = (*ties)[i - 1];
  }
  return out;
}

void InnerNode::write(std::vector<Child>& from, std::size_t first, std::size_t last, std::unique_ptr<TieTexts>& ties) {
  SCORELINE_CHECK(last - first <= kMaxChildren);
  size = static_cast<std::uint8_t>(last - first);
  base = size > 1 ? from[first + 1].key.value : 0;
  shift = shift_for(size > 1 ? from[last - 1].key.value - base : 0);
  tied = false;
  std::fill(std::begin(keys), std::end(keys), std::numeric_limits<std::int64_t>::max());
  for (std::uint32_t i = 0; i < size; ++i) {
    Child& child = from[first + i];
    children[i] = child.id;
    counts[i] = child.count;
    if (i == 0) continue;
    keys[i - 1] = searched_part(child.key.value - base, shift);
    if (shift > 0) low_keys[i - 1] = low_part(child.key.value - base, shift);
    tied = tied || !child.tie.empty();
  }
  if (!tied) return ties.reset();
  if (!ties) ties = std::make_unique<TieTexts>();
  for (std::uint32_t i = 1; i < size; ++i) (*ties)[i - 1] = std::move(from[first + i].tie);
  for (std::uint32_t i = std::max<std::uint32_t>(size, 1); i < kMaxChildren; ++i) (*ties)[i - 1].clear();
}

}  // namespace scoreline::ordered
