// Takes messages in as every door does: through the pipeline, into the ledger and onto the boards. What cannot be taken
// is put aside as a dead letter, durable before the batch counts as taken in.
//
// Thread safety: `take` on one thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "ingest/dead_letters.h"
#include "ingest/message_intake.h"
#include "ingest/message_reader.h"
#include "ingest/pipeline.h"

namespace scoreline::ingest {

class IntakeMetrics;

class LedgerIntake final : public MessageIntake {
 public:
  /// Gets the messages whose results could be read and do not count as they are, and says when their offsets may be
  /// committed.
  using Review = std::function<Taken(std::vector<Message>)>;

  /// `metrics` and `dead_letters` must outlive the last answer of `pipeline`. `review` may be empty.
  LedgerIntake(Pipeline& pipeline, DeadLetters& dead_letters, ReadMessageText read_text, const Clock& clock,
               IntakeMetrics& metrics, Review review = {});

  void take(MessageBatch batch, Done done) override;

 private:
  struct Work;

  void submitted(const std::shared_ptr<Work>& work, Result<Receipts> receipts);
  void put_aside(const std::shared_ptr<Work>& work);
  void finish(Work& work) const;

  Pipeline& pipeline_;
  DeadLetters& dead_letters_;
  const ReadMessageText read_text_;
  const Clock& clock_;
  IntakeMetrics& metrics_;
  const Review review_;
};

}  // namespace scoreline::ingest
