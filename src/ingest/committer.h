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

 private:
  struct Commit;
  struct Appended {
    std::vector<leaderboards::Recorded> recorded;
    bool ambiguous = false;  ///< all are there; whether since this append or an earlier one, nobody knows
  };

  Result<BoardCommit*> board_for(const Target& target, Commit& commit) const;
  void gather(std::span<Job> jobs, Commit& commit) const;
  Result<void> open_seasons(Commit& commit);
  Result<Appended> append(const std::vector<leaderboards::MatchResult>& batch);
  Error not_shown(const BoardCommit& board, const Error& why);
  Result<void> settle_earlier();

  leaderboards::Catalogue& catalogue_;
  leaderboards::Ledger& ledger_;
  leaderboards::RankIndex& index_;
  const Clock& clock_;
  std::vector<leaderboards::MatchResult> unsettled_;
};

}  // namespace scoreline::ingest
