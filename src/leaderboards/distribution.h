// How a board's points are spread, and what it takes to have a rank.
//
// Each is made of one or two reads of a board, each of one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "leaderboards/board_reader.h"
#include "leaderboards/definition.h"

namespace scoreline::leaderboards {

inline constexpr std::size_t kMaxBuckets = 100;

/// Who has a rank.
struct RankHolder {
  std::uint64_t players = 0;
  std::optional<Entry> entry;  ///< the first of those who have it; nullopt beyond the last
  /// With these points a player whose result came now would have this rank or a better one. nullopt when any result
  /// does (no entry), or when no points that the leaderboard takes do.
  std::optional<std::int64_t> points_to_reach;
};

/// `points_to_reach` is the entry's points where an equal result ranks level or above (ties last, shared, dense without
/// criteria), else the next better ones.
Result<RankHolder> holder_of(const BoardReader& reader, const Board& board, const Definition& definition,
                             std::uint64_t rank);

struct Bucket {
  PointsRange points;
  std::uint64_t count = 0;
};

struct PercentileCut {
  int percent = 0;
  std::int64_t points = 0;  ///< whoever has them is level with or ahead of this share of the players
};

struct Distribution {
  std::uint64_t players = 0;
  std::vector<Bucket> buckets;  ///< ascending, equally wide but for the last; their counts add up to `players`
  std::vector<PercentileCut> cuts;
};

/// Buckets from the lowest to the highest points there are; fewer when there are not so many values. The counts are of
/// one moment, bounds and cuts of the one before: a player who went beyond the bounds in between counts in the outer
/// bucket. O(buckets * log n).
Result<Distribution> distribution_of(const BoardReader& reader, const Board& board, std::size_t buckets);

}  // namespace scoreline::leaderboards
