// What the Kafka adapter has to tell goes to the program's log.
//
// Thread safety: from any thread.
#pragma once

#include <string_view>

#include "adapters/kafka/kafka_settings.h"

namespace scoreline::app {

void log_kafka(kafka::LogLevel level, std::string_view text);

}  // namespace scoreline::app
