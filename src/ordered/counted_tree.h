// The large form: a counted B+-tree of leaves (leaf.h) under inner nodes (inner_node.h), and a table that tells which
// leaf holds a member (member_table.h).
//
// Member bytes live in the leaves only. A member's rank is found from its leaf upwards: places inside the leaf plus
// what stands to the left in each ancestor. An update goes through the table to the old leaf and down the tree to the
// new one; both counts paths are adjusted up to where they meet.
//
// Leaves that overflow first spread over a neighbour, and only two full ones become three; leaves that get thin join
// a neighbour that has room. One function (spread) does all three.
//
// Invariants: all leaves at one depth; no leaf is empty but a root; every inner node has 2..32 children; separators
// and counts as inner_node.h says; for each member of each leaf the table has one entry with that leaf.
// Thread safety: none; const functions write nothing. A FrozenLeaves it handed out may be read by another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordered/block_arena.h"
#include "ordered/frozen_leaves.h"
#include "ordered/function_ref.h"
#include "ordered/inner_node.h"
#include "ordered/item.h"
#include "ordered/leaf.h"
#include "ordered/member_table.h"
#include "ordered/rank_key.h"

namespace scoreline::ordered {

class CountedTree final : private MemberHashes {
 public:
  using Visit = FunctionRef<void(std::string_view, RankKey)>;

  /// Members looked up together: enough to overlap the cache misses, few enough to keep their lines in the cache.
  static constexpr std::size_t kBatch = 32;

  /// What is known of a member of a batch.
  struct Found {
    std::uint64_t hash = 0;
    std::uint32_t leaf = kNoLeaf;  ///< kNoLeaf: absent
    std::uint32_t slot = 0;
    RankKey key;
  };

  explicit CountedTree(std::uint64_t hash_seed, std::uint64_t expected = 0);

  std::uint64_t size() const { return size_; }

  /// What a look-up shall fetch beside the entry: Ahead::rank all that rank_of() will need.
  enum class Ahead { key, rank };

  Found find(std::string_view member, Ahead ahead) const;
  /// Looks up to kBatch members up at once. Stops before a member that occurs earlier in the batch (or might);
  /// how many were looked up, at least one.
  std::size_t find_batch(std::span<const std::string_view> members, std::span<Found> found, Ahead ahead) const;
  std::uint64_t rank_of(const Found& found) const;

  /// Sets the key of one member; what it was before.
  std::optional<RankKey> upsert(std::string_view member, RankKey key);
  /// Sets the keys that are not nullopt. `found` is what find_batch() has just said of `members`, all different.
  void put_batch(std::span<const std::string_view> members, std::span<Found> found,
                 std::span<const std::optional<RankKey>> next);
  bool erase(std::string_view member);
  std::size_t pop(std::size_t count, Direction direction, Visit visit);

  std::uint64_t lower_bound_rank(RankKey key, std::string_view member) const;
  void visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const;

  std::shared_ptr<FrozenLeaves> freeze();
  void check() const;
  std::size_t memory_bytes() const;

 private:
  friend class TreeLoader;

  /// An entry on its way into a leaf that may be full.
  struct NewEntry {
    std::uint32_t leaf;  ///< where the table and the counts already say it is
    std::uint64_t hash;
    std::string_view member;
    RankKey key;
  };
  struct Spreading;

  Leaf& leaf(std::uint32_t id) const { return *reinterpret_cast<Leaf*>(leaves_->at(id)); }
  InnerNode& inner(std::uint32_t id) const { return *reinterpret_cast<InnerNode*>(inner_nodes_.at(id)); }
  const TieTexts* ties(std::uint32_t id) const { return ties_[id].get(); }
  std::uint32_t new_leaf();
  std::uint32_t new_inner(std::uint32_t level);

  // counted_tree.cpp
  std::uint32_t leaf_for(RankKey key, std::string_view member) const;
  void prefetch_for_rank(std::uint32_t leaf_id) const;
  void prefetch_end(std::uint32_t leaf_id) const;
  void aim(std::span<const std::string_view> members, std::span<const std::optional<RankKey>> next,
           std::span<std::uint32_t> targets) const;
  Found locate(std::uint64_t hash, std::string_view member, Ahead ahead = Ahead::key) const;
  void guess_slots(std::span<Found> found, Ahead ahead) const;
  bool still_there(const Found& found, std::string_view member) const;
  void put(const Found& found, std::string_view member, RankKey key, std::uint32_t target);
  void add(const NewEntry& entry);
  void add_count(std::uint32_t leaf_id, std::int32_t by);
  void move_count(std::uint32_t from, std::uint32_t to);
  /// Before every write to a leaf.
  void preserve(std::uint32_t leaf_id) {
    if (!frozen_.empty()) preserve_for_readers(leaf_id);
  }
  void preserve_for_readers(std::uint32_t leaf_id);
  void pop_from(std::uint32_t leaf_id, std::size_t count, Direction direction, Visit visit);

  // counted_tree_shape.cpp
  void overflow(const NewEntry& entry);
  void relieve(std::uint32_t leaf_id);
  void grow_root();
  void spread(std::uint32_t parent, std::uint32_t first, std::uint32_t run, std::uint32_t goal, const NewEntry* entry);
  void gather(Spreading& work, const NewEntry* entry) const;
  void distribute(Spreading& work, std::vector<Child>& children);
  void replace_children(std::uint32_t node, std::uint32_t first, std::uint32_t count, std::vector<Child>& with);
  void store(std::uint32_t node, std::vector<Child>& children);
  void spread_inner(std::uint32_t node, std::vector<Child>& children);
  void write_inner(std::uint32_t node, std::vector<Child>& from, std::size_t first, std::size_t last);
  void lower_root();

  // counted_tree_read.cpp
  std::uint32_t leaf_at(std::uint64_t rank, std::uint64_t& offset) const;
  std::uint32_t neighbour(std::uint32_t leaf_id, bool next) const;
  std::uint32_t edge_leaf(bool last) const;
  std::uint64_t check_below(std::uint32_t id, std::uint32_t level, const Child* low, const Child* high) const;
  std::uint64_t check_leaf(std::uint32_t id, const Child* low, const Child* high) const;

  void append_hashes(std::uint32_t leaf_id, std::uint8_t tag, std::vector<std::uint64_t>& out) const override;
  void expect(std::uint32_t leaf_id) const override;

  std::uint64_t hash_seed_;
  std::uint64_t size_ = 0;
  std::uint32_t root_ = 0;    // a leaf while height_ is 0
  std::uint32_t height_ = 0;  // levels of inner nodes
  std::uint64_t shape_changes_ = 0;
  std::shared_ptr<BlockArena> leaves_;
  std::vector<ParentLink> parents_;  // of leaves, by id: known before the leaf itself has come from memory
  BlockArena inner_nodes_{InnerNode::kBlockBytes};
  std::vector<std::unique_ptr<TieTexts>> ties_;  // of inner nodes, by id
  MemberTable table_;
  std::vector<std::shared_ptr<FrozenLeaves>> frozen_;
};

}  // namespace scoreline::ordered
