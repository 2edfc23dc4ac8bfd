// Corrects boards that showed, ahead of the ledger, results which the ledger then refused or has otherwise: in parallel
// mode, and after it, when what was shown ahead comes to the ledger.
//
// Thread safety: `review` from any thread; what it returns, on one thread, which is the same for all.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "ingest/group_progress.h"
#include "ingest/message_intake.h"
#include "ingest/message_reader.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"

namespace scoreline::ingest {

class Corrections {
 public:
  /// `ahead_group`: how far the group that shows results ahead of the ledger is; nullopt: it shows no more.
  Corrections(const leaderboards::Catalogue& catalogue, leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
              ReadMessageText read_text, const Clock& clock, Random& random, std::optional<GroupProgress> ahead_group);

  /// Of messages that the ledger did not take as they are: their offsets may be committed once the other group is past
  /// them, so that it shows them no more, and no board shows them. A group that does not move on is waited for a
  /// minute. Must outlive what it returns. Cost: a look at the index; where it shows such a result, two scans of the
  /// ledger.
  Taken review(std::vector<Message> messages);

 private:
  struct Review;

  bool is_over(Review& review);
  Result<void> correct(const std::vector<Message>& messages);

  const leaderboards::Catalogue& catalogue_;
  leaderboards::Ledger& ledger_;
  leaderboards::RankIndex& index_;
  const ReadMessageText read_text_;
  const Clock& clock_;
  Random& random_;
  std::optional<GroupProgress> ahead_group_;
};

}  // namespace scoreline::ingest
