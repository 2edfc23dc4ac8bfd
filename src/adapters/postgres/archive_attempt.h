// One attempt to write an archive, over a session that holds the archive's lock. Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>

#include "adapters/postgres/session.h"
#include "base/clock.h"
#include "leaderboards/archives.h"

namespace scoreline::postgres {

class ArchiveAttempt final : public leaderboards::ArchiveWriter {
 public:
  /// `clock` must outlive it. `timeout`: of each call.
  ArchiveAttempt(Session session, const Clock& clock, std::chrono::milliseconds timeout)
      : session_(std::move(session)), clock_(clock), timeout_(timeout) {}

  /// Takes the lock. Errors: conflict when the season is not closing, or another session has the lock.
  Result<void> take(const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season);

  Result<bool> clear() override;
  Result<void> add(std::span<const leaderboards::ArchivedEntry> entries) override;
  Result<void> add_players(std::span<const leaderboards::ArchivedPlayer> players) override;
  Result<void> finish(std::uint64_t players) override;

 private:
  Result<std::vector<Rows>> run(std::span<const Call> calls);

  Session session_;
  const Clock& clock_;
  const std::chrono::milliseconds timeout_;
  std::int32_t archive_ = 0;
  std::int64_t generation_ = 0;
};

}  // namespace scoreline::postgres
