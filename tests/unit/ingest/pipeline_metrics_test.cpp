#include "ingest/pipeline_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <string>

#include "support/process.h"

namespace scoreline::ingest {
namespace {

using test::World;
using testing::HasSubstr;

TEST(PipelineMetrics, TellWhatBecameOfResultsAndWhatCommitsCost) {
  prometheus::Registry registry;
  World world;
  PipelineMetrics metrics(registry);
  {
    Pipeline pipeline(world.service(), world.ledger, world.index(), world.clock, world.random, &metrics);
    const auto submit = [&](std::vector<Submission> batch) {
      ASSERT_TRUE(pipeline.submit(std::move(batch), leaderboards::Ranks::skip));
    };
    submit(
        {World::result("a", 5, {}, test::match(1)), World::result("a", 4, {}, test::match(2)), World::result("a", -1)});
    submit({World::result("a", 5, {}, test::match(1)), World::result("a", 6, {}, test::match(1))});
    submit({World::result("", 1)});  // never reaches the writer
  }
  const std::string text = prometheus::TextSerializer().Serialize(registry.Collect());
  for (const char* line :
       {"scoreline_results_total{outcome=\"improved\"} 1\n", "{outcome=\"unchanged\"} 1\n",
        "{outcome=\"duplicate\"} 2\n", "{outcome=\"rejected\"} 2\n", "scoreline_result_conflicts_total 1\n",
        "scoreline_commit_results_count 2\n", "scoreline_commit_results_sum 4\n", "scoreline_commit_seconds_count 2\n",
        "scoreline_pending_results 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace scoreline::ingest
