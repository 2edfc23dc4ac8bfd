#include "ordered/counted_tree.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "ordered/member_hash.h"

namespace scoreline::ordered {
namespace {

void prefetch_lines(const void* from, std::size_t lines) {
  const auto* const bytes = static_cast<const char*>(from);
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(bytes + i * 64);
}

constexpr std::size_t kLeafHeadLines = 2;
constexpr std::size_t kNodeCountLines = 3;   // head and counts of an inner node
constexpr std::size_t kNodeSearchLines = 7;  // those and the keys

/// Remembers which hashes came by; may take two for the same.
class SeenHashes {
 public:
  bool add(std::uint64_t hash) {
    std::uint64_t& word = bits_[hash >> 20 & 15];
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 24 & 63);
    const bool seen = (word & bit) != 0;
    word |= bit;
    return seen;
  }

 private:
  std::array<std::uint64_t, 16> bits_{};
};

}  // namespace

CountedTree::CountedTree(std::uint64_t hash_seed, std::uint64_t expected)
    : hash_seed_(hash_seed), leaves_(std::make_shared<BlockArena>(Leaf::kBlockBytes)), table_(expected) {
  root_ = new_leaf();
  parents_[root_] = {};
}

std::uint32_t CountedTree::new_leaf() {
  const std::uint32_t id = leaves_->allocate();
  if (id >= parents_.size()) parents_.resize(id + 1);
  leaf(id).clear({}, false);
  return id;
}

std::uint32_t CountedTree::new_inner(std::uint32_t level) {
  const std::uint32_t id = inner_nodes_.allocate();
  if (id >= ties_.size()) ties_.resize(id + 1);
  InnerNode& node = inner(id);
  node.parent = {};
  node.size = 0;
  node.level = static_cast<std::uint8_t>(level);
  return id;
}

void CountedTree::append_hashes(std::uint32_t leaf_id, std::uint8_t tag, std::vector<std::uint64_t>& out) const {
  const Leaf& from = leaf(leaf_id);
  for (std::uint64_t matches = from.tag_matches(tag); matches != 0; matches &= matches - 1) {
    out.push_back(member_hash(from.member(static_cast<std::uint32_t>(std::countr_zero(matches))), hash_seed_));
  }
}

void CountedTree::expect(std::uint32_t leaf_id) const { prefetch_lines(&leaf(leaf_id), kLeafHeadLines); }

// ---- finding

/// All keys of the leaf, and what the way up reads first.
void CountedTree::prefetch_for_rank(std::uint32_t leaf_id) const {
  if (height_ > 0) prefetch_lines(&inner(parents_[leaf_id].node()), kNodeCountLines);
  const Leaf& home = leaf(leaf_id);
  prefetch_lines(home.narrow_keys, (home.size * sizeof(std::int64_t) + 63) / 64);
}

CountedTree::Found CountedTree::locate(std::uint64_t hash, std::string_view member, Ahead ahead) const {
  Found found{.hash = hash, .leaf = kNoLeaf, .slot = 0, .key = {}};
  found.leaf = table_.find(hash, [&](std::uint32_t id) {
    if (ahead == Ahead::rank) prefetch_for_rank(id);
    const int slot = leaf(id).find(hash_byte(hash), member);
    if (slot >= 0) found.slot = static_cast<std::uint32_t>(slot);
    return slot >= 0;
  });
  if (found.leaf != kNoLeaf) found.key = leaf(found.leaf).key(found.slot);
  return found;
}

CountedTree::Found CountedTree::find(std::string_view member, Ahead ahead) const {
  return locate(member_hash(member, hash_seed_), member, ahead);
}

std::size_t CountedTree::find_batch(std::span<const std::string_view> members, std::span<Found> found,
                                    Ahead ahead) const {
  std::size_t count = 0;
  SeenHashes seen;
  for (; count < std::min(members.size(), kBatch); ++count) {
    const std::uint64_t hash = member_hash(members[count], hash_seed_);
    if (seen.add(hash)) break;
    found[count] = {.hash = hash, .leaf = kNoLeaf, .slot = 0, .key = {}};
    table_.prefetch(hash);
  }
  for (Found& each : found.first(count)) {
    each.leaf = table_.probable(each.hash);
    if (each.leaf == kNoLeaf) continue;
    prefetch_lines(&leaf(each.leaf), kLeafHeadLines);
    __builtin_prefetch(&parents_[each.leaf]);
  }
  guess_slots(found.first(count), ahead);
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i].leaf == kNoLeaf) continue;
    if (still_there(found[i], members[i])) {
      found[i].key = leaf(found[i].leaf).key(found[i].slot);
    } else {
      found[i] = locate(found[i].hash, members[i]);
    }
  }
  return count;
}

/// Where in its leaf each member probably is; prefetches those lines, and for a rank all keys and the node above.
void CountedTree::guess_slots(std::span<Found> found, Ahead ahead) const {
  for (Found& each : found) {
    if (each.leaf == kNoLeaf) continue;
    const Leaf& home = leaf(each.leaf);
    if (ahead == Ahead::rank) prefetch_for_rank(each.leaf);
    const int slot = home.find_tag(hash_byte(each.hash));
    if (slot < 0) continue;
    each.slot = static_cast<std::uint32_t>(slot);
    __builtin_prefetch(&home.narrow_keys[slot]);
    __builtin_prefetch(home.member(each.slot).data());
  }
}

bool CountedTree::still_there(const Found& found, std::string_view member) const {
  const Leaf& home = leaf(found.leaf);
  return found.slot < home.size && home.tags[found.slot] == hash_byte(found.hash) && home.holds(found.slot, member);
}

std::uint32_t CountedTree::leaf_for(RankKey key, std::string_view member) const {
  std::uint32_t id = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const InnerNode& node = inner(id);
    id = node.children[node.place_for(key, member, ties(id))];
  }
  return id;
}

// ---- writing

/// Descends for all of a batch level by level, so that their misses overlap.
void CountedTree::aim(std::span<const std::string_view> members, std::span<const std::optional<RankKey>> next,
                      std::span<std::uint32_t> targets) const {
  std::fill(targets.begin(), targets.end(), root_);
  for (std::uint32_t level = height_; level > 0; --level) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!next[i]) continue;
      const InnerNode& node = inner(targets[i]);
      targets[i] = node.children[node.place_for(*next[i], members[i], ties(targets[i]))];
      if (level > 1) {
        prefetch_lines(&inner(targets[i]), kNodeSearchLines);
      } else {
        prefetch_lines(&leaf(targets[i]), kLeafHeadLines);
        __builtin_prefetch(&parents_[targets[i]]);
      }
    }
  }
}

/// What an append to the leaf, or a removal from it, writes beside its head: its last entry, and its count above.
void CountedTree::prefetch_end(std::uint32_t leaf_id) const {
  const Leaf& to = leaf(leaf_id);
  __builtin_prefetch(&to.narrow_keys[to.size], 1);
  __builtin_prefetch(to.text + Leaf::kRoom - to.text_bytes - 8, 1);
  if (height_ > 0) __builtin_prefetch(&inner(parents_[leaf_id].node()).counts[parents_[leaf_id].place()], 1);
}

/// The way down to the new place does not wait for the way through the table to the old one.
std::optional<RankKey> CountedTree::upsert(std::string_view member, RankKey key) {
  const std::uint64_t hash = member_hash(member, hash_seed_);
  table_.prefetch(hash);
  const std::uint32_t target = leaf_for(key, member);
  prefetch_lines(&leaf(target), kLeafHeadLines);
  const std::uint32_t probable = table_.probable(hash);
  if (probable != kNoLeaf) prefetch_lines(&leaf(probable), kLeafHeadLines);
  prefetch_end(target);
  const Found found = locate(hash, member);
  put(found, member, key, target);
  return found.leaf == kNoLeaf ? std::nullopt : std::optional(found.key);
}

void CountedTree::put_batch(std::span<const std::string_view> members, std::span<Found> found,
                            std::span<const std::optional<RankKey>> next) {
  std::array<std::uint32_t, kBatch> room;
  const std::span<std::uint32_t> targets = std::span(room).first(members.size());
  aim(members, next, targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!next[i]) continue;
    prefetch_end(targets[i]);
    if (found[i].leaf != kNoLeaf) prefetch_end(found[i].leaf);
  }
  const std::uint64_t shape = shape_changes_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!next[i]) continue;
    const bool reshaped = shape_changes_ != shape;
    const bool known = found[i].leaf == kNoLeaf || (!reshaped && still_there(found[i], members[i]));
    put(known ? found[i] : locate(found[i].hash, members[i]), members[i], *next[i],
        reshaped ? leaf_for(*next[i], members[i]) : targets[i]);
  }
}

void CountedTree::put(const Found& found, std::string_view member, RankKey key, std::uint32_t target) {
  if (found.leaf == kNoLeaf) {
    preserve(target);
    table_.insert(found.hash, target, *this);
    ++size_;
    add_count(target, 1);
    return add({target, found.hash, member, key});
  }
  if (found.key == key) return;
  preserve(found.leaf);
  if (found.leaf == target) {
    if (leaf(target).set_key(found.slot, key)) return;
    leaf(target).remove(found.slot);
    return add({target, found.hash, member, key});
  }
  preserve(target);
  table_.move(found.hash, found.leaf, target);
  leaf(found.leaf).remove(found.slot);
  move_count(found.leaf, target);
  add({target, found.hash, member, key});
  relieve(found.leaf);
}

void CountedTree::add(const NewEntry& entry) {
  if (!leaf(entry.leaf).append(hash_byte(entry.hash), entry.member, entry.key)) overflow(entry);
}

void CountedTree::add_count(std::uint32_t leaf_id, std::int32_t by) {
  for (ParentLink link = parents_[leaf_id]; !link.is_root();) {
    InnerNode& node = inner(link.node());
    node.counts[link.place()] += static_cast<std::uint32_t>(by);
    link = node.parent;
  }
}

/// One member fewer under `from`, one more under `to`; above their first common node nothing changes.
void CountedTree::move_count(std::uint32_t from, std::uint32_t to) {
  ParentLink from_link = parents_[from];
  ParentLink to_link = parents_[to];
  while (true) {
    InnerNode& from_node = inner(from_link.node());
    InnerNode& to_node = inner(to_link.node());
    --from_node.counts[from_link.place()];
    ++to_node.counts[to_link.place()];
    if (&from_node == &to_node) return;
    from_link = from_node.parent;
    to_link = to_node.parent;
  }
}

bool CountedTree::erase(std::string_view member) {
  const Found found = find(member, Ahead::key);
  if (found.leaf == kNoLeaf) return false;
  preserve(found.leaf);
  table_.erase(found.hash, found.leaf);
  leaf(found.leaf).remove(found.slot);
  --size_;
  add_count(found.leaf, -1);
  relieve(found.leaf);
  return true;
}

std::size_t CountedTree::pop(std::size_t count, Direction direction, Visit visit) {
  std::size_t popped = 0;
  while (popped < count && size_ > 0) {
    const std::uint32_t id = edge_leaf(direction == Direction::descending);
    const std::size_t here = std::min<std::size_t>(count - popped, leaf(id).size);
    pop_from(id, here, direction, visit);
    popped += here;
  }
  return popped;
}

/// An edge leaf drains until it is empty instead of joining its neighbour at each step, and then goes.
void CountedTree::pop_from(std::uint32_t leaf_id, std::size_t count, Direction direction, Visit visit) {
  preserve(leaf_id);
  Leaf& from = leaf(leaf_id);
  std::uint8_t order[Leaf::kMaxEntries];
  std::span<std::uint8_t> slots(order, count);
  if (count == 1) {
    slots[0] = static_cast<std::uint8_t>(from.first_slot(direction == Direction::descending));
  } else {
    from.order_of(order);
    if (direction == Direction::descending) std::reverse(order, order + from.size);
  }
  std::array<std::uint64_t, Leaf::kMaxEntries> hashes;
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = member_hash(from.member(slots[i]), hash_seed_);
    table_.prefetch(hashes[i]);
  }
  for (const std::uint8_t slot : slots) visit(from.member(slot), from.key(slot));
  for (std::size_t i = 0; i < count; ++i) table_.erase(hashes[i], leaf_id);
  std::sort(slots.begin(), slots.end(), std::greater<>());  // from the back: a removal moves only what is behind it
  for (const std::uint8_t slot : slots) from.remove(slot);
  size_ -= count;
  add_count(leaf_id, -static_cast<std::int32_t>(count));
  if (from.size == 0) relieve(leaf_id);
}

// ---- snapshots

std::shared_ptr<FrozenLeaves> CountedTree::freeze() {
  auto frozen = std::make_shared<FrozenLeaves>(leaves_);
  for (std::uint32_t id = edge_leaf(false); id != kNoLeaf;) {
    if (height_ == 0) {
      frozen->add(id, leaf(id).size);
      break;
    }
    const InnerNode& node = inner(parents_[id].node());
    for (std::uint32_t i = 0; i < node.size; ++i) frozen->add(node.children[i], node.counts[i]);
    id = neighbour(node.children[node.size - 1U], true);
  }
  frozen_.push_back(frozen);
  return frozen;
}

void CountedTree::preserve_for_readers(std::uint32_t leaf_id) {
  std::erase_if(frozen_, [](const auto& frozen) { return frozen.use_count() == 1; });  // its reader is done
  for (const auto& frozen : frozen_) frozen->preserve(leaf_id);
}

}  // namespace scoreline::ordered
