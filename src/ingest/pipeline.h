// The one way in for results, whatever door they come through: validate → ledger → index → answer.
//
// One writer thread takes everything that waits, appends it to the ledger in one transaction (many results, one
// fsync), applies what was new to the index, and only then answers: an answered result is durable and visible.
//
// Thread safety: every call may come from any thread. Callbacks run on the writer thread and must be short; when the
// call is refused at once, or everything in it rejected, they run on the caller's before `submit` returns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/random.h"
#include "leaderboards/criteria.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/service.h"
#include "leaderboards/values.h"

namespace scoreline::ingest {

/// A result as a door received it: readable, not yet validated.
struct Submission {
  std::string leaderboard{leaderboards::kMainLeaderboard};
  std::optional<Uuid> match_id;  ///< absent: a new UUIDv7, and no protection against duplicates
  std::string player_id;
  std::optional<std::int64_t> season_id;  ///< absent: the current season
  Decimal points;
  std::optional<Timestamp> achieved_at;                     ///< absent: when it was sent
  std::optional<Timestamp> sent_at;                         ///< absent: now
  std::vector<leaderboards::CriterionValue> criteria = {};  ///< those after the points, in any order
};

/// What became of one result.
struct Receipt {
  leaderboards::Outcome outcome = leaderboards::Outcome::unchanged;
  leaderboards::Standing standing;  ///< the player's standing after it; zeros while the player is on no board
  /// What its numbers mean: of the leaderboard as it was when the result was recorded.
  std::shared_ptr<const leaderboards::LeaderboardRecord> record;
  std::optional<std::uint64_t> rank;  ///< with Ranks::tell
  std::optional<std::uint64_t> previous_rank;
  /// A duplicate whose kept result has other points, another season, or another achieved_at than the one that was
  /// given: the first counts.
  bool conflict = false;
  /// The ledger counts this very result. Not so: a conflict, a duplicate with another time that was not given, and one
  /// of an erased or hidden player.
  bool counts = true;
};

/// One per submission, in order: a receipt, or why that one was rejected (Code::invalid, not_found, conflict; `field`
/// set).
using Receipts = std::vector<Result<Receipt>>;

class PipelineMetrics;

class Pipeline {
 public:
  /// `metrics` may be absent; all must outlive it.
  Pipeline(leaderboards::Service& service, leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
           const Clock& clock, Random& random, PipelineMetrics* metrics = nullptr);
  /// Finishes what was taken, then stops the writer.
  ~Pipeline();

  using Done = std::function<void(Result<Receipts>)>;
  /// Takes 1..kMaxBatch submissions; `done` is called once. Rejected ones do not hold up the rest.
  /// The whole call fails with: not_ready, overloaded (kMaxPendingResults wait), too_many, storage_failed,
  /// storage_full, unknown_outcome (send the same again); then nothing of it is known to be stored.
  void submit(std::vector<Submission> submissions, leaderboards::Ranks ranks, Done done);

  /// The same, waiting for the answer. Not from the writer thread.
  Result<Receipts> submit(std::vector<Submission> submissions, leaderboards::Ranks ranks);

  /// Runs `work` on the writer thread between two commits: for changes that must not meet a result half way. Returns
  /// at once; `work` comes after all that was submitted before and ahead of all that is submitted later.
  void exclusive(std::function<void()> work);
  /// Whether everything that this pipeline has appended is on the boards. Only in the work of `exclusive`.
  bool all_shown() const;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace scoreline::ingest
