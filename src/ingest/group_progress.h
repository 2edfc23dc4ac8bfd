// How far another group of consumers has committed its offsets, asked for at most every so often.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "base/clock.h"
#include "ingest/message_source.h"

namespace scoreline::ingest {

class GroupProgress {
 public:
  using Ask = std::function<Result<Offsets>(std::span<const TopicPartition>)>;
  GroupProgress(Ask ask, const Clock& clock, std::chrono::milliseconds every)
      : ask_(std::move(ask)), clock_(clock), every_(every) {}

  /// What is known of these partitions by now: perhaps too little, never too much.
  const Offsets& of(std::span<const TopicPartition> partitions);
  /// Whether the group is past all of these.
  bool is_past(const Offsets& offsets);

 private:
  const Ask ask_;
  const Clock& clock_;
  const std::chrono::milliseconds every_;
  Offsets known_;
  std::optional<Monotonic> asked_at_;
};

}  // namespace scoreline::ingest
