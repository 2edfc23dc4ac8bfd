#include "ordered/snapshot.h"

#include <algorithm>
#include <utility>

#include "ordered/frozen_leaves.h"

namespace scoreline::ordered {

Snapshot::Snapshot(std::vector<Item> items) : items_(std::move(items)) {}
Snapshot::Snapshot(std::shared_ptr<FrozenLeaves> leaves) : leaves_(std::move(leaves)) {}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

std::uint64_t Snapshot::size() const { return leaves_ ? leaves_->size() : items_.size(); }

void Snapshot::visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const {
  const std::uint64_t members = size();
  if (first >= members) return;
  count = std::min(count, members - first);
  const bool ascending = direction == Direction::ascending;
  std::uint64_t rank = ascending ? first : members - 1 - first;
  if (!leaves_) {
    for (; count > 0; --count, rank += ascending ? 1 : -1) visit(items_[rank].member, items_[rank].key);
    return;
  }
  Leaf leaf;
  std::uint8_t slots[Leaf::kMaxEntries];
  while (count > 0) {
    const std::size_t source = leaves_->source_of(rank);
    leaves_->read(source, leaf);
    leaf.order_of(slots);
    const std::uint64_t start = leaves_->start(source);
    for (; count > 0 && rank >= start && rank < start + leaf.size; --count, rank += ascending ? 1 : -1) {
      visit(leaf.member(slots[rank - start]), leaf.key(slots[rank - start]));
    }
  }
}

}  // namespace scoreline::ordered
