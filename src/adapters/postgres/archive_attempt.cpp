#include "adapters/postgres/archive_attempt.h"

#include <string>
#include <string_view>
#include <utility>

#include "adapters/postgres/statements.h"

namespace scoreline::postgres {

using leaderboards::ArchivedEntry;
using leaderboards::ArchivedPlayer;

namespace {

// Looked up before it is locked, and read again under the lock: whoever had it may just have finished.
constexpr Statement kFindClosing{
    "find_closing",
    "SELECT archive FROM closings WHERE leaderboard = $1::text AND season_id = $2::integer AND state = 'closing'"};
constexpr Statement kTake{"take_archive",
                          "SELECT pg_try_advisory_lock('archives'::regclass::oid::integer, $1::integer)"};
constexpr Statement kTaken{"taken_archive",
                           "SELECT generation FROM closings WHERE archive = $1::integer AND state = 'closing'"};
constexpr Statement kClear{"clear_archive",
                           "DELETE FROM archives WHERE archive = $1::integer AND position IN (SELECT position FROM "
                           "archives WHERE archive = $1::integer LIMIT 10000)"};
constexpr Statement kClearPlayers{
    "clear_archived_players",
    "DELETE FROM archived_players WHERE archive = $1::integer AND player_id IN (SELECT player_id FROM "
    "archived_players WHERE archive = $1::integer LIMIT 10000)"};
constexpr Statement kAdd{
    "add_to_archive",
    "INSERT INTO archives(archive, position, \"rank\", player_id, points, achieved_at, extra) "
    "SELECT $1::integer, position, \"rank\", player_id, points, achieved_at, extra FROM unnest($2::bigint[], "
    "$3::bigint[], $4::text[], $5::bigint[], $6::timestamptz[], $7::bigint[]) "
    "AS line(position, \"rank\", player_id, points, achieved_at, extra)"};
constexpr Statement kAddPlayers{
    "add_archived_players",
    "INSERT INTO archived_players(archive, position, player_id) "
    "SELECT $1::integer, position, player_id FROM unnest($2::bigint[], $3::text[]) AS line(position, player_id)"};
constexpr Statement kFinish{
    "finish_archive",
    "WITH finished AS (UPDATE closings SET state = 'closed', players = $3::bigint WHERE archive = $1::integer AND "
    "generation = $2::bigint AND state = 'closing' RETURNING 1) "
    "UPDATE ledger SET definitions_version = definitions_version + 1 WHERE EXISTS (SELECT FROM finished)"};

constexpr std::string_view kDoing = "writing an archive";

}  // namespace

Result<std::vector<Rows>> ArchiveAttempt::run(std::span<const Call> calls) {
  auto rows = session_.run(calls, clock_.monotonic() + timeout_);
  if (!rows) return fail(to_error(rows.error(), kDoing));
  return *std::move(rows);
}

Result<void> ArchiveAttempt::take(const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season) {
  Call find{&kFindClosing, {}};
  find.parameters.add(leaderboard.text()).add(season.value);
  const auto found = run({&find, 1});
  if (!found) return fail(found.error());
  if (found->front().size() == 0) return fail(Code::conflict, "the season is not closing", "season");
  archive_ = static_cast<std::int32_t>(found->front().integer(0, 0));
  Call calls[] = {{&kTake, {}}, {&kTaken, {}}};
  for (Call& call : calls) call.parameters.add(archive_);
  const auto taken = run(calls);
  if (!taken) return fail(taken.error());
  if ((*taken)[0].integer(0, 0) == 0 || (*taken)[1].size() == 0) {
    return fail(Code::conflict, "another process is closing the season", "season");
  }
  generation_ = (*taken)[1].integer(0, 0);
  return {};
}

Result<bool> ArchiveAttempt::clear() {
  Call calls[] = {{&kClear, {}}, {&kClearPlayers, {}}};
  for (Call& call : calls) call.parameters.add(archive_);
  return run(calls).map([](const std::vector<Rows>& rows) { return rows[0].affected() + rows[1].affected() == 0; });
}

Result<void> ArchiveAttempt::add(std::span<const ArchivedEntry> entries) {
  const std::size_t count = entries.size();
  Array positions(Type::int8, count), ranks(Type::int8, count), players(Type::text, count), points(Type::int8, count),
      times(Type::timestamptz, count), extras(Type::int8, count);
  for (const auto& [position, entry] : entries) {
    positions.add(static_cast<std::int64_t>(position));
    ranks.add(static_cast<std::int64_t>(entry.rank));
    players.add(std::string_view(entry.player.text()));
    points.add(entry.standing.points);
    times.add(entry.standing.achieved_at);
    extras.add(static_cast<std::int64_t>(entry.standing.extra));
  }
  Call call{&kAdd, {}};
  call.parameters.add(archive_);
  for (Array* array : {&positions, &ranks, &players, &points, &times, &extras}) call.parameters.add(std::move(*array));
  return run({&call, 1}).map([](const auto&) {});
}

Result<void> ArchiveAttempt::add_players(std::span<const ArchivedPlayer> players) {
  Array positions(Type::int8, players.size()), names(Type::text, players.size());
  for (const auto& [player, position] : players) {
    positions.add(static_cast<std::int64_t>(position));
    names.add(std::string_view(player.text()));
  }
  Call call{&kAddPlayers, {}};
  call.parameters.add(archive_).add(std::move(positions)).add(std::move(names));
  return run({&call, 1}).map([](const auto&) {});
}

Result<void> ArchiveAttempt::finish(std::uint64_t players) {
  Call call{&kFinish, {}};
  call.parameters.add(archive_).add(generation_).add(static_cast<std::int64_t>(players));
  const auto rows = run({&call, 1});
  if (!rows) return fail(rows.error());
  if (rows->front().affected() == 1) return {};
  return fail(Code::conflict, "the season is closed already, or a player was erased meanwhile", "season");
}

}  // namespace scoreline::postgres
