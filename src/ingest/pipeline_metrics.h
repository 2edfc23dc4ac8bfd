// What the pipeline tells about itself: what became of results, and what commits cost.
//
// Thread safety: any thread. Cost: a few atomic additions a call, no allocation.
#pragma once

#include <chrono>
#include <cstddef>

#include "ingest/pipeline.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace scoreline::ingest {

class PipelineMetrics {
 public:
  /// `registry` must outlive it.
  explicit PipelineMetrics(prometheus::Registry& registry);

  /// What one call was answered.
  void count(const Receipts& receipts);
  /// A commit, well or not: so many results, and the time until all of them were durable and on the boards.
  void observe_commit(std::size_t results, std::chrono::nanoseconds took);
  /// Results that wait for the ledger, or are in the commit under way.
  void set_pending(std::size_t results);

 private:
  prometheus::Counter& improved_;
  prometheus::Counter& unchanged_;
  prometheus::Counter& duplicate_;
  prometheus::Counter& rejected_;
  prometheus::Counter& conflicts_;
  prometheus::Histogram& commit_results_;
  prometheus::Histogram& commit_seconds_;
  prometheus::Gauge& pending_;
};

}  // namespace scoreline::ingest
