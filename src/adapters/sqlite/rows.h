// The rows that checksums cover, column by column: one text for who writes them and who verifies them.
#pragma once

#include <string_view>

namespace scoreline::sqlite {

inline constexpr std::string_view kResultRows =
    "SELECT leaderboard, match_id, player_id, season_id, points, achieved_at, batch, by_player, extra "
    "FROM match_results";
inline constexpr std::string_view kResultRowsOfLeaderboard =
    "SELECT leaderboard, match_id, player_id, season_id, points, achieved_at, batch, by_player, extra "
    "FROM match_results "
    "WHERE leaderboard = ?1";
// Reads every result of the leaderboard.
inline constexpr std::string_view kResultRowsOfPlayer =
    "SELECT leaderboard, match_id, player_id, season_id, points, achieved_at, batch, by_player, extra "
    "FROM match_results "
    "NOT INDEXED WHERE leaderboard = ?1 AND player_id = ?2";

// The index holds all these columns, so that only its own pages are read.
inline constexpr std::string_view kIndexRows =
    "SELECT leaderboard, season_id, player_id, by_player, match_id FROM match_results INDEXED BY "
    "match_results_by_player "
    "WHERE by_player = 1";

inline constexpr std::string_view kLeaderboardRows =
    "SELECT name, rule, \"order\", scale, ties, key, min_points, max_points, grace, top FROM leaderboards";
inline constexpr std::string_view kLeaderboardRow =
    "SELECT name, rule, \"order\", scale, ties, key, min_points, max_points, grace, top FROM leaderboards "
    "WHERE name = ?1";

inline constexpr std::string_view kCalendarRows =
    "SELECT leaderboard, days, weeks, time_zone, week_start, keep_days, keep_weeks, season_cron, season_every, "
    "season_from FROM calendars";
inline constexpr std::string_view kCalendarRow =
    "SELECT leaderboard, days, weeks, time_zone, week_start, keep_days, keep_weeks, season_cron, season_every, "
    "season_from FROM calendars WHERE leaderboard = ?1";

inline constexpr std::string_view kCriterionRows =
    "SELECT leaderboard, place, name, \"order\", scale, min, max FROM criteria";
inline constexpr std::string_view kCriterionRowsOfLeaderboard =
    "SELECT leaderboard, place, name, \"order\", scale, min, max FROM criteria WHERE leaderboard = ?1";

inline constexpr std::string_view kSeasonRows = "SELECT leaderboard, season_id, start_at, end_at FROM seasons";
inline constexpr std::string_view kSeasonRowsOfLeaderboard =
    "SELECT leaderboard, season_id, start_at, end_at FROM seasons WHERE leaderboard = ?1";
inline constexpr std::string_view kSeasonRow =
    "SELECT leaderboard, season_id, start_at, end_at FROM seasons WHERE leaderboard = ?1 AND season_id = ?2";

inline constexpr std::string_view kClosingRows =
    "SELECT leaderboard, season_id, archive, state, generation, players, anonymous, checksum FROM closings";
inline constexpr std::string_view kClosingRowsOfLeaderboard =
    "SELECT leaderboard, season_id, archive, state, generation, players, anonymous, checksum FROM closings "
    "WHERE leaderboard = ?1";
inline constexpr std::string_view kClosingRow =
    "SELECT leaderboard, season_id, archive, state, generation, players, anonymous, checksum FROM closings "
    "WHERE leaderboard = ?1 AND season_id = ?2";
inline constexpr std::string_view kClosingRowOfArchive =
    "SELECT leaderboard, season_id, archive, state, generation, players, anonymous, checksum FROM closings "
    "WHERE archive = ?1";

// Not sealed themselves: their hashes add up to the checksum of their closing.
inline constexpr std::string_view kArchiveRows =
    "SELECT position, \"rank\", player_id, points, achieved_at, extra FROM archives WHERE archive = ?1 "
    "ORDER BY position";
inline constexpr std::string_view kArchiveRow =
    "SELECT position, \"rank\", player_id, points, achieved_at, extra FROM archives WHERE archive = ?1 "
    "AND position = ?2";

inline constexpr std::string_view kErasureRows = "SELECT leaderboard, player_id, up_to_batch FROM erasures";
inline constexpr std::string_view kErasureRowsOfLeaderboard =
    "SELECT leaderboard, player_id, up_to_batch FROM erasures WHERE leaderboard = ?1";
inline constexpr std::string_view kErasureRow =
    "SELECT leaderboard, player_id, up_to_batch FROM erasures WHERE leaderboard = ?1 AND player_id = ?2";

inline constexpr std::string_view kHiddenRows = "SELECT leaderboard, player_id, hidden_at, reason FROM hidden_players";
inline constexpr std::string_view kHiddenRowsOfLeaderboard =
    "SELECT leaderboard, player_id, hidden_at, reason FROM hidden_players WHERE leaderboard = ?1";
inline constexpr std::string_view kHiddenRow =
    "SELECT leaderboard, player_id, hidden_at, reason FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?2";

inline constexpr std::string_view kVoidedRows = "SELECT leaderboard, match_id FROM voided_matches";
inline constexpr std::string_view kVoidedRowsOfLeaderboard =
    "SELECT leaderboard, match_id FROM voided_matches WHERE leaderboard = ?1";
inline constexpr std::string_view kVoidedRow =
    "SELECT leaderboard, match_id FROM voided_matches WHERE leaderboard = ?1 AND match_id = ?2";

inline constexpr std::string_view kAuditRows =
    "SELECT id, at, action, leaderboard, season_id, player_id, match_id, by, detail FROM audit_log";
inline constexpr std::string_view kAuditRow =
    "SELECT id, at, action, leaderboard, season_id, player_id, match_id, by, detail FROM audit_log WHERE id = ?1";
inline constexpr std::string_view kAuditRowsAfter =
    "SELECT id, at, action, leaderboard, season_id, player_id, match_id, by, detail FROM audit_log WHERE id > ?1 "
    "ORDER BY id LIMIT ?2";

}  // namespace scoreline::sqlite
