// A consistent, ordered, read-only view of a RankTree, readable while the tree goes on changing.
//
// Taking one notes which leaf holds which ranks, O(number of leaves); nothing is copied yet. The first write to a leaf
// afterwards copies it for the view (FrozenLeaves::preserve); a reader copies one leaf at a time under the same mutex.
// So the writer waits at most for one copy of 1.3 KB, and a view costs memory only for what changed.
//
// Thread safety: one thread may read the view while another writes the tree. The view may outlive the tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ordered/function_ref.h"
#include "ordered/item.h"
#include "ordered/rank_key.h"

namespace scoreline::ordered {

class FrozenLeaves;

class Snapshot {
 public:
  using Visit = FunctionRef<void(std::string_view, RankKey)>;

  /// A view of a small board: a plain copy, ascending.
  explicit Snapshot(std::vector<Item> items);
  explicit Snapshot(std::shared_ptr<FrozenLeaves> leaves);
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  std::uint64_t size() const;
  /// As RankTree::visit, of the moment the snapshot was taken.
  void visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const;

 private:
  std::vector<Item> items_;
  std::shared_ptr<FrozenLeaves> leaves_;
};

}  // namespace scoreline::ordered
