#include "adapters/redis/member_codec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "ordered/rank_key.h"

namespace scoreline::redis {

using leaderboards::Board;
using leaderboards::KeyKind;
using leaderboards::Standing;
using ordered::RankKey;
using ordered::Uint128;

namespace {

constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
constexpr std::int64_t kLowBits = 2047;
constexpr int kTimeBits = 48;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;

/// What a double keeps of points: all of them, or all but the lowest bits. Grows with the points.
std::int64_t score_of(std::int64_t points) {
  const bool exact = points >= -kExactInDouble && points <= kExactInDouble;
  return exact ? points : points & ~kLowBits;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
}

std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
  return value;
}

tl::unexpected<Error> foreign() { return fail(Code::damaged, "the index has an entry that nobody here wrote"); }

/// The integer that a score is.
Result<std::int64_t> integer_of(std::string_view score) {
  double value = 0;
  const auto [end, error] = std::from_chars(score.data(), score.data() + score.size(), value);
  constexpr double kLimit = 9'223'372'036'854'775'808.0;  // 2^63
  if (error != std::errc{} || end != score.data() + score.size() || !(value >= -kLimit && value < kLimit) ||
      std::trunc(value) != value) {
    return foreign();
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

MemberCodec::MemberCodec(const Board& board)
    : keys_(board),
      wide_(board.key == KeyKind::wide),
      criteria_(board.has_criteria()),
      prefix_bytes_(!wide_      ? 0
                    : criteria_ ? 16
                                : 8) {}

Result<Stored> MemberCodec::encode(const Standing& standing) const {
  const auto key = keys_.encode(standing);
  if (!key) return fail(key.error());
  if (!wide_) return Stored{std::to_string(key->low()), {}};
  Stored stored = encode_points(standing.points);
  if (criteria_) append_big_endian(stored.prefix, standing.extra, 8);
  append_big_endian(stored.prefix, key->low() & kTimeMask, 6);
  return stored;
}

Stored MemberCodec::encode_points(std::int64_t points) const {
  if (!wide_)
    return Stored{std::to_string(std::clamp<std::int64_t>(points, -1, leaderboards::kMaxPackedPoints + 1)), {}};
  Stored stored{std::to_string(score_of(points)), {}};
  append_big_endian(stored.prefix, static_cast<std::uint64_t>(points & kLowBits), 2);
  return stored;
}

Result<Standing> MemberCodec::decode(std::string_view score, std::string_view prefix) const {
  const auto number = integer_of(score);
  if (!number) return fail(number.error());
  if (!wide_) {
    if (*number < 0 || *number >= kExactInDouble) return foreign();
    return keys_.decode(RankKey{static_cast<std::uint64_t>(*number)});
  }
  if (prefix.size() != prefix_bytes()) return foreign();
  const auto low = static_cast<std::int64_t>(from_big_endian(prefix.substr(0, 2)));
  const auto points = (*number & ~kLowBits) | low;
  if (low > kLowBits || score_of(points) != *number) return foreign();
  const std::uint64_t extra = criteria_ ? from_big_endian(prefix.substr(2, 8)) : 0;
  const std::uint64_t time = from_big_endian(prefix.substr(prefix.size() - 6));
  // The time reads as that of any key.
  Standing standing = keys_.decode(RankKey{Uint128{time}});
  standing.points = points;
  standing.extra = extra;
  if (criteria_ && !keys_.encode(standing)) return foreign();
  return standing;
}

}  // namespace scoreline::redis
