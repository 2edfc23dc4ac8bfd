// From a submission to a result that its leaderboard can take, or to the reason why not.
//
// Thread safety: a Validator serves one call on one thread; the functions may be called from any.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/random.h"
#include "ingest/pipeline.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/values.h"

namespace scoreline::ingest {

/// A season of a leaderboard, as the catalogue had it when this was made.
struct Target {
  Target(std::shared_ptr<const leaderboards::LeaderboardRecord> of, leaderboards::SeasonId season);

  std::shared_ptr<const leaderboards::LeaderboardRecord> record;
  const leaderboards::Season* opened;  ///< within `record`; nullptr: opens by itself with its first result
  leaderboards::Board board;
  leaderboards::RankKeyCodec codec;
};

/// A result that was valid for `target`.
struct Accepted {
  std::shared_ptr<const Target> target;
  Decimal points;         ///< as written: scaled anew when the definition changes before the commit
  bool own_match = true;  ///< the caller named the match, so it may be there already
  bool own_time = true;   ///< the caller said when it was achieved
  leaderboards::MatchResult result;
  std::vector<leaderboards::CriterionValue> criteria = {};  ///< as written, as the points are
};

/// What a result of such a season is rejected with.
Error season_is_closed(leaderboards::SeasonId season);

/// Checks points, criteria and times against the definition and the season, and sets the points and `extra` of
/// `accepted.result`.
/// Errors: invalid, conflict; `field` set.
Result<void> check_against(const Target& target, Timestamp now, Accepted& accepted);

class Validator {
 public:
  Validator(const leaderboards::Catalogue& catalogue, Timestamp now, Random& random)
      : catalogue_(catalogue), now_(now), random_(random) {}

  Result<Accepted> accept(const Submission& submission);

  /// The season that a result is for: the one it names, else the one that was current when it was achieved. Errors:
  /// not_found or invalid; `field` set.
  Result<std::shared_ptr<const Target>> target_of(const Submission& submission);

 private:
  /// Of a leaderboard, for results that name no season.
  struct Current {
    std::shared_ptr<const leaderboards::LeaderboardRecord> record;
    leaderboards::SeasonAt at;
  };

  Timestamp achieved_at(const Submission& submission) const;
  Result<std::int64_t> season_of(const Submission& submission);

  const leaderboards::Catalogue& catalogue_;
  Timestamp now_;
  Random& random_;
  std::map<std::string, Current, std::less<>> current_;
  // One call mostly has one target, a file of many seasons a few hundred.
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const Target>> targets_;
  const std::pair<const std::pair<std::string, std::int64_t>, std::shared_ptr<const Target>>* last_ = nullptr;
};

}  // namespace scoreline::ingest
