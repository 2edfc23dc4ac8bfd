#include "leaderboards/values.h"

#include <algorithm>

#include "base/limits.h"
#include "base/utf8.h"

namespace scoreline::leaderboards {

Result<PlayerId> PlayerId::parse(std::string_view text) {
  if (text.empty() || text.size() > kMaxPlayerIdBytes || !is_utf8(text) || has_control_character(text)) {
    return fail(Code::invalid, "must be 1..128 bytes of UTF-8 without control characters", "playerId");
  }
  return PlayerId(std::string(text));
}

Result<LeaderboardName> LeaderboardName::parse(std::string_view text) {
  const auto letter_or_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto allowed = [&](char c) { return letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  if (text.empty() || text.size() > kMaxLeaderboardNameBytes || !letter_or_digit(text.front()) ||
      !std::all_of(text.begin(), text.end(), allowed)) {
    return fail(Code::invalid,
                "must be 1..64 characters of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit",
                "leaderboard");
  }
  return LeaderboardName(std::string(text));
}

Result<SeasonId> SeasonId::from(std::int64_t value) {
  if (value < 0 || value > kMaxSeasonId) {
    return fail(Code::invalid, "must be a whole number 0..2147483647", "seasonId");
  }
  return SeasonId{static_cast<std::int32_t>(value)};
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::duplicate: return "duplicate";
    case Outcome::unchanged: return "unchanged";
    case Outcome::improved: return "improved";
  }
  return "unchanged";
}

}  // namespace scoreline::leaderboards
