// RankKey: points and time of a standing as the one number that boards are sorted by, the same on every engine.
//
// `packed`, bit for bit the article's ScoreCodec on a descending board with ties `first`:
//     points << 32 | (2^32-1 - seconds since season start)          at most 53 bits, so it is a Redis score by itself
// `wide`, 112 bits, or with criteria up to 128:
//     ((points - least points) << bits of the criteria | criteria) << 48 | (2^48-1 - milliseconds since 1600-01-01)
// where the least points are -2^63 without criteria. Of the criteria, more is further along the ascending order.
// Time counts forward instead of down where the later achiever stands further along the ascending order: ascending
// boards with ties other than `last`, descending ones with ties `last`.
#pragma once

#include <cstdint>
#include <optional>

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

  /// All of the key but the time: the same for players who are equal.
  ordered::RankKey class_of(ordered::RankKey key) const { return {key.value >> time_bits_}; }
  /// The least key of a class; and the one behind its last, nullopt where that is beyond 128 bits.
  ordered::RankKey first_of(ordered::RankKey key_class) const { return {key_class.value << time_bits_}; }
  std::optional<ordered::RankKey> end_of(ordered::RankKey key_class) const;
  /// The least key of these points or more; nullopt where no key has so many.
  std::optional<ordered::RankKey> least_key(std::int64_t points) const;

 private:
  KeyKind kind_;
  bool time_counts_down_;
  int time_bits_;
  int extra_bits_;
  int points_bits_;
  std::int64_t least_points_;
  Timestamp season_start_;
};

}  // namespace scoreline::leaderboards
