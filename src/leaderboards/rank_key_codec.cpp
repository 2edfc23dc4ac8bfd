#include "leaderboards/rank_key_codec.h"

#include <algorithm>
#include <string>

namespace scoreline::leaderboards {
namespace {

using ordered::RankKey;
using ordered::Uint128;

constexpr int kPackedTimeBits = 32;
constexpr std::uint64_t kPackedTimeMask = (std::uint64_t{1} << kPackedTimeBits) - 1;
constexpr int kWideTimeBits = 48;
constexpr std::uint64_t kWideTimeMask = (std::uint64_t{1} << kWideTimeBits) - 1;

static_assert(kMaxTimestamp.ms - kMinTimestamp.ms <= static_cast<std::int64_t>(kWideTimeMask));

/// Whole seconds from `start` to `at`, which is not before it.
std::int64_t seconds_since(Timestamp start, Timestamp at) { return (at.ms - start.ms) / 1000; }

}  // namespace

RankKeyCodec::RankKeyCodec(const Board& board)
    : kind_(board.key),
      time_counts_down_((board.order == Order::descending) == (board.ties != Ties::last)),
      time_bits_(board.key == KeyKind::packed ? kPackedTimeBits : kWideTimeBits),
      extra_bits_(board.extra_bits),
      points_bits_(board.points_bits),
      least_points_(board.least_points),
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
  if (kind_ == KeyKind::wide && extra_bits_ > 0) {
    const std::uint64_t above = static_cast<std::uint64_t>(standing.points) - static_cast<std::uint64_t>(least_points_);
    if (standing.points < least_points_ || (points_bits_ < 64 && above >> points_bits_ != 0)) {
      return fail(Code::invalid, "must be within the leaderboard's range", "points");
    }
    if (extra_bits_ < 64 && standing.extra >> extra_bits_ != 0) {
      return fail(Code::invalid, "must be within their ranges", "criteria");
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
  const Uint128 points = static_cast<std::uint64_t>(standing.points) - static_cast<std::uint64_t>(least_points_);
  const auto elapsed = static_cast<std::uint64_t>(standing.achieved_at.ms - kMinTimestamp.ms);
  const std::uint64_t time = time_counts_down_ ? kWideTimeMask - elapsed : elapsed;
  return RankKey{(((points << extra_bits_) | standing.extra) << kWideTimeBits) | time};
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
  const Uint128 criteria = key.value >> kWideTimeBits;
  const auto points = static_cast<std::uint64_t>(criteria >> extra_bits_) + static_cast<std::uint64_t>(least_points_);
  const auto extra = static_cast<std::uint64_t>(criteria & ((Uint128{1} << extra_bits_) - 1));
  return Standing{static_cast<std::int64_t>(points), Timestamp{kMinTimestamp.ms + elapsed}, extra};
}

std::optional<RankKey> RankKeyCodec::end_of(RankKey key_class) const {
  const Uint128 next = key_class.value + 1;
  if (next >> (128 - time_bits_) != 0) return std::nullopt;
  return RankKey{next << time_bits_};
}

std::optional<RankKey> RankKeyCodec::least_key(std::int64_t points) const {
  if (kind_ == KeyKind::packed) {
    if (points > kMaxPackedPoints) return std::nullopt;
    return RankKey{static_cast<std::uint64_t>(std::max<std::int64_t>(points, 0)) << kPackedTimeBits};
  }
  if (points <= least_points_) return RankKey{};
  const std::uint64_t above = static_cast<std::uint64_t>(points) - static_cast<std::uint64_t>(least_points_);
  if (points_bits_ < 64 && above >> points_bits_ != 0) return std::nullopt;
  return RankKey{Uint128{above} << (extra_bits_ + kWideTimeBits)};
}

}  // namespace scoreline::leaderboards
