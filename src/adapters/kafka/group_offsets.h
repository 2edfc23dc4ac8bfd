// What a consumer group has committed, asked for and written with bounded waits.
//
// Thread safety: all of it from any thread.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <span>

#include "adapters/kafka/handles.h"
#include "base/error.h"
#include "ingest/message_source.h"

namespace scoreline::kafka {

/// Offsets: those of `next`, or none where a list of bare partitions is asked for.
PartitionList to_list(const ingest::Offsets& next);
PartitionList to_list(std::span<const ingest::TopicPartition> partitions);

Result<ingest::Offsets> committed_offsets(rd_kafka_t& client, std::span<const ingest::TopicPartition> partitions,
                                          std::chrono::milliseconds at_most);

/// Errors: as to_error; not_ready when no answer came in time, and it may or may not be committed.
Result<void> commit_offsets(rd_kafka_t& client, const ingest::Offsets& next, std::chrono::milliseconds at_most);

/// Where the next message of the partition will stand. Errors: as to_error.
Result<std::int64_t> end_offset(rd_kafka_t& client, const ingest::TopicPartition& partition,
                                std::chrono::milliseconds at_most);

}  // namespace scoreline::kafka
