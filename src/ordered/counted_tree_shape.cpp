// How the counted tree changes shape: leaves and inner nodes spread, split, join, and the root rises and sinks.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "ordered/counted_tree.h"
#include "ordered/member_hash.h"
#include "ordered/separator.h"

namespace scoreline::ordered {
namespace {

constexpr std::uint32_t kMaxRun = 2;  // leaves that are spread together
/// Leaves fuller than this on average become one more.
constexpr std::uint32_t kSpreadLoad = Leaf::kRoom * 94 / 100;
/// A leaf below kThinLoad joins a neighbour, when both together are at most kJoinLoad.
constexpr std::uint32_t kThinLoad = Leaf::kRoom * 60 / 100;
constexpr std::uint32_t kJoinLoad = Leaf::kRoom * 90 / 100;

constexpr std::size_t kThinChildren = 10;
constexpr std::size_t kSpreadChildren = 28;

}  // namespace

/// The entries of a run of leaves, in order, and where they go.
struct CountedTree::Spreading {
  struct Entry {
    RankKey key;
    std::string_view member;  // into `copies`
    std::uint8_t tag = 0;
    std::uint32_t leaf = 0;  // where it is now, as the table says
  };

  Leaf copies[kMaxRun];
  std::array<Entry, kMaxRun * Leaf::kMaxEntries + 1> entries;
  std::size_t size = 0;
  std::vector<std::uint32_t> leaves;  // ids: before, then after
  std::vector<std::size_t> cuts;      // leaf i takes entries [cuts[i], cuts[i + 1])

  std::uint32_t load(std::size_t first, std::size_t last, bool wide) const {
    std::uint32_t text_bytes = 0;
    for (std::size_t i = first; i < last; ++i) text_bytes += static_cast<std::uint32_t>(entries[i].member.size());
    return Leaf::load_of(static_cast<std::uint32_t>(last - first), text_bytes, wide);
  }
  bool wide(std::size_t first, std::size_t last) const {
    return last > first && entries[last - 1].key.value - entries[first].key.value >= kNarrowSpan;
  }
  /// Cuts into `count` ≤ size leaves of about equal bytes, none empty; false when one of them would not fit.
  bool cut(std::uint32_t count);
};

bool CountedTree::Spreading::cut(std::uint32_t count) {
  constexpr std::size_t kEntryBytes = sizeof(std::int64_t) + 2;
  std::size_t total = 0;
  for (std::size_t i = 0; i < size; ++i) total += kEntryBytes + entries[i].member.size();
  cuts.assign(1, 0);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t middle = passed + (kEntryBytes + entries[i].member.size()) / 2;
    const bool due = middle * count >= total * cuts.size();
    const bool last_chance = size - i == count - cuts.size();
    if (cuts.size() < count && i > cuts.back() && (due || last_chance)) cuts.push_back(i);
    passed += kEntryBytes + entries[i].member.size();
  }
  cuts.push_back(size);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (load(cuts[i], cuts[i + 1], wide(cuts[i], cuts[i + 1])) > Leaf::kRoom) return false;
  }
  return true;
}

// ---- leaves

/// `entry` belongs into its leaf but does not fit.
void CountedTree::overflow(const NewEntry& entry) {
  if (height_ == 0) grow_root();
  const std::uint32_t parent = parents_[entry.leaf].node();
  const std::uint32_t place = parents_[entry.leaf].place();
  const InnerNode& node = inner(parent);
  if (node.size == 1) return spread(parent, place, 1, 2, &entry);
  const bool to_left = place > 0 && (place + 1U == node.size || node.counts[place - 1] < node.counts[place + 1]);
  const std::uint32_t first = to_left ? place - 1 : place;
  const std::uint32_t both = leaf(node.children[first]).load() + leaf(node.children[first + 1]).load();
  spread(parent, first, 2, both <= 2 * kSpreadLoad ? 2 : 3, &entry);
}

/// After members left the leaf: it joins a neighbour when it is thin, and goes when it is empty.
void CountedTree::relieve(std::uint32_t leaf_id) {
  if (height_ == 0) return;
  const Leaf& thin = leaf(leaf_id);
  if (thin.load() >= kThinLoad) return;
  const std::uint32_t parent = parents_[leaf_id].node();
  const std::uint32_t place = parents_[leaf_id].place();
  const InnerNode& node = inner(parent);
  if (thin.size == 0) return spread(parent, place, 1, 0, nullptr);
  const auto joins = [&](std::uint32_t other) {
    // The count, which is at hand, rules most neighbours out before they are fetched.
    if (Leaf::load_of(node.counts[other] + thin.size, 0, false) > kJoinLoad) return false;
    return leaf(node.children[other]).load() + thin.load() <= kJoinLoad;
  };
  if (place > 0 && joins(place - 1)) return spread(parent, place - 1, 2, 1, nullptr);
  if (place + 1U < node.size && joins(place + 1)) return spread(parent, place, 2, 1, nullptr);
}

void CountedTree::gather(Spreading& work, const NewEntry* entry) const {
  for (std::size_t i = 0; i < work.leaves.size(); ++i) {
    std::memcpy(static_cast<void*>(&work.copies[i]), &leaf(work.leaves[i]), Leaf::kBlockBytes);
    const Leaf& copy = work.copies[i];
    std::uint8_t slots[Leaf::kMaxEntries];
    copy.order_of(slots);
    for (std::uint32_t k = 0; k < copy.size; ++k) {
      work.entries[work.size++] = {copy.key(slots[k]), copy.member(slots[k]), copy.tags[slots[k]], work.leaves[i]};
    }
  }
  if (entry == nullptr) return;
  const Spreading::Entry added{entry->key, entry->member, hash_byte(entry->hash), entry->leaf};
  auto* const end = work.entries.data() + work.size;
  auto* const at = std::upper_bound(work.entries.data(), end, added, [](const auto& a, const auto& b) {
    return a.key < b.key || (a.key == b.key && a.member < b.member);
  });
  std::move_backward(at, end, end + 1);
  *at = added;
  ++work.size;
}

/// Spreads the `run` leaves from `first` on under `parent`, and `entry` with them, over about `goal` leaves.
void CountedTree::spread(std::uint32_t parent, std::uint32_t first, std::uint32_t run, std::uint32_t goal,
                         const NewEntry* entry) {
  ++shape_changes_;
  Spreading work;
  const InnerNode& node = inner(parent);
  work.leaves.assign(node.children + first, node.children + first + run);
  for (const std::uint32_t id : work.leaves) preserve(id);
  gather(work, entry);
  work.cuts.assign(1, 0);
  if (work.size > 0) {
    while (!work.cut(goal)) ++goal;
  }
  std::vector<Child> children(work.cuts.size() - 1);
  for (std::size_t i = run; i < children.size(); ++i) work.leaves.push_back(new_leaf());
  distribute(work, children);
  for (std::size_t i = children.size(); i < run; ++i) leaves_->release(work.leaves[i]);
  replace_children(parent, first, run, children);
}

/// Writes the leaves anew, and tells the table of every member that changed its leaf.
void CountedTree::distribute(Spreading& work, std::vector<Child>& children) {
  struct Move {
    std::uint64_t hash;
    std::uint32_t from;
    std::uint32_t to;
  };
  std::array<Move, kMaxRun * Leaf::kMaxEntries + 1> moves;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::uint32_t id = work.leaves[i];
    const std::size_t begin = work.cuts[i];
    const std::size_t end = work.cuts[i + 1];
    Leaf& to = leaf(id);
    to.clear(work.entries[begin].key, work.wide(begin, end));
    for (std::size_t k = begin; k < end; ++k) {
      const Spreading::Entry& entry = work.entries[k];
      SCORELINE_CHECK(to.append(entry.tag, entry.member, entry.key));
      if (entry.leaf == id) continue;
      moves[moved] = {member_hash(entry.member, hash_seed_), entry.leaf, id};
      table_.prefetch(moves[moved++].hash);
    }
    children[i].id = id;
    children[i].count = to.size;
    if (i == 0) continue;
    const Spreading::Entry& left = work.entries[begin - 1];
    separate(left.key, left.member, work.entries[begin].key, work.entries[begin].member, children[i]);
  }
  for (std::size_t i = 0; i < moved; ++i) table_.move(moves[i].hash, moves[i].from, moves[i].to);
}

// ---- inner nodes

/// Children [first, first + count) of `node` become `with`, which hold as many members in all. What separates the
/// first of them from its left neighbour stays.
void CountedTree::replace_children(std::uint32_t node, std::uint32_t first, std::uint32_t count,
                                   std::vector<Child>& with) {
  std::vector<Child> children = inner(node).read(ties(node));
  if (!with.empty()) {
    with[0].key = children[first].key;
    with[0].tie = std::move(children[first].tie);
  }
  children.erase(children.begin() + first, children.begin() + first + count);
  children.insert(children.begin() + first, std::make_move_iterator(with.begin()), std::make_move_iterator(with.end()));
  store(node, children);
}

void CountedTree::store(std::uint32_t node, std::vector<Child>& children) {
  const bool too_many = children.size() > kMaxChildren;
  const bool too_few = children.size() < kThinChildren && node != root_;
  if (too_many || too_few) return spread_inner(node, children);
  write_inner(node, children, 0, children.size());
  if (node == root_ && children.size() == 1) lower_root();
}

void CountedTree::write_inner(std::uint32_t node, std::vector<Child>& from, std::size_t first, std::size_t last) {
  InnerNode& to = inner(node);
  to.write(from, first, last, ties_[node]);
  for (std::uint32_t i = 0; i < to.size; ++i) {
    if (to.level == 1) {
      parents_[to.children[i]] = {node, i};
    } else {
      inner(to.children[i]).parent = {node, i};
    }
  }
}

/// `node` shall have `children`, too many or too few: spreads them over it and a neighbour, and a third if need be.
void CountedTree::spread_inner(std::uint32_t node, std::vector<Child>& children) {
  if (node == root_) grow_root();
  const std::uint32_t parent = inner(node).parent.node();
  const std::uint32_t place = inner(node).parent.place();
  std::uint32_t first = place;
  std::vector<std::uint32_t> nodes{node};
  if (inner(parent).size > 1) {
    const bool with_left = place > 0;
    first = with_left ? place - 1 : place;
    const std::uint32_t other = inner(parent).children[with_left ? place - 1 : place + 1];
    std::vector<Child> others = inner(other).read(ties(other));
    const std::vector<Child> separators = inner(parent).read(ties(parent));
    std::vector<Child>& right = with_left ? children : others;
    right[0].key = separators[first + 1].key;
    right[0].tie = separators[first + 1].tie;
    children.insert(with_left ? children.begin() : children.end(), std::make_move_iterator(others.begin()),
                    std::make_move_iterator(others.end()));
    nodes.insert(with_left ? nodes.begin() : nodes.end(), other);
  }
  const auto run = static_cast<std::uint32_t>(nodes.size());
  const std::size_t goal = (children.size() + kSpreadChildren - 1) / kSpreadChildren;
  const std::uint32_t level = inner(node).level;
  while (nodes.size() < goal) nodes.push_back(new_inner(level));
  std::vector<Child> with(goal);
  for (std::size_t i = 0; i < goal; ++i) {
    const std::size_t begin = children.size() * i / goal;
    const std::size_t end = children.size() * (i + 1) / goal;
    with[i].id = nodes[i];
    with[i].key = children[begin].key;
    with[i].tie = children[begin].tie;
    for (std::size_t k = begin; k < end; ++k) with[i].count += children[k].count;
    write_inner(nodes[i], children, begin, end);
  }
  for (std::size_t i = goal; i < nodes.size(); ++i) {
    ties_[nodes[i]].reset();
    inner_nodes_.release(nodes[i]);
  }
  replace_children(parent, first, run, with);
}

/// A new root above the old one, with that as its only child for the moment.
void CountedTree::grow_root() {
  const std::uint32_t root = new_inner(height_ + 1);
  std::vector<Child> only(1);
  only[0].id = root_;
  only[0].count = static_cast<std::uint32_t>(size_);
  root_ = root;
  ++height_;
  write_inner(root, only, 0, 1);
}

/// The root has one child left, which takes its place.
void CountedTree::lower_root() {
  const std::uint32_t child = inner(root_).children[0];
  ties_[root_].reset();
  inner_nodes_.release(root_);
  root_ = child;
  --height_;
  if (height_ == 0) {
    parents_[child] = {};
  } else {
    inner(child).parent = {};
  }
}

}  // namespace scoreline::ordered
