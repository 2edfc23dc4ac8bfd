// Reads a message source: its messages go to an intake in batches, and offsets are committed up to the first message
// that is not taken in. So each message is taken in at least once, whatever dies when; and none of a partition before
// those that stand before it, so that of a match that comes twice the first counts.
//
// While the intake cannot follow, or fails, nothing more is read; the source is paused and polled on, so that the
// partitions stay here; a batch that failed is offered again, later and later.
//
// One thread. Thread safety: construction and destruction from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "ingest/message_intake.h"
#include "ingest/message_source.h"

namespace scoreline::ingest {

class ConsumerMetrics;

struct ConsumerOptions {
  std::size_t batch = 10'000;                   ///< messages in one, 1..kMaxBatch
  std::chrono::milliseconds gather{20};         ///< how long one is gathered
  std::chrono::milliseconds commit_every{250};  ///< offsets
  std::chrono::milliseconds patience{1'000};    ///< how long an intake that does not follow is waited for unpaused
  std::chrono::milliseconds first_retry{100};   ///< then twice as long each time
  std::chrono::milliseconds longest_retry{5'000};
  /// How long it waits for what the intake has in hand when partitions go, or when it is stopped.
  std::chrono::milliseconds drain{10'000};
};

class Consumer {
 public:
  /// `tell` hears what an operator should know, on the consumer's thread. All must outlive it.
  Consumer(MessageSource& source, MessageIntake& intake, const Clock& clock, ConsumerMetrics& metrics,
           std::function<void(const std::string&)> tell, const ConsumerOptions& options = {});
  /// Waits for what the intake has in hand, and commits it.
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace scoreline::ingest
