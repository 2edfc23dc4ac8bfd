// One commit: many jobs' results → one append to the ledger → their boards → receipts.
//
// Thread safety: the writer's thread only.
// Invariant: what the boards show is in the ledger; what the ledger took is on the boards before anybody is answered
// that it is, or waits in `unsettled_`, and nothing else is committed before that is settled.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "ingest/job.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"

namespace scoreline::ingest {

class BoardCommit;

class Committer {
 public:
  Committer(leaderboards::Catalogue& catalogue, leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
            const Clock& clock)
      : catalogue_(catalogue), ledger_(ledger), index_(index), clock_(clock) {}

  /// Fills the receipts of `jobs` (together at most kMaxBatch results). An error is the answer to all of them.
  Result<void> commit(std::span<Job> jobs);
  /// Whether everything that the ledger may have taken is on the boards, or waits for nobody but a load of its board.
  bool all_shown() const { return unsettled_.empty(); }

 private:
  struct Commit;
  struct Appended {
    /// As far as it came, in order; an error where the ledger refuses the row whatever comes with it.
    std::vector<Result<leaderboards::Recorded>> answers;
    bool ambiguous = false;  ///< of some nobody knows whether they are there since this append or an earlier one
  };

  struct SeasonCommit;

  Result<SeasonCommit*> season_for(const Target& target, Commit& commit);
  void gather(std::span<Job> jobs, Commit& commit);
  /// Never goes back: which days and weeks there are must not depend on a clock that was set.
  Timestamp now();
  Result<void> open_seasons(Commit& commit);
  Result<void> append(std::span<const leaderboards::MatchResult> batch, Appended& appended);
  Result<void> append_once(std::span<const leaderboards::MatchResult> batch, Appended& appended);
  Result<void> apply(SeasonCommit& season, bool ambiguous);
  Error not_shown(const BoardCommit& board, const Error& why);
  Result<void> settle_earlier();
  Result<void> show(std::span<const leaderboards::MatchResult> results);

  leaderboards::Catalogue& catalogue_;
  leaderboards::Ledger& ledger_;
  leaderboards::RankIndex& index_;
  const Clock& clock_;
  Timestamp latest_now_ = kMinTimestamp;
  Timestamp drop_outdated_at_ = kMinTimestamp;
  std::vector<leaderboards::MatchResult> unsettled_;
};

}  // namespace scoreline::ingest
