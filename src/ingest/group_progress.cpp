#include "ingest/group_progress.h"

#include <algorithm>

namespace scoreline::ingest {

Result<Offsets> GroupProgress::of(std::span<const TopicPartition> partitions) {
  const Monotonic now = clock_.monotonic();
  const auto is_stale = [&](const TopicPartition& partition) {
    const auto asked = asked_at_.find(partition);
    return asked == asked_at_.end() || now - asked->second >= every_;
  };
  if (std::ranges::any_of(partitions, is_stale)) {
    const auto answer = ask_(partitions);
    if (!answer) return fail(answer.error());
    for (const TopicPartition& partition : partitions) asked_at_[partition] = now;
    for (const auto& [partition, next] : *answer) known_[partition] = next;
  }
  Offsets offsets;
  for (const TopicPartition& partition : partitions) {
    if (const auto known = known_.find(partition); known != known_.end()) offsets.insert(*known);
  }
  return offsets;
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
  return of(partitions).has_value() && known_past();
}

}  // namespace scoreline::ingest
