// Words that the small and the large form share.
#pragma once

#include <string>

#include "ordered/rank_key.h"

namespace scoreline::ordered {

/// A member and its key, owned.
struct Item {
  std::string member;
  RankKey key;
  friend bool operator==(const Item&, const Item&) = default;
};

/// Reading order. Ascending: the smallest key first; equal keys by member bytes.
enum class Direction { ascending, descending };

}  // namespace scoreline::ordered
