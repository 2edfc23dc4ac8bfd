#include "adapters/kafka/group_offsets.h"

#include "adapters/kafka/reports.h"

namespace scoreline::kafka {
namespace {

int to_ms(std::chrono::milliseconds at_most) { return static_cast<int>(at_most.count()); }

rd_kafka_resp_err_t first_error(const rd_kafka_topic_partition_list_t& list) {
  for (const auto& entry : std::span(list.elems, static_cast<std::size_t>(list.cnt))) {
    if (entry.err != RD_KAFKA_RESP_ERR_NO_ERROR) return entry.err;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace

PartitionList to_list(const ingest::Offsets& next) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(next.size())));
  for (const auto& [at, offset] : next) {
    rd_kafka_topic_partition_list_add(list.get(), at.topic.c_str(), at.partition)->offset = offset;
  }
  return list;
}

PartitionList to_list(std::span<const ingest::TopicPartition> partitions) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const auto& at : partitions) rd_kafka_topic_partition_list_add(list.get(), at.topic.c_str(), at.partition);
  return list;
}

Result<ingest::Offsets> committed_offsets(rd_kafka_t& client, std::span<const ingest::TopicPartition> partitions,
                                          std::chrono::milliseconds at_most) {
  ingest::Offsets offsets;
  if (partitions.empty()) return offsets;
  const PartitionList list = to_list(partitions);
  auto err = rd_kafka_committed(&client, list.get(), to_ms(at_most));
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR) err = first_error(*list);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) return fail(to_error(err, "asking for the offsets of the group"));
  for (const auto& entry : std::span(list->elems, static_cast<std::size_t>(list->cnt))) {
    if (entry.offset >= 0) offsets.emplace(ingest::TopicPartition{entry.topic, entry.partition}, entry.offset);
  }
  return offsets;
}

Result<void> commit_offsets(rd_kafka_t& client, const ingest::Offsets& next, std::chrono::milliseconds at_most) {
  if (next.empty()) return {};
  const auto failed = [](rd_kafka_resp_err_t err) { return fail(to_error(err, "committing offsets")); };
  // A plain synchronous commit waits for the coordinator for ever. The answer that comes too late finds no queue.
  const Queue answers(rd_kafka_queue_new(&client));
  const PartitionList list = to_list(next);
  const auto sent = rd_kafka_commit_queue(&client, list.get(), answers.get(), nullptr, nullptr);
  if (sent != RD_KAFKA_RESP_ERR_NO_ERROR) return failed(sent);
  const Event answer(rd_kafka_queue_poll(answers.get(), to_ms(at_most)));
  if (!answer) return failed(RD_KAFKA_RESP_ERR__TIMED_OUT);
  auto err = rd_kafka_event_error(answer.get());
  const auto* const answered = rd_kafka_event_topic_partition_list(answer.get());
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR && answered != nullptr) err = first_error(*answered);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) return failed(err);
  return {};
}

Result<std::int64_t> end_offset(rd_kafka_t& client, const ingest::TopicPartition& partition,
                                std::chrono::milliseconds at_most) {
  std::int64_t low = 0;
  std::int64_t end = 0;
  const auto err = rd_kafka_query_watermark_offsets(&client, partition.topic.c_str(), partition.partition, &low, &end,
                                                    to_ms(at_most));
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) return fail(to_error(err, "asking for the end of a partition"));
  return end;
}

}  // namespace scoreline::kafka
