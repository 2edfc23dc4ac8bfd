// Ordered reads of the counted tree, and the walk that proves it whole.
#include <algorithm>

#include "base/error.h"
#include "ordered/counted_tree.h"
#include "ordered/member_hash.h"

namespace scoreline::ordered {
namespace {

constexpr std::size_t kLine = 64;

void prefetch_leaf(const Leaf& leaf) {
  for (std::size_t at = 0; at < Leaf::kBlockBytes; at += kLine) {
    __builtin_prefetch(reinterpret_cast<const char*>(&leaf) + at);
  }
}

}  // namespace

std::uint64_t CountedTree::rank_of(const Found& found) const {
  std::uint64_t rank = leaf(found.leaf).place_of(found.slot);
  for (ParentLink link = parents_[found.leaf]; !link.is_root();) {
    const InnerNode& node = inner(link.node());
    rank += node.count_before(link.place());
    link = node.parent;
  }
  return rank;
}

std::uint64_t CountedTree::lower_bound_rank(RankKey key, std::string_view member) const {
  std::uint64_t rank = 0;
  std::uint32_t id = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const InnerNode& node = inner(id);
    const std::uint32_t place = node.place_for(key, member, ties(id));
    rank += node.count_before(place);
    id = node.children[place];
  }
  return rank + leaf(id).count_before(key, member);
}

/// The leaf that holds `rank` < size_, and how many of its own stand before it.
std::uint32_t CountedTree::leaf_at(std::uint64_t rank, std::uint64_t& offset) const {
  std::uint32_t id = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const InnerNode& node = inner(id);
    std::uint32_t place = 0;
    while (rank >= node.counts[place]) rank -= node.counts[place++];
    id = node.children[place];
  }
  offset = rank;
  return id;
}

/// The leaf after (before) this one, or kNoLeaf.
std::uint32_t CountedTree::neighbour(std::uint32_t leaf_id, bool next) const {
  ParentLink link = parents_[leaf_id];
  while (!link.is_root() && (next ? link.place() + 1U == inner(link.node()).size : link.place() == 0)) {
    link = inner(link.node()).parent;
  }
  if (link.is_root()) return kNoLeaf;
  const InnerNode& fork = inner(link.node());
  std::uint32_t id = fork.children[next ? link.place() + 1 : link.place() - 1];
  for (std::uint32_t level = fork.level; level > 1; --level) {
    const InnerNode& node = inner(id);
    id = node.children[next ? 0 : node.size - 1U];
  }
  return id;
}

std::uint32_t CountedTree::edge_leaf(bool last) const {
  std::uint32_t id = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const InnerNode& node = inner(id);
    id = node.children[last ? node.size - 1U : 0];
  }
  return id;
}

void CountedTree::visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const {
  if (first >= size_) return;
  count = std::min(count, size_ - first);
  const bool ascending = direction == Direction::ascending;
  std::uint64_t offset = 0;
  std::uint32_t id = leaf_at(ascending ? first : size_ - 1 - first, offset);
  prefetch_leaf(leaf(id));  // members come from all over it; they arrive while the order is worked out
  while (true) {
    const Leaf& from = leaf(id);
    const std::uint64_t here = std::min(count, ascending ? from.size - offset : offset + 1);
    std::uint32_t next = kNoLeaf;
    if (count > here) {
      next = neighbour(id, ascending);
      prefetch_leaf(leaf(next));
    }
    std::uint8_t slots[Leaf::kMaxEntries];
    from.order_of(slots);
    for (std::uint64_t i = 0; i < here; ++i) {
      const std::uint8_t slot = slots[ascending ? offset + i : offset - i];
      visit(from.member(slot), from.key(slot));
    }
    count -= here;
    if (count == 0) return;
    id = next;
    offset = ascending ? 0 : leaf(id).size - 1U;
  }
}

std::size_t CountedTree::memory_bytes() const {
  std::size_t tie_bytes = ties_.capacity() * sizeof(ties_[0]);
  for (const auto& texts : ties_) {
    if (!texts) continue;
    tie_bytes += sizeof(TieTexts);
    for (const std::string& text : *texts) tie_bytes += text.capacity() > 15 ? text.capacity() + 1 : 0;
  }
  return sizeof(*this) + leaves_->bytes() + parents_.capacity() * sizeof(parents_[0]) + inner_nodes_.bytes() +
         tie_bytes + table_.memory_bytes() - sizeof(table_);
}

// ---- check

void CountedTree::check() const {
  table_.check();
  SCORELINE_CHECK(table_.size() == size_);
  SCORELINE_CHECK((height_ == 0 ? parents_[root_] : inner(root_).parent).is_root());
  SCORELINE_CHECK(check_below(root_, height_, nullptr, nullptr) == size_);
}

/// `low` and `high` (null: none) are the separators around this subtree. How many members are in it.
std::uint64_t CountedTree::check_below(std::uint32_t id, std::uint32_t level, const Child* low,
                                       const Child* high) const {
  if (level == 0) return check_leaf(id, low, high);
  const InnerNode& node = inner(id);
  SCORELINE_CHECK(node.level == level);
  SCORELINE_CHECK(node.size >= 2 && node.size <= kMaxChildren);
  SCORELINE_CHECK(node.tied == (ties(id) != nullptr));
  const std::vector<Child> children = node.read(ties(id));
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < node.size; ++i) {
    const ParentLink link = level == 1 ? parents_[children[i].id] : inner(children[i].id).parent;
    SCORELINE_CHECK(!link.is_root() && link.node() == id && link.place() == i);
    const Child* const child_low = i == 0 ? low : &children[i];
    const Child* const child_high = i + 1U == node.size ? high : &children[i + 1];
    SCORELINE_CHECK(check_below(children[i].id, level - 1, child_low, child_high) == children[i].count);
    total += children[i].count;
  }
  return total;
}

std::uint64_t CountedTree::check_leaf(std::uint32_t id, const Child* low, const Child* high) const {
  const Leaf& here = leaf(id);
  SCORELINE_CHECK(here.size > 0 || id == root_);
  SCORELINE_CHECK(here.size <= Leaf::kMaxEntries && here.load() <= Leaf::kRoom);
  std::uint8_t slots[Leaf::kMaxEntries];
  here.order_of(slots);
  std::uint64_t seen = 0;
  std::uint32_t text_bytes = 0;
  for (std::uint32_t i = 0; i < here.size; ++i) {
    const std::string_view member = here.member(slots[i]);
    const RankKey key = here.key(slots[i]);
    seen |= std::uint64_t{1} << slots[i];
    text_bytes += static_cast<std::uint32_t>(member.size());
    if (i > 0) {
      const RankKey before = here.key(slots[i - 1]);
      SCORELINE_CHECK(before < key || (before == key && here.member(slots[i - 1]) < member));
    }
    SCORELINE_CHECK(low == nullptr || low->key < key || (low->key == key && low->tie <= member));
    SCORELINE_CHECK(high == nullptr || key < high->key || (key == high->key && member < high->tie));
    SCORELINE_CHECK(here.count_before(key, member) == i && here.place_of(slots[i]) == i);
    const Found found = find(member, Ahead::key);
    SCORELINE_CHECK(found.leaf == id && found.slot == slots[i] && here.tags[slots[i]] == hash_byte(found.hash));
  }
  SCORELINE_CHECK(seen == (here.size == 0 ? 0 : ~std::uint64_t{0} >> (64 - here.size)));
  SCORELINE_CHECK(text_bytes == here.text_bytes);
  return here.size;
}

}  // namespace scoreline::ordered
