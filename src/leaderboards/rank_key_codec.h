// RankKey: points and time of a standing as the one number that boards are sorted by, the same on every engine.
//
// `packed`, bit for bit the article's ScoreCodec on a descending board with ties `first`:
//     points << 32 | (2^32-1 - seconds since season start)          at most 53 bits, so it is a Redis score by itself
// `wide`, 112 bits:
//     (points + 2^63) << 48 | (2^48-1 - milliseconds since 1600-01-01)
// Time counts forward instead of down where the later achiever stands further along the ascending order: ascending
// boards with ties `first`, descending ones with ties `last`.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"
#include "ordered/rank_key.h"

namespace scoreline::leaderboards {

inline constexpr std::int64_t kMaxPackedPoints = (std::int64_t{1} << 21) - 1;   ///< 2,097,151
inline constexpr std::int64_t kMaxPackedSeconds = (std::int64_t{1} << 32) - 1;  ///< 4,294,967,295, 136 years

class RankKeyCodec {
 public:
  explicit RankKeyCodec(const Board& board);

  /// Errors: Code::invalid, field `points` or `achievedAt`, when the standing is out of the key's range. Never wraps.
  Result<ordered::RankKey> encode(const Standing& standing) const;

  /// For a standing that has passed `encode` (or fits by its type: every standing fits a wide key).
  ordered::RankKey encode_valid(const Standing& standing) const;

  /// Exact, but that `packed` keeps whole seconds only.
  Standing decode(ordered::RankKey key) const;

 private:
  KeyKind kind_;
  bool time_counts_down_;
  Timestamp season_start_;
};

}  // namespace scoreline::leaderboards
