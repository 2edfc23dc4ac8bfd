// Archives in the ledger's schema. An archive is written over a session of its own, which holds a lock on it until it
// ends: a node that dies gives the lock back with its connection, and another one begins again.
//
// Thread safety: all calls from any thread; what `begin` gives from one at a time.
// Cost: a piece is one round trip and one commit. Every call ends by its deadline.
#pragma once

#include "adapters/postgres/postgres_ledger.h"
#include "leaderboards/archives.h"

namespace scoreline::postgres {

class PostgresArchives final : public leaderboards::Archives {
 public:
  /// `ledger` must outlive it.
  explicit PostgresArchives(PostgresLedger& ledger) : ledger_(ledger) {}

  Result<void> mark_closing(const leaderboards::LeaderboardName& leaderboard,
                            const leaderboards::Season& season) override;
  Result<std::unique_ptr<leaderboards::ArchiveWriter>> begin(const leaderboards::LeaderboardName& leaderboard,
                                                             leaderboards::SeasonId season) override;
  bool on_writer() const override { return false; }
  Result<std::vector<leaderboards::ArchivedEntry>> read(const leaderboards::LeaderboardName& leaderboard,
                                                        leaderboards::SeasonId season, std::uint64_t position,
                                                        std::size_t limit) const override;
  Result<std::vector<std::optional<leaderboards::ArchivedEntry>>> find(
      const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season,
      std::span<const leaderboards::PlayerId> players) const override;
  Result<std::uint64_t> anonymise(const leaderboards::LeaderboardName& leaderboard,
                                  const leaderboards::PlayerId& player) override;

 private:
  PostgresLedger& ledger_;
};

}  // namespace scoreline::postgres
