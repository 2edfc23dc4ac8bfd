// A standing as a sorted set keeps it: a score, which is a double, and what stands before the player id in the member.
//
// packed: the score is the RankKey, at most 53 bits; nothing before the id. Any program can read such a board.
// wide:   the score is the points, as far as doubles are exact (2^53), beyond that the points less their lowest 11
// bits;
//         before the id stand, as 8 bytes big-endian, the lowest 59 bits of the RankKey: the 11 lowest bits of the
//         points and the time. Equal scores sort by member, bytewise, so that the order is that of RankKey and then
//         player id, and every 64-bit value comes back exactly. With criteria it is 16 bytes: between the two stand the
//         criteria after the points, 8 bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/values.h"

namespace scoreline::redis {

struct Stored {
  std::string score;   ///< a decimal integer, exact as a double
  std::string prefix;  ///< 8 bytes on wide boards, 16 with criteria, else none
};

class MemberCodec {
 public:
  explicit MemberCodec(const leaderboards::Board& board);

  /// Errors: as RankKeyCodec::encode.
  Result<Stored> encode(const leaderboards::Standing& standing) const;

  /// Whether `encode` would take it.
  Result<void> check(const leaderboards::Standing& standing) const {
    return keys_.encode(standing).map([](ordered::RankKey) {});
  }

  /// Points alone, for comparing with what is there: a score, and on wide boards the first two bytes of the prefix.
  /// On packed boards the score is the points; those that no player can have are as good as one more or less.
  Stored encode_points(std::int64_t points) const;

  /// `score` as the server writes it. Errors: damaged, when nobody here wrote it.
  Result<leaderboards::Standing> decode(std::string_view score, std::string_view prefix) const;

  /// Of each member, before the player id.
  std::size_t prefix_bytes() const { return prefix_bytes_; }

 private:
  leaderboards::RankKeyCodec keys_;
  bool wide_;
  bool criteria_;
  std::size_t prefix_bytes_;
};

}  // namespace scoreline::redis
