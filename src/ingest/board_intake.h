// Shows results on the boards before the ledger has them: for rules whose result does not depend on how often or in
// which order results come (best, least, latest). The ledger's own consumer group takes the same messages in and has
// the last word: it shows again what it recorded, and corrects what it did not (Corrections).
//
// Thread safety: `take` on one thread.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "ingest/group_progress.h"
#include "ingest/message_intake.h"
#include "ingest/message_reader.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/service.h"

namespace scoreline::ingest {

class IntakeMetrics;

class BoardIntake final : public MessageIntake {
 public:
  /// `ledger_group`: how far the group that takes the same messages into the ledger is. What it has behind it is not
  /// shown: it may have been erased since.
  BoardIntake(leaderboards::Service& service, leaderboards::RankIndex& index, ReadMessageText read_text,
              const Clock& clock, Random& random, IntakeMetrics& metrics, GroupProgress ledger_group);

  /// Leaves out what cannot be read or is refused, results of sums, and those of seasons that nobody has opened yet.
  void take(MessageBatch batch, Done done) override;

 private:
  Result<void> show(const std::vector<Message>& batch);

  leaderboards::Service& service_;
  leaderboards::RankIndex& index_;
  const ReadMessageText read_text_;
  const Clock& clock_;
  Random& random_;
  IntakeMetrics& metrics_;
  GroupProgress ledger_group_;
};

}  // namespace scoreline::ingest
