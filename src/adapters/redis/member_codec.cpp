#include "adapters/redis/member_codec.h"

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
constexpr int kPrefixBits = 59;
constexpr std::uint64_t kPrefixMask = (std::uint64_t{1} << kPrefixBits) - 1;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

/// What a double keeps of points: all of them, or all but the lowest bits. Grows with the points.
std::int64_t score_of(std::int64_t points) {
  const bool exact = points >= -kExactInDouble && points <= kExactInDouble;
  return exact ? points : points & ~kLowBits;
}

std::string big_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>((value >> (8 * (7 - i))) & 0xFF);
  return bytes;
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

MemberCodec::MemberCodec(const Board& board) : keys_(board), wide_(board.key == KeyKind::wide) {}

Result<Stored> MemberCodec::encode(const Standing& standing) const {
  const auto key = keys_.encode(standing);
  if (!key) return fail(key.error());
  if (!wide_) return Stored{std::to_string(key->low()), {}};
  return Stored{std::to_string(score_of(standing.points)), big_endian(key->low() & kPrefixMask)};
}

Result<Standing> MemberCodec::decode(std::string_view score, std::string_view prefix) const {
  const auto number = integer_of(score);
  if (!number) return fail(number.error());
  if (!wide_) {
    if (*number < 0 || *number >= kExactInDouble) return foreign();
    return keys_.decode(RankKey{static_cast<std::uint64_t>(*number)});
  }
  const std::uint64_t low = from_big_endian(prefix);
  if (prefix.size() != prefix_bytes() || (low & ~kPrefixMask) != 0) return foreign();
  const auto points = (*number & ~kLowBits) | static_cast<std::int64_t>(low >> kTimeBits);
  if (score_of(points) != *number) return foreign();
  const std::uint64_t high = static_cast<std::uint64_t>(points) ^ kSignBit;
  return keys_.decode(RankKey{(Uint128{high} << kTimeBits) | (low & kTimeMask)});
}

}  // namespace scoreline::redis
