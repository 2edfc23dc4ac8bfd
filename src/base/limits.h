// Limits on every input. Over one of them the answer is an error that names it, never a slow or a cut reply.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace scoreline {

inline constexpr std::size_t kMaxPlayerIdBytes = 128;
inline constexpr std::size_t kMaxLeaderboardNameBytes = 64;
inline constexpr std::size_t kMaxLeaderboards = 10'000;
inline constexpr std::size_t kMaxSeasons = 10'000;         ///< of one leaderboard
inline constexpr std::size_t kMaxHiddenPlayers = 100'000;  ///< of one leaderboard
inline constexpr std::int64_t kMaxSeasonId = 2'147'483'647;
inline constexpr int kMaxScale = 9;
inline constexpr std::size_t kMaxCriteria = 4;  ///< of one leaderboard, the points among them
inline constexpr std::size_t kMaxCriterionNameBytes = 32;
/// Of a reason that is given for a change.
inline constexpr std::size_t kMaxReasonBytes = 1'000;
inline constexpr int kMaxKeepDays = 366;   ///< boards of past days
inline constexpr int kMaxKeepWeeks = 104;  ///< boards of past weeks

/// Results in one request or one append to the ledger.
inline constexpr std::size_t kMaxBatch = 10'000;
/// Entries in one read (top, range) and players in one friends read.
inline constexpr std::size_t kMaxEntries = 1'000;
inline constexpr std::size_t kMaxRadius = 100;
/// Results that wait for the ledger in this process; over it: Code::overloaded.
inline constexpr std::size_t kMaxPendingResults = 200'000;

/// How far in the future achieved_at may lie: clocks of game servers differ a little.
inline constexpr std::chrono::milliseconds kMaxClockSkew = std::chrono::minutes{5};

inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxBodyBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
inline constexpr std::size_t kMaxTargetBytes = 4 * 1024;  ///< path and query of an HTTP request
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;   ///< one line of CSV or NDJSON

}  // namespace scoreline
