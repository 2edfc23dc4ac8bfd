#include "app/http_node.h"

#include <fmt/format.h>
#include <prometheus/registry.h>
#include <spdlog/spdlog.h>

#include "app/backing.h"
#include "app/web_files.h"

namespace scoreline::app {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};
constexpr std::chrono::milliseconds kLookForFailure{1'000};
constexpr std::chrono::milliseconds kStopGrace{10'000};

}  // namespace

Result<std::unique_ptr<HttpNode>> HttpNode::start(const Config& config, const EngineOptions& options,
                                                  const StopSignal& stop, const Clock& clock) {
  if (!is_loopback(config.address) && !config.insecure_listen) {
    return fail(Code::usage,
                fmt::format("other machines reach {}, and anybody there could write results, because this version "
                            "knows no keys; listen on 127.0.0.1, or add --insecure-listen",
                            config.address),
                "listen");
  }
  auto registry = std::make_unique<prometheus::Registry>();
  EngineOptions measured = options;
  measured.registry = registry.get();
  auto engine = Engine::open(measured);
  if (!engine) return fail(std::move(engine.error()));
  for (const auto& note : (*engine)->notes()) spdlog::warn("{}", note);
  std::unique_ptr<HttpNode> node(new HttpNode(config, std::move(registry), std::move(*engine), stop, clock));
  if (auto opened = node->open_kafka(config); !opened) return fail(std::move(opened.error()));
  if (auto started = node->server_->start(); !started) return fail(std::move(started.error()));
  const std::string stores = is_shared_index(config.index)
                                 ? fmt::format("ledger {}, index {}", redacted(config.ledger), redacted(config.index))
                                 : fmt::format("data folder {}", options.data.string());
  spdlog::info("listening on {}, {}", node->url(), stores);
  node->engine_->start_rebuild();
  return node;
}

HttpNode::HttpNode(const Config& config, std::unique_ptr<prometheus::Registry> registry, std::unique_ptr<Engine> engine,
                   const StopSignal& stop, const Clock& clock)
    : address_(config.address), stop_(stop), clock_(clock), registry_(std::move(registry)), engine_(std::move(engine)) {
  api_ = std::make_unique<http::Api>(engine_->service(), engine_->pipeline(), web_files(),
                                     engine_->index_is_shared() ? http::IndexReads::waiting : http::IndexReads::inline_,
                                     http::HostCheck(config.allowed_hosts));
  api_->keep_dead_letters(engine_->dead_letters());
  api_->keep_jobs(engine_->jobs());
  api_->tell_metrics(*registry_);
  http::ServerOptions options;
  options.address = config.address;
  options.port = config.port;
  options.loops = config.threads;
  server_ = std::make_unique<http::Server>(*api_, clock_, options);
  api_->allow_listeners(server_->max_connections() * 4 / 5);  // the rest is for those who ask
}

Result<void> HttpNode::open_kafka(const Config& config) {
  if (config.kafka.brokers.empty()) return {};
  auto opened = KafkaConsumers::open(config.kafka, config.kafka_mode, *engine_, *registry_);
  if (!opened) return fail(std::move(opened.error()));
  kafka_ = std::move(*opened);
  return {};
}

HttpNode::~HttpNode() {
  if (kafka_) kafka_->stop();
  server_.reset();
  api_->finish();
  engine_.reset();  // the pipeline's last answers still go through the api and the consumers
}

std::string HttpNode::url() const {
  const bool ipv6 = address_.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", ipv6 ? "[" : "", address_, ipv6 ? "]" : "", server_->port());
}

Result<bool> HttpNode::wait_ready() {
  const Monotonic begin = clock_.monotonic();
  while (true) {
    const auto progress = engine_->service().progress();
    if (progress.failure) return fail(*progress.failure);
    if (const auto failure = engine_->jobs().failure()) return fail(*failure);
    // Jobs that another process holds, or whose server is away, keep nobody from the boards.
    if (progress.ready && engine_->jobs().tried()) {
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - begin);
      spdlog::info("ready: boards made of {} results in {} ms", progress.results_done, took.count());
      if (kafka_) kafka_->begin();
      return true;
    }
    if (stop_.wait_for(kLookAgain)) return false;
  }
}

Result<void> HttpNode::wait_stopped() {
  while (!stop_.wait_for(kLookForFailure)) {
    const auto failure = engine_->service().write_failure();
    if (!failure) continue;
    spdlog::error("{}; reads go on", failure->detail);
    stop_.wait();  // told once: it is so until the end
    break;
  }
  spdlog::info("stopping: open requests may finish");
  if (kafka_) kafka_->stop();
  if (!server_->stop(kStopGrace)) spdlog::warn("stopped, with requests that were not finished in time");
  return {};
}

}  // namespace scoreline::app
