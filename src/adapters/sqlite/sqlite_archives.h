// Archives in the ledger's database, written on the ledger's one writing connection.
//
// Thread safety: as the port says; reads take turns on a connection of their own.
// Cost: a piece is one transaction that is not synced; the one that finishes an archive syncs all of it.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "adapters/sqlite/connection.h"
#include "adapters/sqlite/ledger_writer.h"
#include "adapters/sqlite/seal.h"
#include "leaderboards/archives.h"

namespace scoreline::sqlite {

/// Takes the rows that `statement` gives from the delta (sign -1) or adds them to it (+1), and resets it; how many.
Result<std::int64_t> account(LedgerWriter& writer, RowHasher& hasher, Table table, Statement& statement, int sign,
                             Delta& delta);

class SqliteArchives final : public leaderboards::Archives {
 public:
  /// `writer` must outlive it. `reader`: another connection to the same database.
  static Result<std::unique_ptr<SqliteArchives>> open(LedgerWriter& writer, Connection reader);

  Result<void> mark_closing(const leaderboards::LeaderboardName& leaderboard,
                            const leaderboards::Season& season) override;
  Result<std::unique_ptr<leaderboards::ArchiveWriter>> begin(const leaderboards::LeaderboardName& leaderboard,
                                                             leaderboards::SeasonId season) override;
  bool on_writer() const override { return true; }
  Result<std::vector<leaderboards::ArchivedEntry>> read(const leaderboards::LeaderboardName& leaderboard,
                                                        leaderboards::SeasonId season, std::uint64_t position,
                                                        std::size_t limit) const override;
  Result<std::vector<std::optional<leaderboards::ArchivedEntry>>> find(
      const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season,
      std::span<const leaderboards::PlayerId> players) const override;
  Result<std::uint64_t> anonymise(const leaderboards::LeaderboardName& leaderboard,
                                  const leaderboards::PlayerId& player) override;

  /// Whether the season takes no more results. On the writing thread; a look-up in memory.
  bool is_closed(const std::string& leaderboard, leaderboards::SeasonId season) const {
    return !closed_.empty() && closed_.contains({leaderboard, season.value});
  }
  /// The leaderboard was dropped.
  void forget(const std::string& leaderboard);

 private:
  SqliteArchives(LedgerWriter& writer, Connection reader) : writer_(writer), reader_(std::move(reader)) {}
  Result<void> prepare();

  LedgerWriter& writer_;
  RowHasher hasher_;
  std::set<std::pair<std::string, std::int32_t>> closed_;  // the writing thread's
  mutable std::mutex mutex_;
  mutable Connection reader_;  // guarded by mutex_, as are its statements
  mutable Statement read_, find_;
};

}  // namespace scoreline::sqlite
