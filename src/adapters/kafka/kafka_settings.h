// Where Kafka is and how it is read, as the user wrote it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::kafka {

/// Keys and values that go to librdkafka as they are: `security.protocol`, `sasl.username`, `fetch.max.bytes` …
using Passthrough = std::map<std::string, std::string>;

/// Where a partition begins that the group has not committed anything of.
enum class Start : std::uint8_t { earliest, latest };
/// What becomes of a partition whose next message the broker no longer has, or does not have yet.
enum class OutOfRange : std::uint8_t { stop, earliest };

struct KafkaSettings {
  std::string brokers;  ///< `host:port`, more of them behind commas
  std::string topic = "match-results";
  std::string group = "scoreline";
  Start start = Start::earliest;
  OutOfRange out_of_range = OutOfRange::stop;
  Passthrough passthrough;
};

/// `key=value,key=value`; a comma within a value is written twice. Errors: Code::usage, field `kafkaSettings`, naming
/// the key; no value is ever part of the text.
Result<Passthrough> parse_passthrough(std::string_view text);

/// The same as one text again, what is secret (passwords, keys, tokens) shown as `***`.
std::string redacted(const Passthrough& passthrough);

enum class LogLevel : std::uint8_t { error, warning, info };
/// Gets librdkafka's own log and what the adapter has to tell. Called on any thread, librdkafka's own ones too.
using Log = std::function<void(LogLevel, std::string_view)>;

}  // namespace scoreline::kafka
