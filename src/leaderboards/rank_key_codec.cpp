#include "leaderboards/rank_key_codec.h"

#include <string>

namespace scoreline::leaderboards {
namespace {

using ordered::RankKey;
using ordered::Uint128;

constexpr int kPackedTimeBits = 32;
constexpr std::uint64_t kPackedTimeMask = (std::uint64_t{1} << kPackedTimeBits) - 1;
constexpr int kWideTimeBits = 48;
constexpr std::uint64_t kWideTimeMask = (std::uint64_t{1} << kWideTimeBits) - 1;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

static_assert(kMaxTimestamp.ms - kMinTimestamp.ms <= static_cast<std::int64_t>(kWideTimeMask));

/// Whole seconds from `start` to `at`, which is not before it.
std::int64_t seconds_since(Timestamp start, Timestamp at) { return (at.ms - start.ms) / 1000; }

}  // namespace

RankKeyCodec::RankKeyCodec(const Board& board)
    : kind_(board.key),
      time_counts_down_((board.order == Order::descending) == (board.ties == Ties::first)),
      season_start_(board.season_start) {}

Result<RankKey> RankKeyCodec::encode(const Standing& standing) const {
  const Timestamp at = standing.achieved_at;
  if (at < kMinTimestamp || at > kMaxTimestamp) {
    return fail(Code::invalid, "must be between 1600-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z", "achievedAt");
  }
  if (kind_ == KeyKind::packed) {
    if (standing.points < 0 || standing.points > kMaxPackedPoints) {
      return fail(Code::invalid, "must be 0..2097151 with packed keys", "points");
    }
    if (at < season_start_) {
      return fail(Code::invalid, "must not be before the season's start, " + format_timestamp(season_start_),
                  "achievedAt");
    }
    if (seconds_since(season_start_, at) > kMaxPackedSeconds) {
      return fail(Code::invalid, "must be within 4294967295 seconds of the season's start with packed keys",
                  "achievedAt");
    }
  }
  return encode_valid(standing);
}

RankKey RankKeyCodec::encode_valid(const Standing& standing) const {
  if (kind_ == KeyKind::packed) {
    const auto seconds = static_cast<std::uint64_t>(seconds_since(season_start_, standing.achieved_at));
    const std::uint64_t time = time_counts_down_ ? kPackedTimeMask - seconds : seconds;
    return RankKey{(static_cast<std::uint64_t>(standing.points) << kPackedTimeBits) | time};
  }
  // Adding 2^63 turns the order of signed points into that of unsigned ones.
  const std::uint64_t points = static_cast<std::uint64_t>(standing.points) ^ kSignBit;
  const auto elapsed = static_cast<std::uint64_t>(standing.achieved_at.ms - kMinTimestamp.ms);
  const std::uint64_t time = time_counts_down_ ? kWideTimeMask - elapsed : elapsed;
  return RankKey{(Uint128{points} << kWideTimeBits) | time};
}

Standing RankKeyCodec::decode(RankKey key) const {
  if (kind_ == KeyKind::packed) {
    const std::uint64_t time = key.low() & kPackedTimeMask;
    const auto seconds = static_cast<std::int64_t>(time_counts_down_ ? kPackedTimeMask - time : time);
    return Standing{static_cast<std::int64_t>(key.low() >> kPackedTimeBits),
                    Timestamp{season_start_.ms + seconds * 1000}};
  }
  const std::uint64_t time = key.low() & kWideTimeMask;
  const auto elapsed = static_cast<std::int64_t>(time_counts_down_ ? kWideTimeMask - time : time);
  const auto points = static_cast<std::uint64_t>(key.value >> kWideTimeBits) ^ kSignBit;
  return Standing{static_cast<std::int64_t>(points), Timestamp{kMinTimestamp.ms + elapsed}};
}

}  // namespace scoreline::leaderboards
