#include "app/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "support/model_ledger.h"
#include "support/process.h"
#include "support/scratch_folder.h"

namespace scoreline::app {
namespace {

using leaderboards::Definition;
using leaderboards::Ranks;
using leaderboards::Rule;
using test::World;

class EngineTest : public testing::Test {
 protected:
  EngineOptions options() {
    EngineOptions options;
    options.data = folder_.path();
    options.clock = &clock_;
    options.random = &random_;
    return options;
  }

  test::ScratchFolder folder_;
  ManualClock clock_{test::at("2026-10-12T18:00:00Z")};
  SeededRandom random_{1};
};

TEST_F(EngineTest, KeepsResultsOverARestart) {
  {
    const auto engine = Engine::open(options()).value();
    test::must(engine->rebuild());
    ASSERT_TRUE(engine->pipeline().submit({World::result("a", 5), World::result("b", 7)}, Ranks::skip));
  }
  const auto engine = Engine::open(options()).value();
  EXPECT_EQ(engine->service().top({"main", leaderboards::SeasonId{12}}, 10).error().code, Code::not_ready);
  engine->start_rebuild();
  while (!engine->service().ready()) std::this_thread::yield();
  const auto page = engine->service().top({"main", leaderboards::SeasonId{12}}, 10).value();
  ASSERT_EQ(page.entries.size(), 2U);
  EXPECT_EQ(page.entries[0].player.text(), "b");
}

TEST_F(EngineTest, AppliesTheDefinitionsOfTheConfiguration) {
  EngineOptions configured = options();
  configured.definitions = {test::with_rule("runs", Rule::sum)};
  const auto engine = Engine::open(configured).value();
  EXPECT_EQ(engine->service().catalogue().find("runs").value()->definition.rule, Rule::sum);
}

TEST_F(EngineTest, ARefusedChangeOfTheConfigurationNamesTheLeaderboard) {
  {
    const auto engine = Engine::open(options()).value();
    test::must(engine->rebuild());
    ASSERT_TRUE(engine->pipeline().submit({World::result("a", 5)}, Ranks::skip));
  }
  EngineOptions configured = options();
  configured.definitions = {test::with_rule("main", Rule::sum)};
  const auto engine = Engine::open(configured);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::conflict);
  EXPECT_EQ(engine.error().field, "rule");
  EXPECT_THAT(engine.error().detail, testing::StartsWith("leaderboard main: "));
}

TEST_F(EngineTest, NeedsAFolder) {
  const auto engine = Engine::open(EngineOptions{});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::usage);
  EXPECT_EQ(engine.error().field, "data");
}

TEST_F(EngineTest, StandsOnAnyLedger) {
  const auto engine = Engine::open(std::make_unique<test::ModelLedger>(), EngineOptions{}).value();
  test::must(engine->rebuild());
  ASSERT_TRUE(engine->pipeline().submit({World::result("a", 5)}, Ranks::tell));
  EXPECT_EQ(engine->service().place_of({"main", leaderboards::SeasonId{12}}, test::player("a"))->players, 1U);
}

}  // namespace
}  // namespace scoreline::app
