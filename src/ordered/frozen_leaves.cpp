#include "ordered/frozen_leaves.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace scoreline::ordered {

FrozenLeaves::FrozenLeaves(std::shared_ptr<const BlockArena> arena)
    : arena_(std::move(arena)), source_of_leaf_(arena_->id_limit(), kNone) {
  starts_.reserve(arena_->blocks_in_use() + 1);
  sources_.reserve(arena_->blocks_in_use());
}

void FrozenLeaves::add(std::uint32_t leaf, std::uint32_t members) {
  source_of_leaf_[leaf] = static_cast<std::uint32_t>(sources_.size());
  sources_.push_back(reinterpret_cast<const Leaf*>(arena_->at(leaf)));
  starts_.push_back(starts_.back() + members);
}

void FrozenLeaves::preserve(std::uint32_t leaf) {
  if (leaf >= source_of_leaf_.size() || source_of_leaf_[leaf] == kNone) return;
  const std::uint32_t source = std::exchange(source_of_leaf_[leaf], kNone);
  const std::lock_guard lock(mutex_);
  auto* const copy = reinterpret_cast<Leaf*>(copies_.at(copies_.allocate()));
  std::memcpy(static_cast<void*>(copy), sources_[source], Leaf::kBlockBytes);
  sources_[source] = copy;
}

std::size_t FrozenLeaves::source_of(std::uint64_t rank) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), rank) - starts_.begin()) - 1;
}

void FrozenLeaves::read(std::size_t source, Leaf& out) const {
  const std::lock_guard lock(mutex_);
  std::memcpy(static_cast<void*>(&out), sources_[source], Leaf::kBlockBytes);
}

}  // namespace scoreline::ordered
