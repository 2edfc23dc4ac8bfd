// How far another group of consumers has committed its offsets, asked for each partition at most every so often.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>

#include "base/clock.h"
#include "ingest/message_source.h"

namespace scoreline::ingest {

class GroupProgress {
 public:
  using Ask = std::function<Result<Offsets>(std::span<const TopicPartition>)>;
  GroupProgress(Ask ask, const Clock& clock, std::chrono::milliseconds every)
      : ask_(std::move(ask)), clock_(clock), every_(every) {}

  /// Of these partitions, as it was at most `every` ago; one that the group has committed nothing of is missing.
  /// Errors: those of asking.
  Result<Offsets> of(std::span<const TopicPartition> partitions);
  /// Whether the group is known to be past all of these.
  bool is_past(const Offsets& offsets);

 private:
  const Ask ask_;
  const Clock& clock_;
  const std::chrono::milliseconds every_;
  Offsets known_;
  std::map<TopicPartition, Monotonic> asked_at_;
};

}  // namespace scoreline::ingest
