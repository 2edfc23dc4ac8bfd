// What librdkafka has to say of itself: its log goes to the caller's, an error that only other settings cure is kept
// until somebody asks.
//
// Thread safety: all of it from any thread.
#pragma once

#include <librdkafka/rdkafka.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kafka/kafka_settings.h"
#include "base/error.h"

namespace scoreline::kafka {

/// As an operator reads it: what went wrong and which setting is to blame. A broker that is away or slow:
/// Code::not_ready. Somebody else has the partitions: Code::conflict. Settings, rights: Code::usage.
Error to_error(rd_kafka_resp_err_t err, std::string_view what);

class Reports {
 public:
  explicit Reports(Log log) : log_(std::move(log)) {}

  void tell(LogLevel level, std::string_view text) const {
    if (log_) log_(level, text);
  }
  /// A line of librdkafka's log, with its syslog level.
  void on_log(int level, std::string_view facility, std::string_view text) const;
  /// An error of the client as a whole.
  void on_error(rd_kafka_t* client, rd_kafka_resp_err_t err, std::string_view text);

  void keep_failure(Error failure);
  /// The failure since the last call, if there was one.
  std::optional<Error> take_failure();

 private:
  Log log_;
  std::mutex mutex_;
  std::optional<Error> failure_;
};

}  // namespace scoreline::kafka
