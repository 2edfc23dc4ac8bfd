#include "ingest/consumer_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <algorithm>

namespace scoreline::ingest {
namespace {

prometheus::Counter& counter(prometheus::Registry& registry, const std::string& name, const std::string& help,
                             const std::string& group) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({{"group", group}});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const std::string& name, const std::string& help,
                         const std::string& group) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({{"group", group}});
}

}  // namespace

ConsumerMetrics::ConsumerMetrics(prometheus::Registry& registry, const std::string& group)
    : group_(group),
      messages_(counter(registry, "scoreline_kafka_messages_total", "Messages read.", group)),
      failures_(counter(registry, "scoreline_kafka_failures_total",
                        "Polls, batches and commits of offsets that failed; all are tried again.", group)),
      paused_(gauge(registry, "scoreline_kafka_paused",
                    "1 while nothing is read because the ledger or the boards cannot follow.", group)),
      assigned_(gauge(registry, "scoreline_kafka_partitions", "Partitions assigned to this process.", group)),
      stopped_(gauge(registry, "scoreline_kafka_stopped_partitions",
                     "Partitions that are not read on, because the offset to go on from is out of range.", group)),
      lags_(prometheus::BuildGauge()
                .Name("scoreline_kafka_lag_messages")
                .Help("Messages of an assigned partition that are not read yet.")
                .Register(registry)) {}

void ConsumerMetrics::count_messages(std::size_t messages) { messages_.Increment(static_cast<double>(messages)); }

void ConsumerMetrics::count_failures(std::size_t failures) { failures_.Increment(static_cast<double>(failures)); }

void ConsumerMetrics::set_paused(bool paused) { paused_.Set(paused ? 1 : 0); }

void ConsumerMetrics::set_partitions(const std::vector<PartitionState>& partitions) {
  std::map<TopicPartition, prometheus::Gauge*> before = std::exchange(lag_of_, {});
  std::size_t stopped = 0;
  for (const PartitionState& state : partitions) {
    const TopicPartition& id = state.partition;
    const auto known = before.extract(id);
    prometheus::Gauge* const lag =
        known ? known.mapped()
              : &lags_.Add({{"group", group_}, {"topic", id.topic}, {"partition", std::to_string(id.partition)}});
    lag_of_.emplace(id, lag);
    if (state.end) lag->Set(static_cast<double>(std::max<std::int64_t>(0, *state.end - state.next)));
    if (state.stopped) ++stopped;
  }
  for (const auto& [id, gone] : before) lags_.Remove(gone);
  assigned_.Set(static_cast<double>(partitions.size()));
  stopped_.Set(static_cast<double>(stopped));
}

}  // namespace scoreline::ingest
