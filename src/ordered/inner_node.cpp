#include "ordered/inner_node.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "ordered/key_search.h"
#include "ordered/leaf.h"

namespace scoreline::ordered {

RankKey InnerNode::separator(std::uint32_t place) const {
  const std::uint32_t i = place - 1;
  const auto stored = static_cast<std::uint64_t>(keys[i]);
  return {wide ? (Uint128{stored} << 64 | low_keys[i]) : base + stored};
}

std::uint32_t InnerNode::place_for(RankKey key, std::string_view member, const TieTexts* ties) const {
  std::uint32_t below = 0;
  std::uint32_t equal = 0;
  if (wide) {
    for (std::uint32_t place = 1; place < size; ++place) {
      const RankKey own = separator(place);
      below += own < key ? 1 : 0;
      equal += own == key ? 1 : 0;
    }
  } else {
    if (key.value < base) return 0;
    if (key.value - base >= kNarrowSpan) return size - 1U;
    const KeyCounts found = count_keys(keys, size - 1U, static_cast<std::int64_t>(key.value - base));
    below = found.below;
    equal = found.equal;
  }
  if (!tied) return below + equal;
  const auto run = ties->begin() + below;
  return below + static_cast<std::uint32_t>(std::upper_bound(run, run + equal, member) - run);
}

std::uint32_t InnerNode::place_of(std::uint32_t id) const {
  const auto* const found = std::find(children, children + size, id);
  SCORELINE_CHECK(found != children + size);
  return static_cast<std::uint32_t>(found - children);
}

std::uint64_t InnerNode::count_before(std::uint32_t place) const {
  return std::accumulate(counts, counts + place, std::uint64_t{0});
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
  wide = size > 1 && from[last - 1].key.value - base >= kNarrowSpan;
  tied = false;
  for (std::uint32_t i = 0; i < size; ++i) {
    Child& child = from[first + i];
    children[i] = child.id;
    counts[i] = child.count;
    if (i == 0) continue;
    keys[i - 1] = static_cast<std::int64_t>(wide ? child.key.high() : (RankKey{child.key.value - base}).low());
    low_keys[i - 1] = child.key.low();
    tied = tied || !child.tie.empty();
  }
  if (!tied) return ties.reset();
  if (!ties) ties = std::make_unique<TieTexts>();
  for (std::uint32_t i = 1; i < size; ++i) (*ties)[i - 1] = std::move(from[first + i].tie);
  for (std::uint32_t i = std::max<std::uint32_t>(size, 1); i < kMaxChildren; ++i) (*ties)[i - 1].clear();
}

}  // namespace scoreline::ordered
