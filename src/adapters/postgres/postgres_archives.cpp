#include "adapters/postgres/postgres_archives.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "adapters/postgres/archive_attempt.h"
#include "adapters/postgres/statements.h"

namespace scoreline::postgres {

using leaderboards::ArchivedEntry;
using leaderboards::LeaderboardName;
using leaderboards::PlayerId;
using leaderboards::Season;
using leaderboards::SeasonId;

namespace {

// One statement: both or neither, and nothing of a season that is marked already.
constexpr Statement kMark{
    "mark_closing",
    "WITH marked AS (INSERT INTO closings(leaderboard, season_id, state) SELECT leaderboard, season_id, 'closing' "
    "FROM seasons WHERE leaderboard = $1::text AND season_id = $2::integer ON CONFLICT DO NOTHING RETURNING 1), "
    "ended AS (UPDATE seasons SET end_at = $3::timestamptz WHERE leaderboard = $1::text AND season_id = $2::integer "
    "AND EXISTS (SELECT FROM marked)) "
    "UPDATE ledger SET definitions_version = definitions_version + 1 WHERE EXISTS (SELECT FROM marked)"};
constexpr Statement kIsMarked{
    "is_marked", "SELECT EXISTS (SELECT FROM closings WHERE leaderboard = $1::text AND season_id = $2::integer)"};
constexpr Statement kRead{
    "read_archive",
    "SELECT position, \"rank\", player_id, points, achieved_at, extra FROM archives WHERE archive = "
    "(SELECT archive FROM closings WHERE leaderboard = $1::text AND season_id = $2::integer AND state = 'closed') "
    "AND position >= $3::bigint ORDER BY position LIMIT $4::bigint"};
constexpr Statement kFind{
    "find_in_archive",
    "SELECT line.position, \"rank\", line.player_id, points, achieved_at, extra FROM closings "
    "JOIN archived_players AS player USING (archive) "
    "JOIN archives AS line ON line.archive = closings.archive AND line.position = player.position "
    "WHERE leaderboard = $1::text AND season_id = $2::integer AND state = 'closed' "
    "AND player.player_id = ANY($3::text[])"};
// The row of each closing is locked first: an archive that is being finished meanwhile is seen as closed, or begins
// again.
constexpr Statement kLockClosings{
    "lock_closings", "SELECT archive FROM closings WHERE leaderboard = $1::text ORDER BY archive FOR UPDATE"};
constexpr Statement kAgain{
    "archive_again",
    "UPDATE closings SET generation = generation + 1 WHERE leaderboard = $1::text AND state = 'closing'"};
constexpr Statement kAnonymise{
    "anonymise",
    "WITH gone AS (DELETE FROM archived_players WHERE player_id = $2::text AND archive IN "
    "(SELECT archive FROM closings WHERE leaderboard = $1::text AND state = 'closed') RETURNING archive, position), "
    "lines AS (UPDATE archives SET player_id = NULL FROM gone WHERE archives.archive = gone.archive "
    "AND archives.position = gone.position), "
    "counted AS (UPDATE closings SET anonymous = anonymous + 1 WHERE archive IN (SELECT archive FROM gone)), "
    "told AS (UPDATE ledger SET definitions_version = definitions_version + 1 WHERE EXISTS (SELECT FROM gone)) "
    "SELECT count(*) FROM gone"};

ArchivedEntry read_line(const Rows& rows, int row) {
  return {static_cast<std::uint64_t>(rows.integer(row, 0)),
          {static_cast<std::uint64_t>(rows.integer(row, 1)),
           PlayerId::trusted(rows.is_null(row, 2) ? std::string() : std::string(rows.bytes(row, 2))),
           {rows.integer(row, 3), rows.time(row, 4), static_cast<std::uint64_t>(rows.integer(row, 5))}}};
}

}  // namespace

Result<void> PostgresArchives::mark_closing(const LeaderboardName& leaderboard, const Season& season) {
  // The lock waits for every append of the leaderboard that is under way; those to come see the mark.
  Call lock{&kLockDefinition, {}}, mark{&kMark, {}}, is_marked{&kIsMarked, {}};
  lock.parameters.add(leaderboard.text());
  mark.parameters.add(leaderboard.text()).add(season.id.value).add(season.end);
  is_marked.parameters.add(leaderboard.text()).add(season.id.value);
  const Call calls[] = {ledger_.allow_time(), std::move(lock), std::move(mark), std::move(is_marked)};
  const auto rows = ledger_.change("marking a season as closing", calls);
  if (!rows) return fail(rows.error());
  if (rows->back().integer(0, 0) == 0) return fail(Code::not_found, "nobody has opened this season", "season");
  return {};
}

Result<std::unique_ptr<leaderboards::ArchiveWriter>> PostgresArchives::begin(const LeaderboardName& leaderboard,
                                                                             SeasonId season) {
  auto session = ledger_.connector_.connect(ledger_.in(ledger_.options_.timeout), Connector::When::at_once);
  if (!session) return fail(to_error(session.error(), "beginning an archive"));
  auto attempt =
      std::make_unique<ArchiveAttempt>(*std::move(session), ledger_.connector_.clock(), ledger_.options_.bulk_timeout);
  if (auto taken = attempt->take(leaderboard, season); !taken) return fail(taken.error());
  return attempt;
}

Result<std::vector<ArchivedEntry>> PostgresArchives::read(const LeaderboardName& leaderboard, SeasonId season,
                                                          std::uint64_t position, std::size_t limit) const {
  Call call{&kRead, {}};
  call.parameters.add(leaderboard.text())
      .add(season.value)
      .add(static_cast<std::int64_t>(position))
      .add(static_cast<std::int64_t>(limit));
  const auto rows = ledger_.read("reading an archive", std::move(call));
  if (!rows) return fail(rows.error());
  std::vector<ArchivedEntry> lines;
  lines.reserve(static_cast<std::size_t>(rows->size()));
  for (int row = 0; row < rows->size(); ++row) lines.push_back(read_line(*rows, row));
  return lines;
}

Result<std::vector<std::optional<ArchivedEntry>>> PostgresArchives::find(const LeaderboardName& leaderboard,
                                                                         SeasonId season,
                                                                         std::span<const PlayerId> players) const {
  std::vector<std::string> names;
  names.reserve(players.size());
  for (const PlayerId& player : players) names.push_back(player.text());
  Call call{&kFind, {}};
  call.parameters.add(leaderboard.text()).add(season.value).add(names);
  const auto rows = ledger_.read("looking into an archive", std::move(call));
  if (!rows) return fail(rows.error());
  std::unordered_map<std::string, ArchivedEntry> by_player;
  for (int row = 0; row < rows->size(); ++row) {
    ArchivedEntry line = read_line(*rows, row);
    std::string name = line.entry.player.text();
    by_player.emplace(std::move(name), std::move(line));
  }
  std::vector<std::optional<ArchivedEntry>> found(players.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto at = by_player.find(names[i]); at != by_player.end()) found[i] = at->second;
  }
  return found;
}

Result<std::uint64_t> PostgresArchives::anonymise(const LeaderboardName& leaderboard, const PlayerId& player) {
  Call lock{&kLockClosings, {}}, again{&kAgain, {}}, anonymise{&kAnonymise, {}};
  for (Call* const call : {&lock, &again, &anonymise}) call->parameters.add(leaderboard.text());
  anonymise.parameters.add(player.text());
  const Call calls[] = {ledger_.allow_time(), std::move(lock), std::move(again), std::move(anonymise)};
  const auto rows = ledger_.change("erasing a player from archives", calls);
  if (!rows) return fail(rows.error());
  return static_cast<std::uint64_t>(rows->back().integer(0, 0));
}

}  // namespace scoreline::postgres
