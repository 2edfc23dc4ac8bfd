// What the handles of the public library keep open, and the way from Result to its exceptions.
#pragma once

#include <scoreline/scoreline.h>

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "app/engine.h"
#include "app/standby_job_store.h"
#include "ingest/on_writer.h"

namespace scoreline {

inline Failure failure_of(const Error& error) {
  return Failure(std::string(traits(error.code).name), error.detail, error.field);
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw failure_of(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Scoreline::Core {
  std::unique_ptr<app::Engine> engine;
  std::once_flag jobs_opened;

  static std::shared_ptr<Core> open(const app::EngineOptions& options) {
    auto core = std::make_shared<Core>();
    core->engine = value_of(app::Engine::open(options));
    value_of(core->engine->rebuild());
    return core;
  }

  /// Opened by the first call.
  queues::JobStore& jobs() {
    std::call_once(jobs_opened, [this] { value_of(engine->jobs().wait_opened()); });
    return engine->jobs();
  }

  /// Runs `change` where no result is half way, and waits for it.
  template <typename Change>
  auto exclusively(const Change& change) {
    return value_of(ingest::on_writer(engine->pipeline(), change));
  }
};

}  // namespace scoreline
