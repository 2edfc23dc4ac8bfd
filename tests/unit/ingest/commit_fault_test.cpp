// What becomes of a commit when the ledger fails, or says nothing at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/model_board.h"
#include "support/process.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Outcome;
using leaderboards::Ranks;
using leaderboards::Rule;
using test::World;
using testing::ElementsAre;
using testing::IsEmpty;
using Fault = test::ModelLedger::Fault;

class CommitFaultTest : public testing::Test {
 protected:
  /// The appends with these numbers (from the next one, which is 1) fail so.
  void fail_appends(std::set<std::size_t> numbers, Fault fault) {
    const std::size_t done = world_.ledger.appends().size();
    world_.ledger.set_script([=](std::size_t number) -> std::optional<Fault> {
      return numbers.contains(number - done) ? std::optional(fault) : std::nullopt;
    });
  }
  void expect_rebuilt_the_same() {
    const auto live = world_.top();
    world_.restart();
    EXPECT_EQ(world_.top(), live);
  }

  World world_;
};

TEST_F(CommitFaultTest, AFailedAppendIsTheAnswerToAllAndLeavesTheBoardsAlone) {
  ASSERT_TRUE(world_.submit("a", 5));
  for (const Code code : {Code::storage_failed, Code::storage_full}) {
    fail_appends({1}, {code, false});
    const auto failed = world_.pipeline().submit({World::result("a", 9), World::result("b", 9)}, Ranks::skip);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, code);
    EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  }
  EXPECT_TRUE(world_.submit("b", 9));
  EXPECT_THAT(world_.top(), ElementsAre("b=9", "a=5"));
}

TEST_F(CommitFaultTest, AnOutcomeLostBeforeTheCommitIsSettledExactly) {
  ASSERT_TRUE(world_.submit("a", 5, {}, test::match(1)));
  fail_appends({1}, {Code::unknown_outcome, false});
  const auto receipts = world_.pipeline().submit(
      {World::result("a", 9, {}, test::match(1)), World::result("a", 7, {}, test::match(2))}, Ranks::tell);
  ASSERT_TRUE(receipts);
  EXPECT_EQ((*receipts)[0]->outcome, Outcome::duplicate);
  EXPECT_EQ((*receipts)[1]->outcome, Outcome::improved);
  EXPECT_THAT(world_.top(), ElementsAre("a=7"));
  expect_rebuilt_the_same();
}

TEST_F(CommitFaultTest, AnOutcomeLostAfterTheCommitIsSettledByWhatTheLedgerHas) {
  fail_appends({1}, {Code::unknown_outcome, true});
  const auto receipts =
      world_.pipeline().submit({World::result("a", 7, {}, test::match(1)), World::result("b", 5, {}, test::match(2)),
                                World::result("b", 4, {}, test::match(3))},
                               Ranks::tell);
  ASSERT_TRUE(receipts);
  EXPECT_EQ((*receipts)[0]->outcome, Outcome::improved);
  EXPECT_EQ((*receipts)[1]->outcome, Outcome::improved);
  EXPECT_EQ((*receipts)[2]->outcome, Outcome::duplicate);  // it is kept, and changed nothing: more nobody knows
  EXPECT_EQ((*receipts)[2]->standing.points, 5);
  EXPECT_EQ((*receipts)[2]->rank, 2U);
  EXPECT_EQ(world_.ledger.results().size(), 3U);
  EXPECT_THAT(world_.top(), ElementsAre("a=7", "b=5"));
  expect_rebuilt_the_same();
}

TEST_F(CommitFaultTest, ARowThatTheLedgerRefusesDoesNotHoldUpTheOthers) {
  world_.ledger.refuse("poison");
  for (const std::size_t place : {0U, 3U, 6U}) {
    std::vector<Submission> batch;
    for (std::size_t i = 0; i < 7; ++i) {
      const std::string player = "p" + std::to_string(place) + std::to_string(i);
      batch.push_back(World::result(i == place ? "poison" : player, static_cast<std::int64_t>(i)));
    }
    const auto receipts = world_.pipeline().submit(batch, Ranks::skip);
    ASSERT_TRUE(receipts);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ((*receipts)[i].has_value(), i != place);
    }
    EXPECT_EQ((*receipts)[place].error().code, Code::invalid);
  }
  EXPECT_EQ(world_.ledger.results().size(), 18U);
  EXPECT_EQ(world_.top().size(), 18U);
  expect_rebuilt_the_same();
}

TEST_F(CommitFaultTest, WhatTheLedgerTookBeforeItFailedInTheMiddleIsShownBeforeAnythingElse) {
  world_.ledger.refuse("poison");
  const std::vector batch = {World::result("a", 1), World::result("b", 2), World::result("poison", 3),
                             World::result("c", 4)};
  fail_appends({3}, {Code::storage_failed, false});  // all four, then a and b, then the other two
  const auto failed = world_.pipeline().submit(batch, Ranks::skip);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::storage_failed);
  EXPECT_EQ(world_.ledger.results().size(), 2U);
  EXPECT_EQ(world_.submit("d", 5)->outcome, Outcome::improved);
  EXPECT_THAT(world_.top(), ElementsAre("d=5", "b=2", "a=1"));
}

TEST_F(CommitFaultTest, ABatchWithARefusedRowWhoseAnswerWasLostIsSettledToo) {
  world_.ledger.refuse("poison");
  fail_appends({1}, {Code::unknown_outcome, false});
  const auto receipts = world_.pipeline().submit({World::result("a", 1), World::result("poison", 3)}, Ranks::skip);
  ASSERT_TRUE(receipts);
  EXPECT_TRUE((*receipts)[0]);
  EXPECT_FALSE((*receipts)[1]);
  EXPECT_THAT(world_.top(), ElementsAre("a=1"));
}

TEST_F(CommitFaultTest, AResultWithoutAMatchIsNeverADuplicate) {
  ASSERT_TRUE(world_.submit("a", 9));
  fail_appends({1}, {Code::unknown_outcome, true});
  EXPECT_EQ(world_.submit("a", 7)->outcome, Outcome::unchanged);
}

TEST_F(CommitFaultTest, ADuplicateWithOtherPointsDoesNotSlipInThroughALostAnswer) {
  ASSERT_TRUE(world_.submit("a", 5, {}, test::match(1)));
  fail_appends({1}, {Code::unknown_outcome, true});
  EXPECT_EQ(world_.submit("a", 99, {}, test::match(1))->outcome, Outcome::duplicate);
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
}

TEST_F(CommitFaultTest, AConflictIsToldThroughALostAnswer) {
  for (const Rule rule : {Rule::best, Rule::sum}) {
    const std::string name = rule == Rule::sum ? "runs" : "main";
    ASSERT_TRUE(world_.put(test::with_rule(name, rule)));
    const auto of = [&](std::string player, std::int64_t points, std::uint64_t number) {
      auto submission = World::result(std::move(player), points, {}, test::match(number));
      submission.leaderboard = name;
      return submission;
    };
    ASSERT_TRUE(world_.submit(of("a", 5, 1)));
    // The lost append kept nothing new, so which of these are duplicates is read from the ledger.
    fail_appends({1}, {Code::unknown_outcome, true});
    const auto receipts =
        world_.pipeline().submit({of("a", 5, 1), of("a", 9, 1), of("b", 7, 2), of("b", 8, 2)}, Ranks::skip);
    ASSERT_TRUE(receipts);
    std::vector<bool> conflicts;
    for (const auto& receipt : *receipts) conflicts.push_back(receipt->conflict);
    EXPECT_THAT(conflicts, ElementsAre(false, true, false, true));
    EXPECT_NE((*receipts)[3]->outcome, Outcome::improved);
  }
}

TEST_F(CommitFaultTest, ASumIsCountedOnceThroughALostAnswer) {
  ASSERT_TRUE(world_.put(test::with_rule("main", Rule::sum)));
  ASSERT_TRUE(world_.submit("a", 5));
  fail_appends({1}, {Code::unknown_outcome, true});
  EXPECT_EQ(world_.submit("a", 7)->standing.points, 12);
  EXPECT_EQ(world_.submit("a", 1)->standing.points, 13);
  expect_rebuilt_the_same();
}

TEST_F(CommitFaultTest, AnOutcomeThatStaysUnknownIsSaidAndSettledBeforeAnythingElse) {
  for (const Rule rule : {Rule::best, Rule::sum}) {
    World world;
    ASSERT_TRUE(world.put(test::with_rule("main", rule)));
    ASSERT_TRUE(world.submit("a", 5));
    world.ledger.set_script([](std::size_t number) -> std::optional<Fault> {
      if (number == 2) return Fault{Code::unknown_outcome, true};
      if (number <= 6) return Fault{Code::storage_failed, false};
      return std::nullopt;
    });
    const auto unknown = world.submit("a", 7);  // appends 2, 3, 4
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Code::unknown_outcome);
    for (int attempt = 0; attempt < 2; ++attempt) {
      const auto refused = world.submit("b", 1);  // 5, 6: the earlier one is not settled yet
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::storage_failed);
    }
    EXPECT_EQ(world.submit("b", 1)->outcome, Outcome::improved);
    const auto live = world.top();
    EXPECT_THAT(live, ElementsAre(rule == Rule::best ? "a=7" : "a=12", "b=1"));
    world.restart();
    EXPECT_EQ(world.top(), live);
  }
}

/// An index that others write to as well, so that its standings may be behind the ledger.
class SharedIndex final : public memory::MemoryRankIndex {
 public:
  using MemoryRankIndex::MemoryRankIndex;
  bool exclusive() const override { return false; }
};

TEST_F(CommitFaultTest, TotalsOfASharedIndexComeFromTheLedger) {
  const leaderboards::Definition definition = test::with_rule("main", Rule::sum);
  ASSERT_TRUE(world_.put(definition));
  ASSERT_TRUE(world_.submit("a", 5));
  const auto catalogue = leaderboards::Catalogue::open(world_.ledger).value();
  SharedIndex index(1);
  leaderboards::Service service(*catalogue, world_.ledger, index, world_.clock,
                                [] { return std::make_unique<memory::MemoryRankIndex>(1); });
  Pipeline pipeline(service, world_.ledger, index, world_.clock, world_.random);
  test::must(service.rebuild());
  ASSERT_TRUE(world_.submit("a", 10));  // through the other process
  const auto receipts = pipeline.submit({World::result("a", 1)}, Ranks::skip);
  EXPECT_EQ(receipts->front()->standing.points, 16);
}

TEST_F(CommitFaultTest, AnUnsettledLeaderboardMayBeDropped) {
  ASSERT_TRUE(world_.put(test::with_rule("runs", Rule::sum)));
  Submission submission = World::result("a", 7);
  submission.leaderboard = "runs";
  fail_appends({1, 2, 3}, {Code::unknown_outcome, true});
  EXPECT_EQ(world_.submit(submission).error().code, Code::unknown_outcome);
  test::must(world_.service().drop(test::leaderboard("runs")));
  EXPECT_TRUE(world_.submit("b", 1));
  EXPECT_EQ(world_.ledger.results().size(), 1U);
}

TEST_F(CommitFaultTest, WhateverTheLedgerDoesTheBoardsAgreeWithItInTheEnd) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world;
    SeededRandom random(seed);
    const Rule rule = seed % 2 == 0 ? Rule::sum : Rule::best;
    ASSERT_TRUE(world.put(test::with_rule("main", rule)));
    if (seed % 3 == 0) world.ledger.refuse("p6");
    world.ledger.set_script([&random](std::size_t) -> std::optional<Fault> {
      switch (random.below(6)) {
        case 0: return Fault{Code::storage_failed, false};
        case 1: return Fault{Code::unknown_outcome, false};
        case 2: return Fault{Code::unknown_outcome, true};
        default: return std::nullopt;
      }
    });
    for (int step = 0; step < 60; ++step) {
      std::vector<Submission> batch;
      for (std::uint64_t i = 0; i < 1 + random.below(5); ++i) {
        batch.push_back(World::result("p" + std::to_string(random.below(7)), static_cast<std::int64_t>(random.below(4)),
                                      Timestamp{static_cast<std::int64_t>(random.below(5))},
                                      test::match(random.below(80))));
      }
      static_cast<void>(world.pipeline().submit(batch, Ranks::tell));
    }
    world.ledger.set_script(nullptr);
    ASSERT_TRUE(world.submit("last", 1));
    test::ModelBoard model(world.service().resolve(world.board()).value());
    for (const auto& result : world.ledger.results()) {
      model.add(result.player.text(), result.points, result.achieved_at);
    }
    EXPECT_EQ(test::entries(world.service().top(world.board(), 1000)), model.entries());
  }
}

}  // namespace
}  // namespace scoreline::ingest
