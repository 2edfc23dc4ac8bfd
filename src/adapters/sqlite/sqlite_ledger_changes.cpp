// The changes of the ledger that are not results: erasing, defining, dropping.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "adapters/sqlite/rows.h"
#include "adapters/sqlite/sqlite_ledger.h"

namespace scoreline::sqlite {

using leaderboards::AuditAction;
using leaderboards::AuditEntry;
using leaderboards::LeaderboardName;

Result<Statement> SqliteLedger::prepare_change(std::string_view sql, std::string_view first, std::string_view second) {
  auto statement = writer_->connection().prepare(sql);
  if (!statement) return fail(writer_->abandon("preparing a change"));
  statement->bind(1, first);
  if (!second.empty()) statement->bind(2, second);
  return statement;
}

Result<std::int64_t> SqliteLedger::account(Table table, Statement& statement, int sign, Delta& delta) {
  std::int64_t rows = 0;
  Step step;
  while ((step = statement.step()) == Step::row) {
    const std::uint64_t hash = hasher_.row(table, statement);
    delta.rows_hash += sign < 0 ? 0 - hash : hash;
    ++rows;
  }
  if (step == Step::failed) return fail(writer_->abandon("reading what changes"));
  statement.reset();
  if (table == Table::match_results) delta.rows += sign * rows;
  return rows;
}

Result<void> SqliteLedger::run_change(Statement& statement) {
  if (!statement.run()) return fail(writer_->abandon("changing the ledger"));
  return {};
}

Result<std::uint64_t> SqliteLedger::erase_player(const LeaderboardName& leaderboard,
                                                 const leaderboards::PlayerId& player, Erase mode,
                                                 const leaderboards::AuditNote& note) {
  std::uint64_t stopped = 0;
  const auto work = [&](Delta& delta) -> Result<bool> {
    auto tombstone = prepare_change(kErasureRow, leaderboard.text(), player.text());
    if (!tombstone) return fail(tombstone.error());
    const Step found = tombstone->step();
    if (found == Step::failed) return fail(writer_->abandon("reading a tombstone"));
    const std::int64_t up_to = found == Step::row ? tombstone->integer(2) : 0;
    tombstone->reset();

    auto results = prepare_change(kResultRowsOfPlayer, leaderboard.text(), player.text());
    if (!results) return fail(results.error());
    Step step;
    bool any = false;
    while ((step = results->step()) == Step::row) {
      any = true;
      if (results->integer(6) <= up_to) continue;
      Uuid match_id;
      std::ranges::copy(results->bytes(1), match_id.bytes.begin());
      const auto voided = is_void(leaderboard.text(), match_id);
      if (!voided) return fail(voided.error());
      if (!*voided) ++stopped;
    }
    if (step == Step::failed) return fail(writer_->abandon("reading the results of a player"));
    results->reset();
    if (mode == Erase::from_boards ? stopped == 0 : !any && up_to == 0) return false;
    const AuditEntry entry{AuditAction::erase_player, leaderboard, {}, player, {}, note};
    if (auto logged = log(entry, delta); !logged) return fail(logged.error());

    const auto erasures_before = account(Table::erasures, *tombstone, -1, delta);
    if (!erasures_before) return fail(erasures_before.error());
    if (mode == Erase::from_boards) {
      auto put =
          prepare_change("INSERT OR REPLACE INTO erasures(leaderboard, player_id, up_to_batch) VALUES (?1, ?2, ?3)",
                         leaderboard.text(), player.text());
      if (!put) return fail(put.error());
      put->bind(3, writer_->next_seq());
      if (auto done = run_change(*put); !done) return fail(done.error());
      const auto erasures_after = account(Table::erasures, *tombstone, +1, delta);
      if (!erasures_after) return fail(erasures_after.error());
      return true;
    }
    const auto results_before = account(Table::match_results, *results, -1, delta);
    if (!results_before) return fail(results_before.error());
    auto forget = prepare_change("DELETE FROM erasures WHERE leaderboard = ?1 AND player_id = ?2", leaderboard.text(),
                                 player.text());
    if (!forget) return fail(forget.error());
    if (auto done = run_change(*forget); !done) return fail(done.error());
    auto remove = prepare_change("DELETE FROM match_results NOT INDEXED WHERE leaderboard = ?1 AND player_id = ?2",
                                 leaderboard.text(), player.text());
    if (!remove) return fail(remove.error());
    if (auto done = run_change(*remove); !done) return fail(done.error());
    return true;
  };
  if (auto done = change("erase", work); !done) return fail(done.error());
  return stopped;
}

Result<void> SqliteLedger::put_definition(const leaderboards::Definition& definition) {
  const bool by_player = definition.rule == leaderboards::Rule::sum;
  auto done = change("define", [&](Delta& delta) -> Result<bool> {
    if (by_player != is_by_player(definition.name.text())) {
      if (auto indexed = index_by_player(definition.name.text(), by_player, delta); !indexed) {
        return fail(indexed.error());
      }
    }
    auto row = prepare_change(kLeaderboardRow, definition.name.text());
    if (!row) return fail(row.error());
    const auto before = account(Table::leaderboards, *row, -1, delta);
    if (!before) return fail(before.error());
    auto put = prepare_change(
        "INSERT INTO leaderboards(name, rule, \"order\", scale, ties, key, min_points, max_points, grace, top) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (name) DO UPDATE SET rule = excluded.rule, "
        "\"order\" = excluded.\"order\", scale = excluded.scale, ties = excluded.ties, key = excluded.key, "
        "min_points = excluded.min_points, max_points = excluded.max_points, grace = excluded.grace, "
        "top = excluded.top",
        definition.name.text());
    if (!put) return fail(put.error());
    put->bind(2, to_string(definition.rule))
        .bind(3, to_string(definition.order))
        .bind(4, std::int64_t{definition.scale})
        .bind(5, to_string(definition.ties))
        .bind(6, to_string(definition.key))
        .bind(7, definition.min_points)
        .bind(8, definition.max_points)
        .bind(9, std::int64_t{definition.grace.count()})
        .bind(10, std::int64_t{definition.top});
    if (auto put_done = run_change(*put); !put_done) return fail(put_done.error());
    const auto after = account(Table::leaderboards, *row, +1, delta);
    if (!after) return fail(after.error());
    if (auto put_calendar_done = put_calendar(definition, delta); !put_calendar_done) {
      return fail(put_calendar_done.error());
    }
    if (auto put_criteria_done = put_criteria(definition, delta); !put_criteria_done) {
      return fail(put_criteria_done.error());
    }
    return true;
  });
  if (!done) return done;
  if (by_player) {
    by_player_.insert(definition.name.text());
  } else {
    by_player_.erase(definition.name.text());
  }
  return done;
}

Result<void> SqliteLedger::put_calendar(const leaderboards::Definition& definition, Delta& delta) {
  const auto& [periods, schedule] = std::tie(definition.periods, definition.schedule);
  auto row = prepare_change(kCalendarRow, definition.name.text());
  if (!row) return fail(row.error());
  if (const auto before = account(Table::calendars, *row, -1, delta); !before) return fail(before.error());
  auto forget = prepare_change("DELETE FROM calendars WHERE leaderboard = ?1", definition.name.text());
  if (!forget) return fail(forget.error());
  if (auto done = run_change(*forget); !done) return done;
  if (periods == leaderboards::PeriodRules{} && schedule == leaderboards::SeasonSchedule{}) return {};
  auto put = prepare_change(
      "INSERT INTO calendars(leaderboard, days, weeks, time_zone, week_start, keep_days, keep_weeks, season_cron, "
      "season_every, season_from) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      definition.name.text());
  if (!put) return fail(put.error());
  put->bind(2, std::int64_t{periods.days})
      .bind(3, std::int64_t{periods.weeks})
      .bind(4, periods.time_zone)
      .bind(5, to_string(periods.week_start))
      .bind(6, std::int64_t{periods.keep_days})
      .bind(7, std::int64_t{periods.keep_weeks});
  schedule.cron ? put->bind(8, *schedule.cron) : put->bind_null(8);
  schedule.every ? put->bind(9, std::int64_t{schedule.every->count()}) : put->bind_null(9);
  schedule.from ? put->bind(10, schedule.from->ms) : put->bind_null(10);
  if (auto done = run_change(*put); !done) return done;
  if (const auto after = account(Table::calendars, *row, +1, delta); !after) return fail(after.error());
  return {};
}

Result<void> SqliteLedger::put_criteria(const leaderboards::Definition& definition, Delta& delta) {
  auto rows = prepare_change(kCriterionRowsOfLeaderboard, definition.name.text());
  if (!rows) return fail(rows.error());
  if (const auto before = account(Table::criteria, *rows, -1, delta); !before) return fail(before.error());
  auto forget = prepare_change("DELETE FROM criteria WHERE leaderboard = ?1", definition.name.text());
  if (!forget) return fail(forget.error());
  if (auto done = run_change(*forget); !done) return done;
  std::int64_t place = 0;
  for (const leaderboards::Criterion& criterion : definition.criteria) {
    auto put = prepare_change(
        "INSERT INTO criteria(leaderboard, place, name, \"order\", scale, min, max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
        "?7)",
        definition.name.text());
    if (!put) return fail(put.error());
    put->bind(2, ++place)
        .bind(3, criterion.name)
        .bind(4, to_string(criterion.order))
        .bind(5, std::int64_t{criterion.scale})
        .bind(6, criterion.min)
        .bind(7, criterion.max);
    if (auto done = run_change(*put); !done) return done;
  }
  if (const auto after = account(Table::criteria, *rows, +1, delta); !after) return fail(after.error());
  return {};
}

Result<void> SqliteLedger::index_by_player(std::string_view leaderboard, bool by_player, Delta& delta) {
  auto rows = prepare_change(kResultRowsOfLeaderboard, leaderboard);
  if (!rows) return fail(rows.error());
  if (auto before = account(Table::match_results, *rows, -1, delta); !before) return fail(before.error());
  auto update = prepare_change("UPDATE match_results SET by_player = ?2 WHERE leaderboard = ?1", leaderboard);
  if (!update) return fail(update.error());
  update->bind(2, std::int64_t{by_player});
  if (auto updated = run_change(*update); !updated) return updated;
  if (auto after = account(Table::match_results, *rows, +1, delta); !after) return fail(after.error());
  return {};
}

Result<void> SqliteLedger::put_season(const LeaderboardName& leaderboard, const leaderboards::Season& season) {
  return change("season", [&](Delta& delta) -> Result<bool> {
    auto row = prepare_change(kSeasonRow, leaderboard.text());
    if (!row) return fail(row.error());
    row->bind(2, std::int64_t{season.id.value});
    const auto before = account(Table::seasons, *row, -1, delta);
    if (!before) return fail(before.error());
    // Only of a leaderboard that is there.
    auto put = prepare_change(
        "INSERT INTO seasons(leaderboard, season_id, start_at, end_at) SELECT name, ?2, ?3, ?4 FROM leaderboards "
        "WHERE name = ?1 ON CONFLICT (leaderboard, season_id) DO UPDATE SET start_at = excluded.start_at, "
        "end_at = excluded.end_at",
        leaderboard.text());
    if (!put) return fail(put.error());
    put->bind(2, std::int64_t{season.id.value});
    season.start ? put->bind(3, season.start->ms) : put->bind_null(3);
    season.end ? put->bind(4, season.end->ms) : put->bind_null(4);
    if (auto done = run_change(*put); !done) return fail(done.error());
    const auto after = account(Table::seasons, *row, +1, delta);
    if (!after) return fail(after.error());
    if (*after == 0) {
      return fail(Code::not_found, fmt::format("there is no leaderboard {}", leaderboard.text()), "leaderboard");
    }
    return true;
  });
}

Result<void> SqliteLedger::drop_leaderboard(const LeaderboardName& leaderboard) {
  struct Part {
    Table table;
    std::string_view rows;
    std::string_view remove;
  };
  // Seasons, calendar and criteria before the leaderboard that they refer to.
  static constexpr Part kParts[] = {
      {Table::match_results, kResultRowsOfLeaderboard, "DELETE FROM match_results WHERE leaderboard = ?1"},
      {Table::erasures, kErasureRowsOfLeaderboard, "DELETE FROM erasures WHERE leaderboard = ?1"},
      {Table::closings, kClosingRowsOfLeaderboard, "DELETE FROM closings WHERE leaderboard = ?1"},
      {Table::hidden_players, kHiddenRowsOfLeaderboard, "DELETE FROM hidden_players WHERE leaderboard = ?1"},
      {Table::voided_matches, kVoidedRowsOfLeaderboard, "DELETE FROM voided_matches WHERE leaderboard = ?1"},
      {Table::seasons, kSeasonRowsOfLeaderboard, "DELETE FROM seasons WHERE leaderboard = ?1"},
      {Table::calendars, kCalendarRow, "DELETE FROM calendars WHERE leaderboard = ?1"},
      {Table::criteria, kCriterionRowsOfLeaderboard, "DELETE FROM criteria WHERE leaderboard = ?1"},
      {Table::leaderboards, kLeaderboardRow, "DELETE FROM leaderboards WHERE name = ?1"},
  };
  auto done = change("drop", [&](Delta& delta) -> Result<bool> {
    for (const std::string_view lines :
         {"DELETE FROM archives WHERE archive IN (SELECT archive FROM closings WHERE leaderboard = ?1)",
          "DELETE FROM archived_players WHERE archive IN (SELECT archive FROM closings WHERE leaderboard = ?1)"}) {
      auto remove = prepare_change(lines, leaderboard.text());
      if (!remove) return fail(remove.error());
      if (auto gone = run_change(*remove); !gone) return fail(gone.error());
    }
    std::int64_t dropped = 0;
    for (const Part& part : kParts) {
      auto rows = prepare_change(part.rows, leaderboard.text());
      if (!rows) return fail(rows.error());
      const auto removed = account(part.table, *rows, -1, delta);
      if (!removed) return fail(removed.error());
      auto remove = prepare_change(part.remove, leaderboard.text());
      if (!remove) return fail(remove.error());
      if (auto gone = run_change(*remove); !gone) return fail(gone.error());
      dropped += *removed;
    }
    if (dropped > 0) return true;
    return fail(Code::not_found, fmt::format("there is no leaderboard {}", leaderboard.text()), "leaderboard");
  });
  if (!done) return done;
  by_player_.erase(leaderboard.text());
  voiding_.erase(leaderboard.text());
  archives_->forget(leaderboard.text());
  return done;
}

}  // namespace scoreline::sqlite
