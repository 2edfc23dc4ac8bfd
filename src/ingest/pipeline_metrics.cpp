#include "ingest/pipeline_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace scoreline::ingest {
namespace {

using leaderboards::Outcome;

const prometheus::Histogram::BucketBoundaries kSizes{1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000};
/// Seconds.
const prometheus::Histogram::BucketBoundaries kTimes{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                                     0.1,    0.2,   0.5,   1,     2,    5,    10};

prometheus::Counter& results(prometheus::Registry& registry, const std::string& outcome) {
  return prometheus::BuildCounter()
      .Name("scoreline_results_total")
      .Help("Results that were answered, by what became of them.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

prometheus::Histogram& histogram(prometheus::Registry& registry, const std::string& name, const std::string& help,
                                 const prometheus::Histogram::BucketBoundaries& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

void add(prometheus::Counter& counter, std::size_t count) {
  if (count > 0) counter.Increment(static_cast<double>(count));
}

}  // namespace

PipelineMetrics::PipelineMetrics(prometheus::Registry& registry)
    : improved_(results(registry, "improved")),
      unchanged_(results(registry, "unchanged")),
      duplicate_(results(registry, "duplicate")),
      rejected_(results(registry, "rejected")),
      conflicts_(prometheus::BuildCounter()
                     .Name("scoreline_result_conflicts_total")
                     .Help("Duplicates with other content than what was kept: the first counts.")
                     .Register(registry)
                     .Add({})),
      commit_results_(histogram(registry, "scoreline_commit_results", "Results in one commit.", kSizes)),
      commit_seconds_(histogram(registry, "scoreline_commit_seconds",
                                "From the beginning of a commit until its results are durable and on the boards.",
                                kTimes)),
      pending_(prometheus::BuildGauge()
                   .Name("scoreline_pending_results")
                   .Help("Results that wait for the ledger, or are in the commit under way.")
                   .Register(registry)
                   .Add({})) {}

void PipelineMetrics::count(const Receipts& receipts) {
  std::size_t improved = 0, unchanged = 0, duplicate = 0, rejected = 0, conflicts = 0;
  for (const auto& receipt : receipts) {
    if (!receipt) {
      ++rejected;
      continue;
    }
    switch (receipt->outcome) {
      case Outcome::improved: ++improved; break;
      case Outcome::unchanged: ++unchanged; break;
      case Outcome::duplicate: ++duplicate; break;
    }
    if (receipt->conflict) ++conflicts;
  }
  add(improved_, improved);
  add(unchanged_, unchanged);
  add(duplicate_, duplicate);
  add(rejected_, rejected);
  add(conflicts_, conflicts);
}

void PipelineMetrics::observe_commit(std::size_t results, std::chrono::nanoseconds took) {
  commit_results_.Observe(static_cast<double>(results));
  commit_seconds_.Observe(std::chrono::duration<double>(took).count());
}

void PipelineMetrics::set_pending(std::size_t results) { pending_.Set(static_cast<double>(results)); }

}  // namespace scoreline::ingest
