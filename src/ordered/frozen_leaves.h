// What a Snapshot of a counted tree and that tree share: where each leaf of that moment can be read.
//
// Invariants: source i holds the members of ranks [starts_[i], starts_[i + 1]) as they were; it is the live leaf until
// the tree is about to write to it, then a copy. Sources are read and replaced under the mutex only, so a reader sees
// a live leaf only while the writer cannot yet be writing to it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ordered/block_arena.h"
#include "ordered/leaf.h"

namespace scoreline::ordered {

class FrozenLeaves {
 public:
  /// The arena is kept alive, so that the view outlives the tree.
  explicit FrozenLeaves(std::shared_ptr<const BlockArena> arena);

  /// While it is being taken: the next leaf in order.
  void add(std::uint32_t leaf, std::uint32_t members);

  /// By the writer, before it writes to, or frees, `leaf`. Cost: a copy of the leaf the first time, then nothing.
  void preserve(std::uint32_t leaf);

  // By the reader.
  std::uint64_t size() const { return starts_.back(); }
  /// The source that holds `rank` < size().
  std::size_t source_of(std::uint64_t rank) const;
  std::uint64_t start(std::size_t source) const { return starts_[source]; }
  /// A copy of the leaf, as it was.
  void read(std::size_t source, Leaf& out) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::shared_ptr<const BlockArena> arena_;
  std::vector<std::uint64_t> starts_{0};
  std::vector<std::uint32_t> source_of_leaf_;  // by leaf id; kNone once preserved. The writer's own
  mutable std::mutex mutex_;
  std::vector<const Leaf*> sources_;      // guarded by mutex_
  BlockArena copies_{Leaf::kBlockBytes};  // guarded by mutex_
};

}  // namespace scoreline::ordered
