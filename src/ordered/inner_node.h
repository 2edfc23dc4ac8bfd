// An inner node of the counted tree: up to 32 children, with how many members each holds and what separates them.
//
// A separator stands before each child but the first: the smallest (key, member) that may lie under that child. Its
// member part (the tie) is empty as long as keys alone tell the neighbours apart; only where equal keys run across a
// boundary it carries as many member bytes as it takes. Ties live outside (TieTexts), so that nodes without any stay
// compact.
//
// A separator's key is its distance from `base`: the upper 64 bits that the node's span needs are searched; what lies
// below them (`shift` bits, none in the many nodes of narrow span) is looked at only where those are equal.
//
// Invariants: 2 ≤ size ≤ kMaxChildren except for a moment inside a change; separators ascend; counts are exact.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordered/byte_search.h"
#include "ordered/rank_key.h"

namespace scoreline::ordered {

inline constexpr std::uint32_t kMaxChildren = 32;

/// Where a node or a leaf hangs: under which inner node, as its how manieth child. Known without a search.
class ParentLink {
 public:
  ParentLink() = default;
  ParentLink(std::uint32_t node, std::uint32_t place) : value_(node * kMaxChildren + place) {}

  bool is_root() const { return value_ == UINT32_MAX; }
  std::uint32_t node() const { return value_ / kMaxChildren; }
  std::uint32_t place() const { return value_ % kMaxChildren; }

 private:
  std::uint32_t value_ = UINT32_MAX;
};

/// Member parts of the separators of one node; [i] belongs to the separator before child i + 1.
using TieTexts = std::array<std::string, kMaxChildren - 1>;

/// A child with the separator before it.
struct Child {
  std::uint32_t id = 0;
  std::uint32_t count = 0;
  RankKey key;
  std::string tie;
};

struct alignas(64) InnerNode {
  static constexpr std::size_t kBlockBytes = 832;

  Uint128 base;
  ParentLink parent;
  std::uint8_t size;
  std::uint8_t level;                  ///< 1: children are leaves
  std::uint8_t shift;                  ///< 0..64
  bool tied;                           ///< some separator has a tie
  std::uint32_t counts[kMaxChildren];  // next to `parent`: the way up reads both
  /// distance >> shift, lowered by 2^63 so that a signed comparison serves; behind the last one the greatest number
  std::int64_t keys[kMaxChildren];
  std::uint32_t children[kMaxChildren];
  std::uint64_t low_keys[kMaxChildren];  ///< the lowest `shift` bits of the distance

  /// The place of the child under which (key, member) belongs.
  std::uint32_t place_for(RankKey key, std::string_view member, const TieTexts* ties) const;
  /// Members under the children before `place`.
  std::uint32_t count_before(std::uint32_t place) const { return sum_first(counts, place); }
  /// The key of the separator before child `place`, 1 ≤ place < size.
  RankKey separator(std::uint32_t place) const;

  /// The children as values, the first one with an empty separator.
  std::vector<Child> read(const TieTexts* ties) const;
  /// Writes children[first..last) as this node's own; the separator of the first is not kept. `ties` is created when
  /// one is needed and dropped when none is.
  void write(std::vector<Child>& from, std::size_t first, std::size_t last, std::unique_ptr<TieTexts>& ties);
};

static_assert(sizeof(InnerNode) == InnerNode::kBlockBytes);

}  // namespace scoreline::ordered
