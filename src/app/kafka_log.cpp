#include "app/kafka_log.h"

#include <spdlog/spdlog.h>

namespace scoreline::app {

void log_kafka(kafka::LogLevel level, std::string_view text) {
  switch (level) {
    case kafka::LogLevel::error: return spdlog::error("kafka: {}", text);
    case kafka::LogLevel::warning: return spdlog::warn("kafka: {}", text);
    case kafka::LogLevel::info: return spdlog::info("kafka: {}", text);
  }
}

}  // namespace scoreline::app
