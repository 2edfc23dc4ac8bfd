// A made-up season to look at: players of different skill, whose matches give points now and then.
// Deterministic from its random source. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "ingest/pipeline.h"

namespace scoreline::cli {

struct MadeUpSeasonOptions {
  std::size_t players = 2;         ///< at least 2
  std::int64_t season = 1;         ///< its id
  std::size_t smallest_match = 2;  ///< in players
  std::size_t largest_match = 8;
  std::uint64_t told_twice = 40;  ///< one match in so many, as by a game server whose answer was lost; 0: none
};

class MadeUpSeason {
 public:
  /// Clock and random source must outlive it.
  MadeUpSeason(const Clock& clock, Random& random, const MadeUpSeasonOptions& options);

  /// The results of the next match, of players of like skill.
  std::vector<ingest::Submission> next_match();

 private:
  const Clock& clock_;
  Random& random_;
  const MadeUpSeasonOptions options_;
  std::vector<std::string> players_;
  std::vector<ingest::Submission> last_;
};

}  // namespace scoreline::cli
