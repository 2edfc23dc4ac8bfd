// The changes of the ledger that are not results: erasing, defining, dropping.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/postgres/postgres_ledger.h"
#include "adapters/postgres/statements.h"

namespace scoreline::postgres {

using leaderboards::LeaderboardName;
using leaderboards::LeaderboardRecord;

namespace {

constexpr Statement kEraseFromBoards{
    "erase_from_boards",
    "WITH stopped AS (UPDATE match_results SET erased = true "
    "WHERE leaderboard = $1::text AND player_id = $2::text AND NOT erased RETURNING 1) SELECT count(*) FROM stopped"};
constexpr Statement kEraseFromLedger{
    "erase_from_ledger",
    "WITH gone AS (DELETE FROM match_results WHERE leaderboard = $1::text AND player_id = $2::text RETURNING erased) "
    "SELECT count(*) FILTER (WHERE NOT erased) FROM gone"};
constexpr Statement kPutDefinition{
    "put_definition",
    "INSERT INTO leaderboards(name, rule, \"order\", scale, ties, key, min_points, max_points, grace, top) "
    "VALUES ($1::text, $2::text, $3::text, $4::integer, $5::text, $6::text, $7::bigint, $8::bigint, $9::bigint, "
    "$10::integer) ON CONFLICT (name) DO UPDATE SET rule = excluded.rule, \"order\" = excluded.\"order\", "
    "scale = excluded.scale, ties = excluded.ties, key = excluded.key, min_points = excluded.min_points, "
    "max_points = excluded.max_points, grace = excluded.grace, top = excluded.top"};
constexpr Statement kForgetCalendar{"forget_calendar", "DELETE FROM calendars WHERE leaderboard = $1::text"};
constexpr Statement kPutCalendar{
    "put_calendar",
    "INSERT INTO calendars(leaderboard, days, weeks, time_zone, week_start, keep_days, keep_weeks, season_cron, "
    "season_every, season_from) VALUES ($1::text, $2::integer = 1, $3::integer = 1, $4::text, $5::text, $6::integer, "
    "$7::integer, nullif($8::text, ''), nullif($9::bigint, 0), $10::timestamptz)"};
constexpr Statement kForgetCriteria{"forget_criteria", "DELETE FROM criteria WHERE leaderboard = $1::text"};
constexpr Statement kPutCriterion{
    "put_criterion",
    "INSERT INTO criteria(leaderboard, place, name, \"order\", scale, min, max) "
    "VALUES ($1::text, $2::integer, $3::text, $4::text, $5::integer, $6::bigint, $7::bigint)"};
constexpr Statement kIndexByPlayer{"index_by_player",
                                   "UPDATE match_results SET by_player = $2::text = 'sum' "
                                   "WHERE leaderboard = $1::text AND by_player <> ($2::text = 'sum')"};
constexpr Statement kPutSeason{
    "put_season",
    "INSERT INTO seasons(leaderboard, season_id, start_at, end_at) "
    "SELECT name, $2::integer, $3::timestamptz, $4::timestamptz FROM leaderboards WHERE name = $1::text "
    "ON CONFLICT (leaderboard, season_id) DO UPDATE SET start_at = excluded.start_at, end_at = excluded.end_at"};
constexpr Statement kDropArchives{"drop_archives",
                                  "WITH gone AS (DELETE FROM closings WHERE leaderboard = $1::text RETURNING archive), "
                                  "lines AS (DELETE FROM archives WHERE archive IN (SELECT archive FROM gone)) "
                                  "DELETE FROM archived_players WHERE archive IN (SELECT archive FROM gone)"};
constexpr Statement kDropSeasons{"drop_seasons", "DELETE FROM seasons WHERE leaderboard = $1::text"};
constexpr Statement kDropDefinition{"drop_definition", "DELETE FROM leaderboards WHERE name = $1::text"};
constexpr Statement kDropHidden{"drop_hidden", "DELETE FROM hidden_players WHERE leaderboard = $1::text"};
constexpr Statement kDropVoided{"drop_voided", "DELETE FROM voided_matches WHERE leaderboard = $1::text"};
constexpr Statement kDropResults{"drop_results", "DELETE FROM match_results WHERE leaderboard = $1::text"};
constexpr Statement kLeaderboards{
    "leaderboards",
    "SELECT leaderboards.name, rule, leaderboards.\"order\", leaderboards.scale, ties, key, min_points, max_points, "
    "grace, top, seasons.season_id, start_at, end_at, "
    "days, weeks, time_zone, week_start, keep_days, keep_weeks, season_cron, season_every, season_from, "
    "state, players, anonymous, coalesce((SELECT string_agg(concat_ws(' ', name, \"order\", scale, min, max, ''), '' "
    "ORDER BY place) FROM criteria WHERE criteria.leaderboard = leaderboards.name), '') "
    "FROM leaderboards LEFT JOIN calendars ON calendars.leaderboard = name "
    "LEFT JOIN seasons ON seasons.leaderboard = name "
    "LEFT JOIN closings ON closings.leaderboard = name AND closings.season_id = seasons.season_id "
    "ORDER BY leaderboards.name, seasons.season_id"};
constexpr int kCriteria = 25;  // in that: the criteria, five words each
constexpr int kClosing = 22;   // the first column of a closing in that
constexpr int kCalendar = 13;  // its first column there

Call call_on(const Statement& statement, const LeaderboardName& leaderboard) {
  Call call{&statement, {}};
  call.parameters.add(leaderboard.text());
  return call;
}

/// nullopt: the row would say the defaults.
std::optional<Call> put_calendar_call(const leaderboards::Definition& definition) {
  const leaderboards::PeriodRules& periods = definition.periods;
  const leaderboards::SeasonSchedule& schedule = definition.schedule;
  if (periods == leaderboards::PeriodRules{} && schedule == leaderboards::SeasonSchedule{}) return std::nullopt;
  Call put = call_on(kPutCalendar, definition.name);
  put.parameters.add(std::int32_t{periods.days})
      .add(std::int32_t{periods.weeks})
      .add(periods.time_zone)
      .add(to_string(periods.week_start))
      .add(std::int32_t{periods.keep_days})
      .add(std::int32_t{periods.keep_weeks})
      .add(schedule.cron.value_or(""))
      .add(std::int64_t{schedule.every.value_or(std::chrono::milliseconds{0}).count()})
      .add(schedule.from);
  return put;
}

Call put_criterion_call(const LeaderboardName& leaderboard, std::int32_t place,
                        const leaderboards::Criterion& criterion) {
  Call put = call_on(kPutCriterion, leaderboard);
  put.parameters.add(place)
      .add(criterion.name)
      .add(to_string(criterion.order))
      .add(std::int32_t{criterion.scale})
      .add(criterion.min)
      .add(criterion.max);
  return put;
}

tl::unexpected<Error> no_leaderboard(const LeaderboardName& leaderboard) {
  return fail(Code::not_found, fmt::format("there is no leaderboard {}", leaderboard.text()), "leaderboard");
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

std::int64_t take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

Result<std::vector<leaderboards::Criterion>> read_criteria(std::string_view text) {
  std::vector<leaderboards::Criterion> criteria;
  while (!text.empty()) {
    const std::string_view name = take_word(text);
    const auto order = leaderboards::parse_order(take_word(text));
    if (!order) return fail(order.error());
    const auto scale = static_cast<int>(take_number(text));
    const std::int64_t min = take_number(text), max = take_number(text);
    criteria.push_back({std::string(name), *order, scale, min, max});
  }
  return criteria;
}

Result<leaderboards::Definition> read_definition(const Rows& rows, int row) {
  const auto rule = leaderboards::parse_rule(rows.bytes(row, 1));
  const auto order = leaderboards::parse_order(rows.bytes(row, 2));
  const auto ties = leaderboards::parse_ties(rows.bytes(row, 4));
  const auto key = leaderboards::parse_key(rows.bytes(row, 5));
  auto criteria = read_criteria(rows.bytes(row, kCriteria));
  if (!rule || !order || !ties || !key || !criteria) {
    return fail(Code::damaged, fmt::format("the definition of leaderboard {} cannot be read", rows.bytes(row, 0)));
  }
  leaderboards::Definition definition{LeaderboardName::trusted(std::string(rows.bytes(row, 0)))};
  definition.rule = *rule;
  definition.order = *order;
  definition.scale = static_cast<int>(rows.integer(row, 3));
  definition.ties = *ties;
  definition.key = *key;
  definition.min_points = rows.integer(row, 6);
  definition.max_points = rows.integer(row, 7);
  definition.grace = std::chrono::milliseconds{rows.integer(row, 8)};
  definition.top = static_cast<int>(rows.integer(row, 9));
  definition.criteria = *std::move(criteria);
  if (rows.is_null(row, kCalendar)) return definition;
  const auto week_start = leaderboards::parse_week_start(rows.bytes(row, kCalendar + 3));
  if (!week_start) {
    return fail(Code::damaged, fmt::format("the calendar of leaderboard {} cannot be read", rows.bytes(row, 0)));
  }
  definition.periods = {rows.integer(row, kCalendar) != 0,
                        rows.integer(row, kCalendar + 1) != 0,
                        std::string(rows.bytes(row, kCalendar + 2)),
                        *week_start,
                        static_cast<int>(rows.integer(row, kCalendar + 4)),
                        static_cast<int>(rows.integer(row, kCalendar + 5))};
  leaderboards::SeasonSchedule& schedule = definition.schedule;
  if (!rows.is_null(row, kCalendar + 6)) schedule.cron = std::string(rows.bytes(row, kCalendar + 6));
  if (!rows.is_null(row, kCalendar + 7)) schedule.every = std::chrono::milliseconds{rows.integer(row, kCalendar + 7)};
  schedule.from = rows.optional_time(row, kCalendar + 8);
  return definition;
}

}  // namespace

Result<std::vector<Rows>> PostgresLedger::change(std::string_view doing, std::span<const Call> calls) {
  auto rows = write(calls, options_.bulk_timeout);
  if (!rows) return fail(to_error(rows.error(), doing));
  return std::move(*rows);
}

Result<std::uint64_t> PostgresLedger::erase_player(const LeaderboardName& leaderboard,
                                                   const leaderboards::PlayerId& player, Erase mode,
                                                   const leaderboards::AuditNote& note) {
  Call erase = call_on(mode == Erase::from_boards ? kEraseFromBoards : kEraseFromLedger, leaderboard);
  erase.parameters.add(player.text());
  // Others learn of it as of a change of definitions: they may be showing a result that came beside it.
  const leaderboards::AuditEntry entry{leaderboards::AuditAction::erase_player, leaderboard, {}, player, {}, note};
  const Call calls[] = {allow_time(),
                        call_on(kLockDefinition, leaderboard),
                        {&kBumpDefinitions, {}},
                        log_call(entry, kLogErasing),
                        std::move(erase)};
  const auto rows = change("erasing a player", calls);
  if (!rows) return fail(rows.error());
  return static_cast<std::uint64_t>(rows->back().integer(0, 0));
}

Result<void> PostgresLedger::put_definition(const leaderboards::Definition& definition) {
  Call put = call_on(kPutDefinition, definition.name);
  put.parameters.add(to_string(definition.rule))
      .add(to_string(definition.order))
      .add(std::int32_t{definition.scale})
      .add(to_string(definition.ties))
      .add(to_string(definition.key))
      .add(definition.min_points)
      .add(definition.max_points)
      .add(std::int64_t{definition.grace.count()})
      .add(std::int32_t{definition.top});
  Call index = call_on(kIndexByPlayer, definition.name);
  index.parameters.add(to_string(definition.rule));
  std::vector<Call> calls;
  calls.push_back(allow_time());
  calls.push_back(call_on(kLockDefinition, definition.name));
  calls.push_back(std::move(put));
  calls.push_back(std::move(index));
  calls.push_back(call_on(kForgetCalendar, definition.name));
  if (auto calendar = put_calendar_call(definition)) calls.push_back(*std::move(calendar));
  calls.push_back(call_on(kForgetCriteria, definition.name));
  std::int32_t place = 0;
  for (const leaderboards::Criterion& criterion : definition.criteria) {
    calls.push_back(put_criterion_call(definition.name, ++place, criterion));
  }
  calls.push_back({&kBumpDefinitions, {}});
  const auto rows = change("defining a leaderboard", calls);
  return rows ? Result<void>{} : fail(rows.error());
}

Result<void> PostgresLedger::put_season(const LeaderboardName& leaderboard, const leaderboards::Season& season) {
  Call put = call_on(kPutSeason, leaderboard);
  put.parameters.add(season.id.value).add(season.start).add(season.end);
  const Call calls[] = {allow_time(), call_on(kLockDefinition, leaderboard), std::move(put), {&kBumpDefinitions, {}}};
  const auto rows = change("opening a season", calls);
  if (!rows) return fail(rows.error());
  if ((*rows)[2].affected() == 0) return no_leaderboard(leaderboard);
  return {};
}

Result<void> PostgresLedger::drop_leaderboard(const LeaderboardName& leaderboard) {
  const Call calls[] = {allow_time(),
                        call_on(kLockDefinition, leaderboard),
                        call_on(kDropArchives, leaderboard),
                        call_on(kDropSeasons, leaderboard),
                        call_on(kForgetCalendar, leaderboard),
                        call_on(kForgetCriteria, leaderboard),
                        call_on(kDropHidden, leaderboard),
                        call_on(kDropVoided, leaderboard),
                        call_on(kDropDefinition, leaderboard),
                        call_on(kDropResults, leaderboard),
                        {&kBumpDefinitions, {}}};
  const auto rows = change("dropping a leaderboard", calls);
  if (!rows) return fail(rows.error());
  if ((*rows)[8].affected() + (*rows)[9].affected() == 0) return no_leaderboard(leaderboard);
  return {};
}

Result<std::vector<LeaderboardRecord>> PostgresLedger::leaderboards() {
  const auto rows = read("reading leaderboards", {&kLeaderboards, {}});
  if (!rows) return fail(rows.error());
  std::vector<LeaderboardRecord> records;
  for (int row = 0; row < rows->size(); ++row) {
    if (records.empty() || records.back().definition.name.text() != rows->bytes(row, 0)) {
      auto definition = read_definition(*rows, row);
      if (!definition) return fail(definition.error());
      records.push_back({*std::move(definition), {}});
    }
    if (rows->is_null(row, 10)) continue;
    records.back().seasons.push_back({{static_cast<std::int32_t>(rows->integer(row, 10))},
                                      rows->optional_time(row, 11),
                                      rows->optional_time(row, 12)});
    if (rows->is_null(row, kClosing)) continue;
    leaderboards::Season& season = records.back().seasons.back();
    const bool closed = rows->bytes(row, kClosing) == "closed";
    season.state = closed ? leaderboards::SeasonState::closed : leaderboards::SeasonState::closing;
    season.players = static_cast<std::uint64_t>(rows->integer(row, kClosing + 1));
    season.anonymous = static_cast<std::uint64_t>(rows->integer(row, kClosing + 2));
  }
  return read_hidden(records).map([&] { return std::move(records); });
}

}  // namespace scoreline::postgres
