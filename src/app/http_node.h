#pragma once

#include <memory>
#include <string>

#include "app/config.h"
#include "app/engine.h"
#include "app/kafka_consumers.h"
#include "app/stop_signal.h"
#include "cli/context.h"
#include "http/api.h"
#include "http/server.h"

namespace scoreline::app {

/// An engine with the HTTP door before it, and the Kafka door where it is configured. Not thread-safe.
class HttpNode final : public cli::Node {
 public:
  /// Opens the folder, opens the door, and begins to make the boards. All arguments must outlive it.
  /// Errors: usage, for an address that other machines reach without being told so; else those of Engine and Server.
  static Result<std::unique_ptr<HttpNode>> start(const Config& config, const EngineOptions& engine,
                                                 const StopSignal& stop, const Clock& clock);
  ~HttpNode() override;

  std::string url() const override;
  ingest::Pipeline& pipeline() override { return engine_->pipeline(); }
  Result<bool> wait_ready() override;
  Result<void> wait_stopped() override;

 private:
  HttpNode(const Config& config, std::unique_ptr<prometheus::Registry> registry, std::unique_ptr<Engine> engine,
           const StopSignal& stop, const Clock& clock);
  Result<void> open_kafka(const Config& config);

  std::string address_;
  const StopSignal& stop_;
  const Clock& clock_;
  std::unique_ptr<prometheus::Registry> registry_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<KafkaConsumers> kafka_;  // nullptr: none
  std::unique_ptr<http::Api> api_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace scoreline::app
