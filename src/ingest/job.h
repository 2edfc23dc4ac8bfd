// What waits for the writer.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ingest/pipeline.h"
#include "ingest/validator.h"
#include "leaderboards/rank_index.h"

namespace scoreline::ingest {

/// One call of submit, validated; or, with `work`, one of exclusive.
struct Job {
  std::vector<Accepted> accepted;
  std::vector<std::size_t> places;  ///< of each accepted one in `receipts`
  Receipts receipts;                ///< the rejected ones are filled in already
  leaderboards::Ranks ranks = leaderboards::Ranks::skip;
  Pipeline::Done done;
  std::function<void()> work;
};

}  // namespace scoreline::ingest
