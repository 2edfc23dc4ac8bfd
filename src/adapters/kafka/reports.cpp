#include "adapters/kafka/reports.h"

#include <utility>

namespace scoreline::kafka {

Error to_error(rd_kafka_resp_err_t err, std::string_view what) {
  const std::string text = std::string(what) + ": " + rd_kafka_err2str(err);
  switch (err) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
    case RD_KAFKA_RESP_ERR__SSL: return {Code::usage, text, "kafkaSettings", std::nullopt};
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return {Code::usage, text + "; the user needs the right to use the topic", "kafkaTopic", std::nullopt};
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return {Code::usage, text + "; the user needs the right to read as this group", "kafkaGroup", std::nullopt};
    case RD_KAFKA_RESP_ERR_INVALID_GROUP_ID:
    case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
      return {Code::usage, text + "; do other programs use the same group?", "kafkaGroup", std::nullopt};
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
    case RD_KAFKA_RESP_ERR__FATAL: return {Code::usage, text, "kafkaSettings", std::nullopt};
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST: return {Code::conflict, text, "", std::nullopt};
    default: return {Code::not_ready, text, "", std::nullopt};
  }
}

void Reports::on_log(int level, std::string_view facility, std::string_view text) const {
  // One set of settings serves consumers and producers: what the other one alone understands is no fault.
  if (facility == "CONFWARN" && text.find(" property and will be ignored by this ") != text.npos) return;
  constexpr int kSyslogError = 3;
  constexpr int kSyslogWarning = 4;
  auto severity = level <= kSyslogWarning ? LogLevel::warning : LogLevel::info;
  // A broker that cannot be reached is waited for: nothing to be woken for at night.
  if (level <= kSyslogError && facility != "FAIL" && facility != "ERROR") severity = LogLevel::error;
  tell(severity, text);
}

void Reports::on_error(rd_kafka_t* client, rd_kafka_resp_err_t err, std::string_view text) {
  if (err == RD_KAFKA_RESP_ERR__FATAL) {
    char reason[512] = {};
    const auto cause = rd_kafka_fatal_error(client, reason, sizeof reason);
    keep_failure(to_error(RD_KAFKA_RESP_ERR__FATAL, rd_kafka_err2str(cause) + std::string(": ") + reason));
    return;
  }
  auto error = to_error(err, text);
  if (error.code == Code::usage) {
    keep_failure(std::move(error));
  } else {
    tell(LogLevel::warning, error.detail);
  }
}

void Reports::keep_failure(Error failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

std::optional<Error> Reports::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

}  // namespace scoreline::kafka
