// What one consumer tells about itself.
//
// Thread safety: the consumer's thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ingest/message_source.h"

namespace prometheus {
class Counter;
class Gauge;
class Registry;
template <typename Metric>
class Family;
}  // namespace prometheus

namespace scoreline::ingest {

class ConsumerMetrics {
 public:
  /// `registry` must outlive it.
  ConsumerMetrics(prometheus::Registry& registry, const std::string& group);

  void count_messages(std::size_t messages);
  /// Polls, batches and commits that failed.
  void count_failures(std::size_t failures);
  void set_paused(bool paused);
  /// Those assigned now: their lag, and whether they are stopped.
  void set_partitions(const std::vector<PartitionState>& partitions);

 private:
  std::string group_;
  prometheus::Counter& messages_;
  prometheus::Counter& failures_;
  prometheus::Gauge& paused_;
  prometheus::Gauge& assigned_;
  prometheus::Gauge& stopped_;
  prometheus::Family<prometheus::Gauge>& lags_;
  std::map<TopicPartition, prometheus::Gauge*> lag_of_;
};

}  // namespace scoreline::ingest
