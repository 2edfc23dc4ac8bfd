// Jobs in the order of (time, sequence): one line for each thing that a queue has in order.
//
// Blocks of up to 64 entries, each block sorted, and a sorted directory of the blocks. Almost everything that a queue
// does happens at the ends (jobs come to the back, leave at the front, leases end in about the order they began), and
// there it costs no search. In the middle a search of the directory and a short move inside a block do it.
//
// Thread safety: none.
// Invariants (check() proves them): keys strictly ascending; no empty block in the directory; counts exact.
// Cost: at the ends O(1); elsewhere O(log n), and every 64th time a move of the directory (16 KiB for a million keys
// that is not at an end: microseconds). rank() adds up the directory: O(n / 64), 10 µs at a million
// when it is in the cache, 50 µs when it is not.
// Memory: 24 bytes a job when filled from the back, up to 48 with random keys; one block stays when it is empty.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ordered/function_ref.h"

namespace scoreline::queues {

/// A job's number in its slab.
using Slot = std::uint32_t;

class Line {
 public:
  struct Key {
    std::int64_t at = 0;
    std::uint64_t sequence = 0;
    friend constexpr auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    Key key;
    Slot slot = 0;
  };

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Not of an empty line.
  const Entry& front() const { return blocks_[head_].first(); }
  const Entry& back() const { return blocks_.back().last(); }
  /// The entry `places` behind the front, across one border of blocks at most.
  const Entry* near_front(std::size_t places) const;

  /// `key` is not there yet.
  void insert(Key key, Slot slot);
  /// `key` is there.
  void erase(Key key);
  void pop_front();
  /// How many keys come before `key`, which need not be there.
  std::size_t rank(Key key) const;
  /// From the place `first` (0 is the front) on, until `visit` answers false.
  void visit(std::size_t first, ordered::FunctionRef<bool(const Entry&)> visit) const;

  std::size_t memory_bytes() const;
  void check() const;

 private:
  static constexpr std::size_t kBlockEntries = 64;
  struct Entries {
    Entry at[kBlockEntries];
  };
  struct Block {
    Key low;  ///< no key in it is less; those of the blocks before it are
    std::unique_ptr<Entries> entries;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    std::size_t size() const { return end - begin; }
    const Entry& first() const { return entries->at[begin]; }
    const Entry& last() const { return entries->at[end - 1]; }
    std::uint32_t lower_bound(Key key) const;
  };

  std::size_t block_of(Key key) const;
  std::unique_ptr<Entries> take_entries();
  void append(Key key, Slot slot);
  void insert_into(std::size_t block, Key key, Slot slot);
  std::size_t split(std::size_t block, Key key);
  void drop_block(std::size_t block);
  void merge_if_few(std::size_t block);
  bool merge_with_next(std::size_t block);

  std::vector<Block> blocks_;
  std::size_t head_ = 0;  // blocks before it have been used up
  std::size_t size_ = 0;
  std::unique_ptr<Entries> spare_;
};

}  // namespace scoreline::queues
