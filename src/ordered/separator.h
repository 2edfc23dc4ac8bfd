// What separates two neighbours under one node.
#pragma once

#include <algorithm>
#include <string_view>

#include "ordered/inner_node.h"

namespace scoreline::ordered {

/// Sets the separator before `child`: above (left_key, left), not above (right_key, right), and as short as can be.
/// The tie is needed only where keys are equal across the boundary.
inline void separate(RankKey left_key, std::string_view left, RankKey right_key, std::string_view right, Child& child) {
  child.key = right_key;
  child.tie.clear();
  if (left_key != right_key) return;
  const auto [in_left, in_right] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  child.tie.assign(right.begin(), in_right + 1);
}

}  // namespace scoreline::ordered
