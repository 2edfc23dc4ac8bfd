// What does not count though it is recorded: hidden players, void matches. And the log of what was done.
#include <fmt/format.h>

#include <algorithm>

#include "adapters/sqlite/rows.h"
#include "adapters/sqlite/sqlite_ledger.h"
#include "base/limits.h"

namespace scoreline::sqlite {

using leaderboards::AuditAction;
using leaderboards::AuditEntry;
using leaderboards::AuditNote;
using leaderboards::LeaderboardName;
using leaderboards::PlayerId;
using leaderboards::StoredAuditEntry;

namespace {

Uuid uuid_of(std::string_view bytes) {
  Uuid uuid;
  std::copy_n(bytes.begin(), std::min(bytes.size(), uuid.bytes.size()), uuid.bytes.begin());
  return uuid;
}

Result<StoredAuditEntry> read_entry(const Statement& row) {
  const auto action = leaderboards::parse_audit_action(row.bytes(2));
  if (!action) return fail(action.error());
  const auto has = [&row](int column) { return row.type(column) != Statement::Type::null; };
  AuditEntry entry{*action, LeaderboardName::trusted(std::string(row.bytes(3)))};
  if (has(4)) entry.season = leaderboards::SeasonId{static_cast<std::int32_t>(row.integer(4))};
  if (has(5)) entry.player = PlayerId::trusted(std::string(row.bytes(5)));
  if (has(6)) entry.match = uuid_of(row.bytes(6));
  entry.note = {Timestamp{row.integer(1)}, std::string(row.bytes(7)), std::string(row.bytes(8))};
  return StoredAuditEntry{row.integer(0), std::move(entry)};
}

}  // namespace

Result<void> SqliteLedger::prepare_voiding() {
  auto is_voided = writer_->connection().prepare(kVoidedRow);
  if (!is_voided) return fail(is_voided.error());
  is_void_ = *std::move(is_voided);
  auto voiding = writer_->connection().prepare("SELECT DISTINCT leaderboard FROM voided_matches");
  if (!voiding) return fail(voiding.error());
  Step step;
  while ((step = voiding->step()) == Step::row) voiding_.emplace(voiding->bytes(0));
  return step == Step::failed ? fail(writer_->connection().error("reading void matches")) : Result<void>{};
}

Result<bool> SqliteLedger::is_void(std::string_view leaderboard, const Uuid& match_id) {
  if (!voiding_.contains(leaderboard)) return false;
  const Step step = is_void_.bind(1, leaderboard).bind(2, match_id.bytes).step();
  if (step == Step::failed) return fail(writer_->abandon("looking for a void match"));
  is_void_.reset();
  return step == Step::row;
}

Result<void> SqliteLedger::log(const AuditEntry& entry, Delta& delta) {
  auto insert = writer_->connection().prepare(
      "INSERT INTO audit_log(at, action, leaderboard, season_id, player_id, match_id, by, detail) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id");
  if (!insert) return fail(writer_->abandon("preparing to log a change"));
  insert->bind(1, entry.note.at.ms).bind(2, to_string(entry.action)).bind(3, entry.leaderboard.text());
  entry.season ? insert->bind(4, std::int64_t{entry.season->value}) : insert->bind_null(4);
  entry.player ? insert->bind(5, entry.player->text()) : insert->bind_null(5);
  entry.match ? insert->bind(6, entry.match->bytes) : insert->bind_null(6);
  insert->bind(7, entry.note.by).bind(8, entry.note.detail);
  if (insert->step() != Step::row) return fail(writer_->abandon("logging a change"));
  const std::int64_t id = insert->integer(0);
  if (insert->step() != Step::done) return fail(writer_->abandon("logging a change"));
  auto row = writer_->connection().prepare(kAuditRow);
  if (!row) return fail(writer_->abandon("preparing to log a change"));
  row->bind(1, id);
  return account(Table::audit_log, *row, +1, delta).map([](std::int64_t) {});
}

Result<void> SqliteLedger::add_to_audit(const AuditEntry& entry) {
  return change("audit", [&](Delta& delta) -> Result<bool> { return log(entry, delta).map([] { return true; }); });
}

Result<leaderboards::AuditId> SqliteLedger::last_audit_id() {
  const std::lock_guard lock(reader_mutex_);
  auto row = reader_->prepare("SELECT coalesce(max(id), 0) FROM audit_log");
  if (!row) return fail(row.error());
  if (row->step() != Step::row) return fail(reader_->error("reading the audit log"));
  return row->integer(0);
}

Result<std::vector<StoredAuditEntry>> SqliteLedger::audit_log(leaderboards::AuditId after, std::size_t limit) {
  SCORELINE_CHECK(limit >= 1 && limit <= kMaxEntries);
  const std::lock_guard lock(reader_mutex_);
  auto rows = reader_->prepare(kAuditRowsAfter);
  if (!rows) return fail(rows.error());
  rows->bind(1, after).bind(2, static_cast<std::int64_t>(limit));
  std::vector<StoredAuditEntry> entries;
  Step step;
  while ((step = rows->step()) == Step::row) {
    auto entry = read_entry(*rows);
    if (!entry) return fail(entry.error());
    entries.push_back(*std::move(entry));
  }
  if (step == Step::failed) return fail(reader_->error("reading the audit log"));
  return entries;
}

Result<bool> SqliteLedger::hide_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                       const AuditNote& note) {
  bool hidden = false;
  auto done = change("hide", [&](Delta& delta) -> Result<bool> {
    // Only of a leaderboard that is there.
    auto put = prepare_change(
        "INSERT INTO hidden_players(leaderboard, player_id, hidden_at, reason) SELECT name, ?2, ?3, ?4 "
        "FROM leaderboards WHERE name = ?1 ON CONFLICT DO NOTHING",
        leaderboard.text(), player.text());
    if (!put) return fail(put.error());
    put->bind(3, note.at.ms).bind(4, note.detail);
    if (auto run = run_change(*put); !run) return fail(run.error());
    hidden = writer_->connection().changes() == 1;
    auto row = prepare_change(kHiddenRow, leaderboard.text(), player.text());
    if (!row) return fail(row.error());
    if (!hidden) {
      const Step step = row->step();
      if (step == Step::failed) return fail(writer_->abandon("reading a hidden player"));
      if (step == Step::row) return false;
      return fail(Code::not_found, fmt::format("there is no leaderboard {}", leaderboard.text()), "leaderboard");
    }
    if (auto after = account(Table::hidden_players, *row, +1, delta); !after) return fail(after.error());
    return log({AuditAction::hide_player, leaderboard, {}, player, {}, note}, delta).map([] { return true; });
  });
  if (!done) return fail(done.error());
  return hidden;
}

Result<bool> SqliteLedger::restore_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                          const AuditNote& note) {
  bool restored = false;
  auto done = change("restore", [&](Delta& delta) -> Result<bool> {
    auto row = prepare_change(kHiddenRow, leaderboard.text(), player.text());
    if (!row) return fail(row.error());
    const auto before = account(Table::hidden_players, *row, -1, delta);
    if (!before) return fail(before.error());
    if (*before == 0) return false;
    restored = true;
    auto remove = prepare_change("DELETE FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?2",
                                 leaderboard.text(), player.text());
    if (!remove) return fail(remove.error());
    if (auto removed = run_change(*remove); !removed) return fail(removed.error());
    return log({AuditAction::restore_player, leaderboard, {}, player, {}, note}, delta).map([] { return true; });
  });
  if (!done) return fail(done.error());
  return restored;
}

Result<std::vector<PlayerId>> SqliteLedger::void_match(const LeaderboardName& leaderboard, const Uuid& match_id,
                                                       const AuditNote& note) {
  std::vector<PlayerId> players;
  auto done = change("void", [&](Delta& delta) -> Result<bool> {
    const auto before = is_void(leaderboard.text(), match_id);
    if (!before) return fail(before.error());
    if (*before) return false;
    auto rows = prepare_change(
        "SELECT player_id, batch > coalesce((SELECT up_to_batch FROM erasures AS e WHERE e.leaderboard = ?1 "
        "AND e.player_id = r.player_id), 0) FROM match_results AS r WHERE leaderboard = ?1 AND match_id = ?2",
        leaderboard.text());
    if (!rows) return fail(rows.error());
    rows->bind(2, match_id.bytes);
    bool any = false;
    Step step;
    while ((step = rows->step()) == Step::row) {
      any = true;
      if (rows->integer(1) != 0) players.push_back(PlayerId::trusted(std::string(rows->bytes(0))));
    }
    if (step == Step::failed) return fail(writer_->abandon("reading the results of a match"));
    if (!any) return fail(Code::not_found, "no result of this match is kept", "matchId");
    auto put = prepare_change("INSERT INTO voided_matches(leaderboard, match_id) VALUES (?1, ?2)", leaderboard.text());
    if (!put) return fail(put.error());
    put->bind(2, match_id.bytes);
    if (auto run = run_change(*put); !run) return fail(run.error());
    auto row = prepare_change(kVoidedRow, leaderboard.text());
    if (!row) return fail(row.error());
    row->bind(2, match_id.bytes);
    if (auto after = account(Table::voided_matches, *row, +1, delta); !after) return fail(after.error());
    return log({AuditAction::void_match, leaderboard, {}, {}, match_id, note}, delta).map([] { return true; });
  });
  if (!done) return fail(done.error());
  voiding_.insert(leaderboard.text());
  return players;
}

Result<std::vector<PlayerId>> SqliteLedger::players_of_match(const LeaderboardName& leaderboard, const Uuid& match_id) {
  const std::lock_guard lock(reader_mutex_);
  auto rows = reader_->prepare("SELECT player_id FROM match_results WHERE leaderboard = ?1 AND match_id = ?2");
  if (!rows) return fail(rows.error());
  rows->bind(1, leaderboard.text()).bind(2, match_id.bytes);
  std::vector<PlayerId> players;
  Step step;
  while ((step = rows->step()) == Step::row) players.push_back(PlayerId::trusted(std::string(rows->bytes(0))));
  if (step == Step::failed) return fail(reader_->error("reading the players of a match"));
  return players;
}

Result<void> SqliteLedger::results_of_players(const LeaderboardName& leaderboard, std::span<const PlayerId> players,
                                              const std::function<void(const leaderboards::LedgerRow&)>& visit) {
  const std::lock_guard lock(reader_mutex_);
  for (const PlayerId& player : players) {
    results_of_player_.bind(1, leaderboard.text()).bind(2, player.text());
    Step step;
    while ((step = results_of_player_.step()) == Step::row) {
      visit({leaderboard.text(),
             {static_cast<std::int32_t>(results_of_player_.integer(1))},
             player.text(),
             uuid_of(results_of_player_.bytes(0)),
             results_of_player_.integer(2),
             Timestamp{results_of_player_.integer(3)},
             static_cast<std::uint64_t>(results_of_player_.integer(4))});
    }
    const Error error = step == Step::failed ? reader_->error("reading the results of a player") : Error{};
    results_of_player_.reset();
    if (step == Step::failed) return fail(error);
  }
  return {};
}

}  // namespace scoreline::sqlite
