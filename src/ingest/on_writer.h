// A change on the pipeline's writer thread, waited for.
#pragma once

#include <future>
#include <memory>

#include "ingest/pipeline.h"

namespace scoreline::ingest {

/// Runs `change` between two commits and returns what it returned. Not from the writer thread.
template <typename Change>
auto on_writer(Pipeline& pipeline, const Change& change) {
  // Shared, because the writer may still be inside set_value when this thread has the answer and is gone.
  const auto changed = std::make_shared<std::promise<decltype(change())>>();
  auto answer = changed->get_future();
  pipeline.exclusive([changed, &change] { changed->set_value(change()); });
  return answer.get();
}

}  // namespace scoreline::ingest
