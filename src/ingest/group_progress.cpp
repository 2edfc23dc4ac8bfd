#include "ingest/group_progress.h"

#include <algorithm>

namespace scoreline::ingest {

const Offsets& GroupProgress::of(std::span<const TopicPartition> partitions) {
  const Monotonic now = clock_.monotonic();
  if (!asked_at_ || now - *asked_at_ >= every_) {
    asked_at_ = now;
    if (const auto answer = ask_(partitions)) {
      for (const auto& [partition, next] : *answer) known_[partition] = next;
    }
  }
  return known_;
}

bool GroupProgress::is_past(const Offsets& offsets) {
  const auto known_past = [&] {
    return std::ranges::all_of(offsets, [&](const auto& each) {
      const auto known = known_.find(each.first);
      return known != known_.end() && known->second >= each.second;
    });
  };
  if (known_past()) return true;
  std::vector<TopicPartition> partitions;
  for (const auto& [partition, next] : offsets) partitions.push_back(partition);
  of(partitions);
  return known_past();
}

}  // namespace scoreline::ingest
