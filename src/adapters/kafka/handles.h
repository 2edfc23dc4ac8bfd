// Owners of librdkafka's objects: each is given back when its owner goes.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>

namespace scoreline::kafka {

template <auto kGiveBack>
struct GiveBack {
  template <typename T>
  void operator()(T* object) const {
    kGiveBack(object);
  }
};

using Conf = std::unique_ptr<rd_kafka_conf_t, GiveBack<rd_kafka_conf_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, GiveBack<rd_kafka_message_destroy>>;
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t, GiveBack<rd_kafka_topic_partition_list_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, GiveBack<rd_kafka_queue_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, GiveBack<rd_kafka_event_destroy>>;
using ErrorPtr = std::unique_ptr<rd_kafka_error_t, GiveBack<rd_kafka_error_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, GiveBack<rd_kafka_topic_destroy>>;

/// Ends the client's threads without waiting for a broker. A consumer is closed before, by its owner.
inline void end_client(rd_kafka_t* client) { rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); }
using Client = std::unique_ptr<rd_kafka_t, GiveBack<end_client>>;

}  // namespace scoreline::kafka
