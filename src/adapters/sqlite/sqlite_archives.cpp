#include "adapters/sqlite/sqlite_archives.h"

#include <fmt/format.h>

#include "adapters/sqlite/archive_attempt.h"
#include "adapters/sqlite/rows.h"

namespace scoreline::sqlite {

using leaderboards::ArchivedEntry;
using leaderboards::LeaderboardName;
using leaderboards::PlayerId;
using leaderboards::Season;
using leaderboards::SeasonId;

namespace {

ArchivedEntry read_line(const Statement& row) {
  const bool erased = row.type(2) == Statement::Type::null;
  return {static_cast<std::uint64_t>(row.integer(0)),
          {static_cast<std::uint64_t>(row.integer(1)),
           PlayerId::trusted(erased ? std::string() : std::string(row.bytes(2))),
           {row.integer(3), Timestamp{row.integer(4)}, static_cast<std::uint64_t>(row.integer(5))}}};
}

}  // namespace

Result<std::int64_t> account(LedgerWriter& writer, RowHasher& hasher, Table table, Statement& statement, int sign,
                             Delta& delta) {
  std::int64_t rows = 0;
  Step step;
  while ((step = statement.step()) == Step::row) {
    const std::uint64_t hash = hasher.row(table, statement);
    delta.rows_hash += sign < 0 ? 0 - hash : hash;
    ++rows;
  }
  if (step == Step::failed) return fail(writer.abandon("reading what changes"));
  statement.reset();
  return rows;
}

Result<std::unique_ptr<SqliteArchives>> SqliteArchives::open(LedgerWriter& writer, Connection reader) {
  std::unique_ptr<SqliteArchives> archives(new SqliteArchives(writer, std::move(reader)));
  if (const auto prepared = archives->prepare(); !prepared) return fail(prepared.error());
  return archives;
}

Result<void> SqliteArchives::prepare() {
  const std::pair<Statement*, std::string_view> statements[] = {
      {&read_,
       "SELECT position, \"rank\", player_id, points, achieved_at, extra FROM archives WHERE archive = "
       "(SELECT archive FROM closings WHERE leaderboard = ?1 AND season_id = ?2 AND state = 'closed') "
       "AND position >= ?3 ORDER BY position LIMIT ?4"},
      {&find_,
       "SELECT line.position, \"rank\", line.player_id, points, achieved_at, extra FROM closings "
       "JOIN archived_players AS player USING (archive) JOIN archives AS line USING (archive, position) "
       "WHERE leaderboard = ?1 AND season_id = ?2 AND state = 'closed' AND player.player_id = ?3"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = reader_.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  auto rows = reader_.prepare("SELECT leaderboard, season_id FROM closings");
  if (!rows) return fail(rows.error());
  Step step;
  while ((step = rows->step()) == Step::row) {
    closed_.emplace(rows->bytes(0), static_cast<std::int32_t>(rows->integer(1)));
  }
  if (step == Step::failed) return fail(reader_.error("reading closings"));
  return {};
}

void SqliteArchives::forget(const std::string& leaderboard) {
  std::erase_if(closed_, [&](const auto& closed) { return closed.first == leaderboard; });
}

Result<void> SqliteArchives::mark_closing(const LeaderboardName& leaderboard, const Season& season) {
  if (is_closed(leaderboard.text(), season.id)) return {};
  if (auto begun = writer_.begin(); !begun) return begun;
  Connection& connection = writer_.connection();
  auto row = connection.prepare(kSeasonRow);
  auto end = connection.prepare("UPDATE seasons SET end_at = ?3 WHERE leaderboard = ?1 AND season_id = ?2");
  auto put = connection.prepare(
      "INSERT INTO closings(leaderboard, season_id, archive, state, generation, players, anonymous, checksum) "
      "VALUES (?1, ?2, (SELECT coalesce(max(archive), 0) + 1 FROM closings), 'closing', 0, 0, 0, 0)");
  auto closing = connection.prepare(kClosingRow);
  if (!row || !end || !put || !closing) return fail(writer_.abandon("preparing a change"));
  for (Statement* const statement : {&*row, &*end, &*put, &*closing}) {
    statement->bind(1, leaderboard.text()).bind(2, std::int64_t{season.id.value});
  }
  season.end ? end->bind(3, season.end->ms) : end->bind_null(3);
  Delta delta;
  const auto before = account(writer_, hasher_, Table::seasons, *row, -1, delta);
  if (!before) return fail(before.error());
  if (*before == 0) {
    writer_.rollback();
    return fail(Code::not_found, "nobody has opened this season", "season");
  }
  if (!end->run() || !put->run()) return fail(writer_.abandon("marking a season as closing"));
  if (const auto after = account(writer_, hasher_, Table::seasons, *row, +1, delta); !after) return fail(after.error());
  if (const auto marked = account(writer_, hasher_, Table::closings, *closing, +1, delta); !marked) {
    return fail(marked.error());
  }
  // Before it is known to be there: an unknown outcome is one that may be.
  closed_.emplace(leaderboard.text(), season.id.value);
  const auto committed = writer_.commit("closing", delta);
  if (!committed && committed.error().code != Code::unknown_outcome) {
    closed_.erase({leaderboard.text(), season.id.value});
  }
  return committed;
}

Result<std::unique_ptr<leaderboards::ArchiveWriter>> SqliteArchives::begin(const LeaderboardName& leaderboard,
                                                                           SeasonId season) {
  auto row = writer_.connection().prepare(
      "SELECT archive, generation FROM closings WHERE leaderboard = ?1 AND season_id = ?2 AND state = 'closing'");
  if (!row) return fail(row.error());
  row->bind(1, leaderboard.text()).bind(2, std::int64_t{season.value});
  const Step step = row->step();
  if (step == Step::failed) return fail(writer_.connection().error("reading a closing"));
  if (step == Step::done) return fail(Code::conflict, "the season is not closing", "season");
  return std::make_unique<ArchiveAttempt>(writer_, row->integer(0), row->integer(1));
}

Result<std::vector<ArchivedEntry>> SqliteArchives::read(const LeaderboardName& leaderboard, SeasonId season,
                                                        std::uint64_t position, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  read_.bind(1, leaderboard.text())
      .bind(2, std::int64_t{season.value})
      .bind(3, static_cast<std::int64_t>(position))
      .bind(4, static_cast<std::int64_t>(limit));
  std::vector<ArchivedEntry> lines;
  Step step;
  while ((step = read_.step()) == Step::row) lines.push_back(read_line(read_));
  const Error error = step == Step::failed ? reader_.error("reading an archive") : Error{};
  read_.reset();
  if (step == Step::failed) return fail(error);
  return lines;
}

Result<std::vector<std::optional<ArchivedEntry>>> SqliteArchives::find(const LeaderboardName& leaderboard,
                                                                       SeasonId season,
                                                                       std::span<const PlayerId> players) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::optional<ArchivedEntry>> found;
  found.reserve(players.size());
  for (const PlayerId& player : players) {
    find_.bind(1, leaderboard.text()).bind(2, std::int64_t{season.value}).bind(3, player.text());
    const Step step = find_.step();
    found.push_back(step == Step::row ? std::optional(read_line(find_)) : std::nullopt);
    const Error error = step == Step::failed ? reader_.error("looking into an archive") : Error{};
    find_.reset();
    if (step == Step::failed) return fail(error);
  }
  return found;
}

Result<std::uint64_t> SqliteArchives::anonymise(const LeaderboardName& leaderboard, const PlayerId& player) {
  if (auto begun = writer_.begin(); !begun) return fail(begun.error());
  Connection& connection = writer_.connection();
  auto seasons = connection.prepare(
      "SELECT season_id, archive, state, (SELECT position FROM archived_players WHERE archive = closings.archive AND "
      "player_id = ?2) FROM closings WHERE leaderboard = ?1");
  auto closing = connection.prepare(kClosingRow);
  auto line = connection.prepare(kArchiveRow);
  auto erase = connection.prepare("UPDATE archives SET player_id = NULL WHERE archive = ?1 AND position = ?2");
  auto forget = connection.prepare("DELETE FROM archived_players WHERE archive = ?1 AND player_id = ?2");
  auto again =
      connection.prepare("UPDATE closings SET generation = generation + 1 WHERE leaderboard = ?1 AND season_id = ?2");
  auto less = connection.prepare(
      "UPDATE closings SET anonymous = anonymous + 1, checksum = ?3 WHERE leaderboard = ?1 AND season_id = ?2");
  if (!seasons || !closing || !line || !erase || !forget || !again || !less) {
    return fail(writer_.abandon("preparing a change"));
  }
  seasons->bind(1, leaderboard.text()).bind(2, player.text());
  Delta delta;
  std::uint64_t lines = 0;
  bool changed = false;
  Step step;
  while ((step = seasons->step()) == Step::row) {
    const bool is_closed = seasons->bytes(2) == "closed";
    const bool is_there = seasons->type(3) != Statement::Type::null;
    if (is_closed && !is_there) continue;
    const std::int64_t season = seasons->integer(0), archive = seasons->integer(1);
    closing->bind(1, leaderboard.text()).bind(2, season);
    if (const auto before = account(writer_, hasher_, Table::closings, *closing, -1, delta); !before) {
      return fail(before.error());
    }
    if (is_closed) {
      if (closing->step() != Step::row) return fail(writer_.abandon("reading a closing"));
      Delta sum{0, static_cast<std::uint64_t>(closing->integer(7))};
      closing->reset();
      const std::int64_t position = seasons->integer(3);
      line->bind(1, archive).bind(2, position);
      const auto was = account(writer_, hasher_, Table::archives, *line, -1, sum);
      if (!was) return fail(was.error());
      erase->bind(1, archive).bind(2, position);
      forget->bind(1, archive).bind(2, player.text());
      if (!erase->run() || !forget->run()) return fail(writer_.abandon("erasing a player from an archive"));
      const auto is = account(writer_, hasher_, Table::archives, *line, +1, sum);
      if (!is) return fail(is.error());
      less->bind(1, leaderboard.text()).bind(2, season).bind(3, static_cast<std::int64_t>(sum.rows_hash));
      if (!less->run()) return fail(writer_.abandon("erasing a player from an archive"));
      ++lines;
    } else {
      again->bind(1, leaderboard.text()).bind(2, season);
      if (!again->run()) return fail(writer_.abandon("having an archive begin again"));
    }
    if (const auto after = account(writer_, hasher_, Table::closings, *closing, +1, delta); !after) {
      return fail(after.error());
    }
    changed = true;
  }
  if (step == Step::failed) return fail(writer_.abandon("reading closings"));
  seasons->reset();
  if (!changed) {
    writer_.rollback();
    return lines;
  }
  if (auto committed = writer_.commit("anonymise", delta); !committed) return fail(committed.error());
  return lines;
}

}  // namespace scoreline::sqlite
