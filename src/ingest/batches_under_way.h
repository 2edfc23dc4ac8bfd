// The batches of a consumer from the source until their offsets may be committed. The intake has one at a time: were
// the next one there already when one fails, it would be taken in before it.
//
// Thread safety: the consumer's thread only; the intake's answers may come from any.
// Invariant: `take_done` hands out the offsets of a batch only after those of all batches before it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "ingest/consumer.h"
#include "ingest/message_intake.h"

namespace scoreline::ingest {

class BatchesUnderWay {
 public:
  BatchesUnderWay(MessageIntake& intake, const Clock& clock, const ConsumerOptions& options);
  ~BatchesUnderWay();

  /// Gives a batch to the intake; there must be room.
  void offer(std::vector<Message> messages);
  /// Gives one that failed to it again when its time has come.
  void offer_again();
  /// Whether another one may be offered: all before it are taken in.
  bool has_room() const { return batches_.empty() || batches_.back().messages == nullptr; }
  /// Whether the intake has one that it has not answered yet.
  bool in_hand() const { return !batches_.empty() && batches_.back().in_hand; }
  /// Why the last one failed; nullopt when it did not.
  std::optional<Error> failure() const;

  /// What the intake has answered since the last call; returns how often it failed.
  std::size_t take_answers();
  /// Returns when an answer is there, or after `at_most`.
  void wait_for_answer(std::chrono::milliseconds at_most);

  /// Adds the offsets that may be committed by now to `done`.
  void take_done(Offsets& done);
  /// Offsets of these partitions are no business of ours any more.
  void forget(const std::vector<TopicPartition>& partitions);

 private:
  struct Batch {
    std::uint64_t id = 0;
    MessageBatch messages;  ///< nullptr once taken in
    Offsets next;
    bool in_hand = false;          ///< the intake has not answered yet
    std::optional<Error> failure;  ///< of the last attempt
    int failed_attempts = 0;
    Monotonic retry_at;
    Taken taken;
  };
  class Answers;

  void give(Batch& batch);
  void answered(Batch& batch, Result<Taken> answer);

  MessageIntake& intake_;
  const Clock& clock_;
  const ConsumerOptions options_;
  std::deque<Batch> batches_;  // in the order they were read; all but the last are taken in
  std::uint64_t last_id_ = 0;
  std::shared_ptr<Answers> answers_;  // shared with the intake, which may answer after we are gone
};

}  // namespace scoreline::ingest
