// The ordered set: members (byte strings) ascending by (RankKey, member bytes), with the rank of each.
//
// Two forms behind one face. Up to kSmallMembers members live in one packed block that is scanned (packed_board.h);
// a board that grows past it becomes a counted B+-tree with a member table (counted_tree.h). A tree that shrinks to
// kDemoteAt members becomes a packed block again and gives its memory back.
//
// Thread safety: none inside; one lock around every call, reads too. A Snapshot, once taken, may be read by one other
// thread while the owner goes on writing.
// Invariants (check() proves them): a member is there once; visits are strictly ascending; counts are exact.
// Cost: O(log n) for each single call, with 2–3 cache misses at 10 million members; batches overlap their misses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordered/function_ref.h"
#include "ordered/packed_board.h"
#include "ordered/rank_key.h"
#include "ordered/snapshot.h"

namespace scoreline::ordered {

class CountedTree;
class TreeLoader;

/// Where a member stands. `rank` counts the members before it, ascending: 0 is the smallest key.
struct Position {
  std::uint64_t rank = 0;
  RankKey key;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Longest member, in bytes. The shortest is the empty string.
inline constexpr std::size_t kMaxMemberBytes = 255;

class RankTree {
 public:
  static constexpr std::size_t kSmallMembers = 32;
  static constexpr std::size_t kDemoteAt = 12;

  /// Called with the place in the batch and the member's key so far (none: absent); answers the key it shall have, or
  /// nullopt to leave it as it is.
  using Decide = FunctionRef<std::optional<RankKey>(std::size_t, std::optional<RankKey>)>;
  /// Called in order. The member's bytes are valid during the call only. Must not touch the tree.
  using Visit = FunctionRef<void(std::string_view, RankKey)>;

  class Builder;

  /// `hash_seed`: one random number a process, so that nobody outside can choose members that collide.
  explicit RankTree(std::uint64_t hash_seed = 0) noexcept;
  RankTree(RankTree&&) noexcept;
  RankTree& operator=(RankTree&&) noexcept;
  ~RankTree();

  std::uint64_t size() const;
  bool empty() const { return size() == 0; }

  // Writes. Members are at most kMaxMemberBytes long.

  /// Sets the key of `member`, new or not; what it was before.
  std::optional<RankKey> upsert(std::string_view member, RankKey key);
  /// False when it was not there.
  bool erase(std::string_view member);
  /// For each member in turn: asks `decide`, and sets what it answers. A member twice in `members` is decided twice,
  /// the second time with the first outcome. Looks ahead, so 16 or more at a time cost a third of single calls.
  void modify(std::span<const std::string_view> members, Decide decide);
  /// Takes away the member with the smallest (or largest) key.
  std::optional<Item> pop_min();
  std::optional<Item> pop_max();
  /// Takes away up to `count` members from the front of `direction`, visiting each; how many there were.
  std::size_t pop(std::size_t count, Direction direction, Visit visit);
  /// Empties it; a large tree's memory goes back to the system.
  void clear();

  // Reads.

  std::optional<RankKey> key_of(std::string_view member) const;
  std::optional<std::uint64_t> rank_of(std::string_view member) const;
  std::optional<Position> position_of(std::string_view member) const;
  /// Answers in the places of `members`; absent ones are nullopt. `out` is as long as `members`.
  void keys_of(std::span<const std::string_view> members, std::span<std::optional<RankKey>> out) const;
  void ranks_of(std::span<const std::string_view> members, std::span<std::optional<std::uint64_t>> out) const;
  void positions_of(std::span<const std::string_view> members, std::span<std::optional<Position>> out) const;

  /// How many members stand before the position (key, member), which need not be there.
  std::uint64_t lower_bound_rank(RankKey key, std::string_view member) const;
  /// How many members have a smaller key.
  std::uint64_t count_below(RankKey key) const { return lower_bound_rank(key, {}); }

  /// Visits up to `count` members, starting after the `first` first ones in reading order: with Direction::descending
  /// `first` 0 is the largest.
  void visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const;

  /// All of it as it is now, readable while writing goes on. O(n / 1000) now; the first write to each leaf copies it.
  Snapshot snapshot();

  // Bulk load.

  /// Loads items in any order; sorts them first. A member must not occur twice.
  static RankTree from_unsorted(std::vector<Item> items, std::uint64_t hash_seed = 0);

  // Upkeep.

  /// Walks everything and stops the process at a broken invariant: order, counts, depth, fill, handles both ways.
  void check() const;
  /// Bytes allocated by this set, with this object.
  std::size_t memory_bytes() const;
  bool is_small() const { return !tree_; }

 private:
  void promote();
  void demote();
  void demote_if_few();

  std::uint64_t hash_seed_;
  PackedBoard packed_;                 // in use while tree_ is null
  std::unique_ptr<CountedTree> tree_;  // the large form
};

/// Builds a RankTree from a stream in ascending order, leaves filled in one pass: 10 million members in seconds.
class RankTree::Builder {
 public:
  /// `expected`: about how many will come (0: unknown); right or wrong, it only saves work.
  explicit Builder(std::uint64_t hash_seed = 0, std::uint64_t expected = 0);
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  ~Builder();

  /// Each (key, member) must be greater than the one before, and no member come twice: a broken invariant otherwise.
  void add(std::string_view member, RankKey key);
  RankTree finish() &&;

 private:
  std::unique_ptr<TreeLoader> loader_;
  std::uint64_t hash_seed_;
};

}  // namespace scoreline::ordered
