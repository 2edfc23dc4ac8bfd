// What does not count though it is recorded: hidden players, void matches. And the log of what was done.
#include <fmt/format.h>

#include "adapters/postgres/postgres_ledger.h"
#include "adapters/postgres/statements.h"
#include "base/limits.h"

namespace scoreline::postgres {

using leaderboards::AuditAction;
using leaderboards::AuditEntry;
using leaderboards::AuditNote;
using leaderboards::LeaderboardName;
using leaderboards::PlayerId;
using leaderboards::StoredAuditEntry;

namespace {

constexpr Statement kHide{
    "hide_player",
    "INSERT INTO hidden_players(leaderboard, player_id, hidden_at, reason) "
    "SELECT name, $2::text, $3::timestamptz, $4::text FROM leaderboards WHERE name = $1::text ON CONFLICT DO NOTHING"};
constexpr Statement kRestore{"restore_player",
                             "DELETE FROM hidden_players WHERE leaderboard = $1::text AND player_id = $2::text"};
constexpr Statement kIsDefined{"is_defined", "SELECT EXISTS (SELECT FROM leaderboards WHERE name = $1::text)"};
constexpr Statement kVoid{
    "void_match",
    "INSERT INTO voided_matches(leaderboard, match_id) SELECT $1::text, $2::uuid "
    "WHERE EXISTS (SELECT FROM match_results WHERE leaderboard = $1::text AND match_id = $2::uuid) "
    "ON CONFLICT DO NOTHING"};
constexpr Statement kStopMatch{"stop_match",
                               "UPDATE match_results SET erased = true WHERE leaderboard = $1::text "
                               "AND match_id = $2::uuid AND NOT erased RETURNING player_id"};
constexpr Statement kIsVoid{
    "is_void", "SELECT EXISTS (SELECT FROM voided_matches WHERE leaderboard = $1::text AND match_id = $2::uuid)"};
constexpr Statement kAuditLog{
    "audit_log",
    "SELECT id, at, action, leaderboard, season_id, player_id, match_id, by, detail FROM audit_log "
    "WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint"};
constexpr Statement kLastAuditId{"last_audit_id", "SELECT coalesce(max(id), 0) FROM audit_log"};
// As kSince of a scan: what was restored from another server's dump was there before.
constexpr Statement kAuditSince{
    "audit_since",
    "SELECT id, at, action, leaderboard, season_id, player_id, match_id, by, detail FROM audit_log "
    "WHERE tx >= $1::bigint AND tx < pg_snapshot_xmax(pg_current_snapshot())::text::bigint ORDER BY id"};
constexpr Statement kPlayersOfMatch{
    "players_of_match", "SELECT player_id FROM match_results WHERE leaderboard = $1::text AND match_id = $2::uuid"};
constexpr Statement kResultsOfPlayers{
    "results_of_players",
    "SELECT leaderboard, season_id, player_id, match_id, points, achieved_at, extra FROM match_results AS r "
    "WHERE leaderboard = $1::text AND player_id = ANY($2::text[]) AND NOT erased AND NOT EXISTS "
    "(SELECT FROM hidden_players AS h WHERE h.leaderboard = r.leaderboard AND h.player_id = r.player_id)"};
constexpr Statement kHiddenPlayers{
    "hidden_players", "SELECT leaderboard, player_id, hidden_at, reason FROM hidden_players ORDER BY leaderboard"};

Call call_on(const Statement& statement, const LeaderboardName& leaderboard) {
  Call call{&statement, {}};
  call.parameters.add(leaderboard.text());
  return call;
}

Result<StoredAuditEntry> read_entry(const Rows& rows, int row) {
  const auto action = leaderboards::parse_audit_action(rows.bytes(row, 2));
  if (!action) return fail(action.error());
  AuditEntry entry{*action, LeaderboardName::trusted(std::string(rows.bytes(row, 3)))};
  if (!rows.is_null(row, 4)) entry.season = leaderboards::SeasonId{static_cast<std::int32_t>(rows.integer(row, 4))};
  if (!rows.is_null(row, 5)) entry.player = PlayerId::trusted(std::string(rows.bytes(row, 5)));
  if (!rows.is_null(row, 6)) entry.match = rows.uuid(row, 6);
  entry.note = {rows.time(row, 1), std::string(rows.bytes(row, 7)), std::string(rows.bytes(row, 8))};
  return StoredAuditEntry{rows.integer(row, 0), std::move(entry)};
}

}  // namespace

Call log_call(const AuditEntry& entry, const Statement& statement) {
  Call call{&statement, {}};
  call.parameters.add(entry.note.at).add(to_string(entry.action)).add(entry.leaderboard.text());
  entry.season ? call.parameters.add(entry.season->value) : call.parameters.add_null();
  entry.player ? call.parameters.add(entry.player->text()) : call.parameters.add_null();
  entry.match ? call.parameters.add(*entry.match) : call.parameters.add_null();
  call.parameters.add(entry.note.by).add(entry.note.detail);
  return call;
}

Result<void> PostgresLedger::add_to_audit(const AuditEntry& entry) {
  const Call calls[] = {allow_time(), {&kBumpDefinitions, {}}, log_call(entry, kLog)};
  const auto rows = change("writing the audit log", calls);
  return rows ? Result<void>{} : fail(rows.error());
}

Result<leaderboards::AuditId> PostgresLedger::last_audit_id() {
  return read("reading the audit log", {&kLastAuditId, {}}).map([](const Rows& rows) { return rows.integer(0, 0); });
}

Result<void> PostgresLedger::audit_since(Watermark since, const std::function<void(const AuditEntry&)>& visit) {
  Call call{&kAuditSince, {}};
  call.parameters.add(since.tx);
  const auto rows = read_much("reading the audit log", std::move(call));
  if (!rows) return fail(rows.error());
  for (int row = 0; row < rows->size(); ++row) {
    const auto stored = read_entry(*rows, row);
    if (!stored) return fail(stored.error());
    visit(stored->entry);
  }
  return {};
}

Result<std::vector<PlayerId>> PostgresLedger::players_of_match(const LeaderboardName& leaderboard,
                                                               const Uuid& match_id) {
  Call call = call_on(kPlayersOfMatch, leaderboard);
  call.parameters.add(match_id);
  const auto rows = read_much("reading the players of a match", std::move(call));
  if (!rows) return fail(rows.error());
  std::vector<PlayerId> players;
  for (int row = 0; row < rows->size(); ++row) players.push_back(PlayerId::trusted(std::string(rows->bytes(row, 0))));
  return players;
}

Result<std::vector<StoredAuditEntry>> PostgresLedger::audit_log(leaderboards::AuditId after, std::size_t limit) {
  SCORELINE_CHECK(limit >= 1 && limit <= kMaxEntries);
  Call call{&kAuditLog, {}};
  call.parameters.add(after).add(static_cast<std::int64_t>(limit));
  const auto rows = read("reading the audit log", std::move(call));
  if (!rows) return fail(rows.error());
  std::vector<StoredAuditEntry> entries;
  for (int row = 0; row < rows->size(); ++row) {
    auto entry = read_entry(*rows, row);
    if (!entry) return fail(entry.error());
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Result<bool> PostgresLedger::hide_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                         const AuditNote& note) {
  Call hide = call_on(kHide, leaderboard);
  hide.parameters.add(player.text()).add(note.at).add(note.detail);
  const AuditEntry entry{AuditAction::hide_player, leaderboard, {}, player, {}, note};
  const Call calls[] = {allow_time(),
                        call_on(kLockDefinition, leaderboard),
                        {&kBumpDefinitions, {}},
                        log_call(entry, kLogUnlessHidden),
                        std::move(hide),
                        call_on(kIsDefined, leaderboard)};
  const auto rows = change("hiding a player", calls);
  if (!rows) return fail(rows.error());
  if (rows->back().integer(0, 0) == 0) {
    return fail(Code::not_found, fmt::format("there is no leaderboard {}", leaderboard.text()), "leaderboard");
  }
  return (*rows)[4].affected() == 1;
}

Result<bool> PostgresLedger::restore_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                            const AuditNote& note) {
  Call restore = call_on(kRestore, leaderboard);
  restore.parameters.add(player.text());
  const AuditEntry entry{AuditAction::restore_player, leaderboard, {}, player, {}, note};
  const Call calls[] = {allow_time(),
                        call_on(kLockDefinition, leaderboard),
                        {&kBumpDefinitions, {}},
                        log_call(entry, kLogIfHidden),
                        std::move(restore)};
  const auto rows = change("restoring a player", calls);
  if (!rows) return fail(rows.error());
  return rows->back().affected() == 1;
}

Result<std::vector<PlayerId>> PostgresLedger::void_match(const LeaderboardName& leaderboard, const Uuid& match_id,
                                                         const AuditNote& note) {
  const auto of_match = [&](const Statement& statement) {
    Call call = call_on(statement, leaderboard);
    call.parameters.add(match_id);
    return call;
  };
  const AuditEntry entry{AuditAction::void_match, leaderboard, {}, {}, match_id, note};
  // Under the lock no append is under way: none can bring a result of the match that we do not see.
  const Call calls[] = {allow_time(),
                        call_on(kLockDefinition, leaderboard),
                        {&kBumpDefinitions, {}},
                        log_call(entry, kLogUnlessVoid),
                        of_match(kVoid),
                        of_match(kStopMatch),
                        of_match(kIsVoid)};
  const auto rows = change("voiding a match", calls);
  if (!rows) return fail(rows.error());
  if (rows->back().integer(0, 0) == 0) return fail(Code::not_found, "no result of this match is kept", "matchId");
  std::vector<PlayerId> players;
  const Rows& stopped = (*rows)[5];
  for (int row = 0; row < stopped.size(); ++row) {
    players.push_back(PlayerId::trusted(std::string(stopped.bytes(row, 0))));
  }
  return players;
}

Result<void> PostgresLedger::results_of_players(const LeaderboardName& leaderboard, std::span<const PlayerId> players,
                                                const std::function<void(const leaderboards::LedgerRow&)>& visit) {
  std::vector<std::string> names;
  names.reserve(players.size());
  for (const PlayerId& player : players) names.push_back(player.text());
  Call call = call_on(kResultsOfPlayers, leaderboard);
  call.parameters.add(names);
  const auto rows = read_much("reading the results of players", std::move(call));
  if (!rows) return fail(rows.error());
  for (int row = 0; row < rows->size(); ++row) visit(ledger_row(*rows, row));
  return {};
}

Result<void> PostgresLedger::read_hidden(std::vector<leaderboards::LeaderboardRecord>& records) {
  const auto rows = read("reading hidden players", {&kHiddenPlayers, {}});
  if (!rows) return fail(rows.error());
  // Both are sorted by leaderboard.
  auto record = records.begin();
  for (int row = 0; row < rows->size(); ++row) {
    while (record != records.end() && record->definition.name.text() < rows->bytes(row, 0)) ++record;
    if (record == records.end()) break;
    if (record->definition.name.text() != rows->bytes(row, 0)) continue;  // defined since the others were read
    record->hidden.push_back(
        {PlayerId::trusted(std::string(rows->bytes(row, 1))), rows->time(row, 2), std::string(rows->bytes(row, 3))});
  }
  return {};
}

}  // namespace scoreline::postgres
