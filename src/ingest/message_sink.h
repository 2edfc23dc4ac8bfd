// Port: where messages of results are sent.
//
// Thread safety: none; one object, one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::ingest {

/// What became of the messages that were given away. Those that are in neither count are under way.
struct Deliveries {
  std::uint64_t sent = 0;    ///< the brokers have them
  std::uint64_t failed = 0;  ///< they may or may not have them
  std::string first_reason;  ///< why the first of them failed
};

class MessageSink {
 public:
  /// What is still under way is dropped.
  virtual ~MessageSink() = default;

  /// Gives a message away; messages of one key keep their order. An empty key is none. Waits while too many are under
  /// way. Errors: those that only other settings cure; a message that is refused or lost by itself is counted.
  virtual Result<void> send(std::string_view key, std::string_view value) = 0;

  /// Waits until all is delivered or failed, but not longer than that. Errors: not_ready, when some is under way then.
  virtual Result<void> flush(std::chrono::milliseconds at_most) = 0;

  virtual const Deliveries& deliveries() const = 0;
};

}  // namespace scoreline::ingest
