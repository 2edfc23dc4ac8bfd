#include "http/cursor.h"

#include <xxhash.h>

#include <cstdint>

namespace scoreline::http {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Goes into the checksum: a cursor of another layout does not pass.
constexpr std::uint32_t kLayout = 3;
constexpr std::size_t kMaxCursorBytes = 512;

/// Base64url without padding (RFC 4648, section 5).
std::string base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6;) {
      held -= 6;
      out += kAlphabet[(bits >> held) & 63];
    }
  }
  if (held > 0) out += kAlphabet[(bits << (6 - held)) & 63];
  return out;
}

/// Empty when `text` is not base64url; bits that fill up the last character are not looked at.
std::string from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((held += 6) < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 255);
  }
  return out;
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
}

std::uint64_t take(std::string_view& in, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(bytes);
  return value;
}

std::uint32_t checksum(std::string_view bytes) { return XXH32(bytes.data(), bytes.size(), kLayout); }

// checksum, season, period, points, time, extra, direction, size of name
constexpr std::size_t kFixedBytes = 4 + 4 + 1 + 4 + 8 + 8 + 8 + 1 + 1;

}  // namespace

std::string encode_cursor(const Cursor& cursor) {
  std::string body;
  put(body, static_cast<std::uint64_t>(cursor.board.season.value), 4);
  put(body, static_cast<std::uint64_t>(cursor.board.period.kind), 1);
  put(body, static_cast<std::uint32_t>(cursor.board.period.first_day), 4);
  put(body, static_cast<std::uint64_t>(cursor.standing.points), 8);
  put(body, static_cast<std::uint64_t>(cursor.standing.achieved_at.ms), 8);
  put(body, cursor.standing.extra, 8);
  put(body, cursor.backwards ? 1 : 0, 1);
  put(body, cursor.board.leaderboard.text().size(), 1);
  body += cursor.board.leaderboard.text();
  body += cursor.player.text();
  std::string bytes;
  put(bytes, checksum(body), 4);
  return base64url(bytes + body);
}

Result<Cursor> decode_cursor(std::string_view text) {
  const auto refuse = [] {
    return fail(Code::invalid, "must be the `next` or `previous` of an earlier page, unchanged", "cursor");
  };
  if (text.size() > kMaxCursorBytes) return refuse();
  const std::string bytes = from_base64url(text);
  std::string_view rest = bytes;
  if (rest.size() < kFixedBytes) return refuse();
  const std::uint64_t written = take(rest, 4);
  if (written != checksum(rest)) return refuse();
  const auto season = leaderboards::SeasonId::from(static_cast<std::int64_t>(take(rest, 4)));
  const auto kind = static_cast<leaderboards::Period::Kind>(take(rest, 1));
  const auto first_day = static_cast<std::int32_t>(static_cast<std::uint32_t>(take(rest, 4)));
  const auto points = static_cast<std::int64_t>(take(rest, 8));
  const auto at = static_cast<std::int64_t>(take(rest, 8));
  const std::uint64_t extra = take(rest, 8);
  const bool backwards = take(rest, 1) == 1;
  const std::size_t name_size = take(rest, 1);
  if (rest.size() < name_size) return refuse();
  const auto name = leaderboards::LeaderboardName::parse(rest.substr(0, name_size));
  const auto player = leaderboards::PlayerId::parse(rest.substr(name_size));
  if (!season || !name || !player) return refuse();
  return Cursor{{*name, *season, {kind, first_day}}, *player, {points, {at}, extra}, backwards};
}

}  // namespace scoreline::http
