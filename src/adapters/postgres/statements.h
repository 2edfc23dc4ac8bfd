// Statements that more than one file sends. $1 and so on are always values, never parts of the SQL.
#pragma once

#include "adapters/postgres/session.h"

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

}  // namespace scoreline::postgres
