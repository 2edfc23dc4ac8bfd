#include "adapters/sqlite/archive_attempt.h"

#include "adapters/sqlite/rows.h"
#include "adapters/sqlite/sqlite_archives.h"
#include "base/error.h"

namespace scoreline::sqlite {

using leaderboards::ArchivedEntry;
using leaderboards::ArchivedPlayer;

template <typename Work>
Result<void> ArchiveAttempt::piece(std::string_view sql, Work work) {
  return writer_.unsynced([&]() -> Result<void> {
    if (auto begun = writer_.begin(); !begun) return begun;
    auto statement = writer_.connection().prepare(sql);
    if (!statement) return fail(writer_.abandon("preparing a change of archives"));
    if (!work(*statement)) return fail(writer_.abandon("writing an archive"));
    return writer_.commit_unsealed();
  });
}

Result<bool> ArchiveAttempt::clear() {
  bool clean = true;
  for (const std::string_view sql : {"DELETE FROM archives WHERE archive = ?1 AND position IN "
                                     "(SELECT position FROM archives WHERE archive = ?1 LIMIT ?2)",
                                     "DELETE FROM archived_players WHERE archive = ?1 AND player_id IN "
                                     "(SELECT player_id FROM archived_players WHERE archive = ?1 LIMIT ?2)"}) {
    const auto done = piece(sql, [&](Statement& remove) {
      if (!remove.bind(1, archive_).bind(2, static_cast<std::int64_t>(leaderboards::kArchivePiece)).run()) return false;
      if (writer_.connection().changes() > 0) clean = false;
      return true;
    });
    if (!done) return fail(done.error());
  }
  return clean;
}

Result<void> ArchiveAttempt::add(std::span<const ArchivedEntry> entries) {
  SCORELINE_CHECK(!entries.empty() && entries.size() <= leaderboards::kArchivePiece);
  constexpr std::string_view kInsert =
      "INSERT INTO archives(archive, position, \"rank\", player_id, points, achieved_at, extra) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
  return piece(kInsert, [&](Statement& insert) {
    for (const auto& [position, entry] : entries) {
      const auto at = static_cast<std::int64_t>(position), rank = static_cast<std::int64_t>(entry.rank);
      insert.bind(1, archive_)
          .bind(2, at)
          .bind(3, rank)
          .bind(4, entry.player.text())
          .bind(5, entry.standing.points)
          .bind(6, entry.standing.achieved_at.ms)
          .bind(7, static_cast<std::int64_t>(entry.standing.extra));
      if (!insert.run()) return false;
      // As kArchiveRow reads it.
      hasher_.begin(Table::archives);
      hasher_.add(at);
      hasher_.add(rank);
      hasher_.add_text(entry.player.text());
      hasher_.add(entry.standing.points);
      hasher_.add(entry.standing.achieved_at.ms);
      hasher_.add(static_cast<std::int64_t>(entry.standing.extra));
      checksum_ += hasher_.digest();
    }
    return true;
  });
}

Result<void> ArchiveAttempt::add_players(std::span<const ArchivedPlayer> players) {
  SCORELINE_CHECK(!players.empty() && players.size() <= leaderboards::kArchivePiece);
  return piece("INSERT INTO archived_players(archive, player_id, position) VALUES (?1, ?2, ?3)",
               [&](Statement& insert) {
                 for (const auto& [player, position] : players) {
                   insert.bind(1, archive_).bind(2, player.text()).bind(3, static_cast<std::int64_t>(position));
                   if (!insert.run()) return false;
                 }
                 return true;
               });
}

Result<void> ArchiveAttempt::finish(std::uint64_t players) {
  if (auto begun = writer_.begin(); !begun) return begun;
  auto row = writer_.connection().prepare(kClosingRowOfArchive);
  auto put = writer_.connection().prepare(
      "UPDATE closings SET state = 'closed', players = ?3, checksum = ?4 "
      "WHERE archive = ?1 AND generation = ?2 AND state = 'closing'");
  if (!row || !put) return fail(writer_.abandon("preparing a change"));
  row->bind(1, archive_);
  Delta delta;
  if (const auto before = account(writer_, hasher_, Table::closings, *row, -1, delta); !before) {
    return fail(before.error());
  }
  put->bind(1, archive_)
      .bind(2, generation_)
      .bind(3, static_cast<std::int64_t>(players))
      .bind(4, static_cast<std::int64_t>(checksum_));
  if (!put->run()) return fail(writer_.abandon("closing a season"));
  if (writer_.connection().changes() == 0) {
    writer_.rollback();
    return fail(Code::conflict, "the season is closed already, or a player was erased meanwhile", "season");
  }
  if (const auto after = account(writer_, hasher_, Table::closings, *row, +1, delta); !after) {
    return fail(after.error());
  }
  return writer_.commit("closed", delta);
}

}  // namespace scoreline::sqlite
