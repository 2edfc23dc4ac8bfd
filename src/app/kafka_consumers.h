// The consumers of results that come through Kafka: one of the ledger's group, and in parallel mode another that shows
// results on the boards ahead of it.
//
// Thread safety: all calls from one thread.
#pragma once

#include <memory>

#include "adapters/kafka/kafka_settings.h"
#include "app/engine.h"
#include "app/kafka_mode.h"
#include "base/error.h"

namespace prometheus {
class Registry;
}

namespace scoreline::app {

class KafkaConsumers {
 public:
  /// Waits for no broker. `engine` and `registry` must outlive it but for its destructor. Errors: usage; `field` set.
  static Result<std::unique_ptr<KafkaConsumers>> open(const kafka::KafkaSettings& settings, KafkaMode mode,
                                                      Engine& engine, prometheus::Registry& registry);
  ~KafkaConsumers();
  KafkaConsumers(const KafkaConsumers&) = delete;
  KafkaConsumers& operator=(const KafkaConsumers&) = delete;

  /// Once the boards are made.
  void begin();
  /// Waits for what is in hand, commits it, and leaves the groups. What the engine's pipeline still has when that took
  /// too long is answered to this object: it must be there until the engine is gone.
  void stop();

 private:
  struct Parts;
  explicit KafkaConsumers(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace scoreline::app
