// Statements that more than one file sends. $1 and so on are always values, never parts of the SQL.
#pragma once

#include "adapters/postgres/session.h"
#include "leaderboards/audit_log.h"

namespace scoreline::postgres {

// Results are recorded under a shared lock of their leaderboards' definitions, and definitions are changed under an
// exclusive one, each until its transaction ends: so match_results.by_player always says what the rule says, and
// nothing that was being recorded outlives a dropped leaderboard. 64 locks for all leaderboards: a batch may hold many
// leaderboards, and the server's table of locks is small.
inline constexpr Statement kLockDefinitionsShared{
    "lock_definitions_shared",
    "SELECT pg_advisory_xact_lock_shared(1396921202, lock) "
    "FROM (SELECT DISTINCT hashtext(name) & 63 AS lock FROM unnest($1::text[]) AS name) AS locks"};
inline constexpr Statement kLockDefinition{"lock_definition",
                                           "SELECT pg_advisory_xact_lock(1396921202, hashtext($1::text) & 63)"};

/// For the rest of the transaction. $1: milliseconds as text.
inline constexpr Statement kAllowTime{
    "allow_time", "SELECT set_config('statement_timeout', $1::text, true), set_config('lock_timeout', $1::text, true)"};

// A line of the audit log; the one row of `ledger` was locked before, see audit_log. And the same for a change that
// comes behind it in the pipeline, unless that one will find nothing to do.
inline constexpr Statement kLog{
    "log_change",
    "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) VALUES "
    "($1::timestamptz, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text)"};
inline constexpr Statement kLogUnlessHidden{
    "log_hiding",
    "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) "
    "SELECT $1::timestamptz, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text "
    "WHERE NOT EXISTS (SELECT FROM hidden_players WHERE leaderboard = $3::text AND player_id = $5::text) "
    "AND EXISTS (SELECT FROM leaderboards WHERE name = $3::text)"};
inline constexpr Statement kLogIfHidden{
    "log_restoring",
    "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) "
    "SELECT $1::timestamptz, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text "
    "WHERE EXISTS (SELECT FROM hidden_players WHERE leaderboard = $3::text AND player_id = $5::text)"};
inline constexpr Statement kLogUnlessVoid{
    "log_voiding",
    "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) "
    "SELECT $1::timestamptz, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text "
    "WHERE EXISTS (SELECT FROM match_results WHERE leaderboard = $3::text AND match_id = $6::uuid) "
    "AND NOT EXISTS (SELECT FROM voided_matches WHERE leaderboard = $3::text AND match_id = $6::uuid)"};
inline constexpr Statement kLogErasing{
    "log_erasing",
    "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) "
    "SELECT $1::timestamptz, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text "
    "WHERE EXISTS (SELECT FROM match_results WHERE leaderboard = $3::text AND player_id = $5::text)"};
inline constexpr Statement kBumpDefinitions{"bump_definitions",
                                            "UPDATE ledger SET definitions_version = definitions_version + 1"};
Call log_call(const leaderboards::AuditEntry& entry, const Statement& statement);

}  // namespace scoreline::postgres
