// A made-up season to look at: a few hundred players of different skill, whose matches give points now and then.
// Deterministic from its random source. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "ingest/pipeline.h"

namespace scoreline::cli {

class MadeUpSeason {
 public:
  /// Both must outlive it. `players` at least 2.
  MadeUpSeason(const Clock& clock, Random& random, std::size_t players);

  /// The results of the next match: 2 to 8 players of like skill. One match in forty is told twice, as a game server
  /// does whose answer was lost.
  std::vector<ingest::Submission> next_match();

 private:
  const Clock& clock_;
  Random& random_;
  std::vector<std::string> players_;
  std::vector<ingest::Submission> last_;
};

}  // namespace scoreline::cli
