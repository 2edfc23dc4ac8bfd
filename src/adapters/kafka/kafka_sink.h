// Results sent to a Kafka topic.
//
// Idempotent: a message that librdkafka sends again stands in the topic once. The partition of a key is the one that
// Kafka's own clients choose for it. What is under way is bounded (100,000 messages, 32 MB); one that no broker has
// taken within 60 s has failed. Never makes a topic.
#pragma once

#include <memory>

#include "adapters/kafka/kafka_settings.h"
#include "base/clock.h"
#include "base/error.h"
#include "ingest/message_sink.h"

namespace scoreline::kafka {

/// Asks the brokers for the topic, for ten seconds. `clock` and what `log` holds must outlive the sink. Errors: usage,
/// with the field to blame; not_found, field `kafkaTopic`; not_ready, when no broker answers.
Result<std::unique_ptr<ingest::MessageSink>> open_sink(const KafkaSettings& settings, const Clock& clock, Log log);

}  // namespace scoreline::kafka
