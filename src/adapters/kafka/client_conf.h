// From settings to a configuration of librdkafka.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/kafka/handles.h"
#include "adapters/kafka/kafka_settings.h"
#include "adapters/kafka/reports.h"
#include "base/error.h"

namespace scoreline::kafka {

using ConfEntries = std::initializer_list<std::pair<const char*, std::string>>;

/// `defaults` may be changed by the passthrough, `ours` may not. Log and errors go to `reports`, which must be what the
/// client's opaque points to and outlive it. Errors: Code::usage, naming the key and what is right.
Result<Conf> make_conf(const KafkaSettings& settings, ConfEntries defaults, ConfEntries ours, Reports& reports);

/// Errors: Code::usage, `kafkaSettings`: librdkafka says why (a file of certificates that is not there …).
Result<Client> make_client(rd_kafka_type_t type, Conf conf);

/// Kafka's rule for the names of topics. Errors: Code::usage, field `kafkaTopic`.
Result<void> check_topic(std::string_view topic);

}  // namespace scoreline::kafka
