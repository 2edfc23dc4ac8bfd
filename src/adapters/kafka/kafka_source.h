// Results as messages of a Kafka topic, read as one member of a consumer group.
//
// A partition that the group has committed nothing of begins where the settings say; `latest` is committed at once, so
// that nothing is skipped that arrives before the first result. What is fetched ahead is bounded (about 32 MB
// of messages, and as much again of librdkafka's own).
// A topic that is not there yet is waited for, a broker that is away too.
#pragma once

#include <memory>

#include "adapters/kafka/kafka_settings.h"
#include "base/clock.h"
#include "base/error.h"
#include "ingest/message_source.h"

namespace scoreline::kafka {

/// Joins the group; partitions come with the first calls of `poll`. Waits for no broker. `clock` and what `log` holds
/// must outlive the source. Errors: Code::usage, with the field to blame.
Result<std::unique_ptr<ingest::MessageSource>> open_source(const KafkaSettings& settings, const Clock& clock, Log log);

}  // namespace scoreline::kafka
