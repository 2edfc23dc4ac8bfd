// The words of the leaderboards room: ids, results, standings, entries. Plain values, no behaviour beyond validity.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "base/uuid.h"
#include "leaderboards/period.h"

namespace scoreline::leaderboards {

/// 1..128 bytes of UTF-8 without control characters; compared bytewise, never normalised.
class PlayerId {
 public:
  /// Errors: Code::invalid, field `playerId`.
  static Result<PlayerId> parse(std::string_view text);
  /// For text that was checked before it was stored.
  static PlayerId trusted(std::string text) { return PlayerId(std::move(text)); }

  const std::string& text() const { return text_; }
  friend auto operator<=>(const PlayerId&, const PlayerId&) = default;

 private:
  explicit PlayerId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// 1..64 characters of a-z, 0-9, `.`, `_`, `-`, beginning with a letter or digit: safe in a path, a key and a metric.
class LeaderboardName {
 public:
  /// Errors: Code::invalid, field `leaderboard`.
  static Result<LeaderboardName> parse(std::string_view text);
  static LeaderboardName trusted(std::string text) { return LeaderboardName(std::move(text)); }

  const std::string& text() const { return text_; }
  friend auto operator<=>(const LeaderboardName&, const LeaderboardName&) = default;

 private:
  explicit LeaderboardName(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// 0..2,147,483,647.
struct SeasonId {
  std::int32_t value = 0;
  /// Errors: Code::invalid, field `seasonId`.
  static Result<SeasonId> from(std::int64_t value);
  friend constexpr auto operator<=>(SeasonId, SeasonId) = default;
};

/// One ranked set.
struct BoardId {
  LeaderboardName leaderboard;
  SeasonId season;
  Period period{};
  friend auto operator<=>(const BoardId&, const BoardId&) = default;
};

/// One player's outcome in one match, valid for its leaderboard.
struct MatchResult {
  LeaderboardName leaderboard;
  Uuid match_id;
  PlayerId player;
  SeasonId season;
  std::int64_t points = 0;  ///< in units of 10^-scale of the leaderboard
  Timestamp achieved_at;
  std::uint64_t extra = 0;  ///< the criteria after the points, in one number (criteria.h); 0 where there are none
};

/// What a board keeps per player.
struct Standing {
  std::int64_t points = 0;  ///< in units of 10^-scale
  Timestamp achieved_at;    ///< when these points were reached; whole seconds on `packed` boards
  std::uint64_t extra = 0;  ///< the criteria after the points, in one number (criteria.h); 0 where there are none
  friend constexpr bool operator==(const Standing&, const Standing&) = default;
};

inline Standing result_of(const MatchResult& result) { return {result.points, result.achieved_at, result.extra}; }

/// Whether they have one rank where equals share ranks.
inline bool are_equal(const Standing& a, const Standing& b) { return a.points == b.points && a.extra == b.extra; }

/// A standing with its rank.
struct Entry {
  std::uint64_t rank = 0;  ///< from 1
  PlayerId player;
  Standing standing;
  /// Where the player stood before, when that was asked for; nullopt in it: not on the board then.
  std::optional<std::optional<std::uint64_t>> previous_rank = {};
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// A stretch of one board, read at one moment.
struct Page {
  std::uint64_t players = 0;  ///< on the whole board
  std::vector<Entry> entries;
  /// Of the first entry, from 1; 0 when there is none. Equals may share a rank, never a position.
  std::uint64_t first_position = 0;
};

/// The codes of the article's script: what a result did.
enum class Outcome : std::int8_t {
  duplicate = -1,  ///< this (leaderboard, match, player) is in the ledger already; nothing changed
  unchanged = 0,   ///< recorded; the standing is no better
  improved = 1,    ///< recorded; the board changed
};

std::string_view to_string(Outcome outcome);

}  // namespace scoreline::leaderboards

template <>
struct std::hash<scoreline::leaderboards::BoardId> {
  std::size_t operator()(const scoreline::leaderboards::BoardId& id) const noexcept {
    const auto season = static_cast<std::size_t>(id.season.value);
    const auto day = static_cast<std::size_t>(id.period.first_day) * 3 + static_cast<std::size_t>(id.period.kind);
    return std::hash<std::string>{}(id.leaderboard.text()) ^ (season * std::size_t{0x9E37'79B9'7F4A'7C15}) ^
           (day * std::size_t{0xC2B2'AE3D'27D4'EB4F});
  }
};
