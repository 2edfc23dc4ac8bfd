#include "ingest/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/process.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Definition;
using leaderboards::Outcome;
using leaderboards::Ranks;
using leaderboards::Rule;
using test::World;
using testing::ElementsAre;

/// Holds the writer inside the ledger until told to go on.
class Gate {
 public:
  /// Lets everything through after the first append has been held.
  test::ModelLedger::Script script() {
    return [this](std::size_t number) -> std::optional<test::ModelLedger::Fault> {
      if (number != 1) return std::nullopt;
      std::unique_lock lock(mutex_);
      reached_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
      return std::nullopt;
    };
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

class PipelineTest : public testing::Test {
 protected:
  /// Submits without waiting.
  std::future<Result<Receipts>> start(std::vector<Submission> submissions, Ranks ranks = Ranks::skip) {
    const auto answered = std::make_shared<std::promise<Result<Receipts>>>();
    auto answer = answered->get_future();
    world_.pipeline().submit(std::move(submissions), ranks,
                             [answered](Result<Receipts> receipts) { answered->set_value(std::move(receipts)); });
    return answer;
  }
  /// Fills the ledger's hands, so that all that follows waits.
  std::future<Result<Receipts>> hold_writer() {
    world_.ledger.set_script(gate_.script());
    auto held = start({World::result("held", 1)});
    gate_.wait_until_reached();
    return held;
  }
  static std::vector<Submission> many(std::size_t count) {
    std::vector<Submission> submissions;
    for (std::size_t i = 0; i < count; ++i) submissions.push_back(World::result("p" + std::to_string(i % 500), 1));
    return submissions;
  }

  Gate gate_;
  World world_;
};

TEST_F(PipelineTest, AnAnsweredResultIsInTheLedgerAndOnTheBoard) {
  const auto receipt = world_.submit("alice", 120);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->outcome, Outcome::improved);
  EXPECT_EQ(receipt->standing.points, 120);
  EXPECT_EQ(receipt->rank, 1U);
  EXPECT_EQ(receipt->previous_rank, std::nullopt);
  EXPECT_EQ(world_.ledger.results().size(), 1U);
  EXPECT_THAT(world_.top(), ElementsAre("alice=120"));
}

TEST_F(PipelineTest, ReceiptsOfABatchAreInItsOrderAndTheBadOnesDoNotHoldUpTheRest) {
  const auto receipts = world_.pipeline().submit({World::result("a", 5), World::result("", 5), World::result("b", -1),
                                                  World::result("a", 7), World::result("a", 6)},
                                                 Ranks::skip);
  ASSERT_TRUE(receipts);
  ASSERT_EQ(receipts->size(), 5U);
  EXPECT_EQ((*receipts)[0]->outcome, Outcome::improved);
  EXPECT_EQ((*receipts)[0]->standing.points, 5);
  EXPECT_EQ((*receipts)[1].error().field, "playerId");
  EXPECT_EQ((*receipts)[2].error().field, "points");
  EXPECT_EQ((*receipts)[3]->outcome, Outcome::improved);
  EXPECT_EQ((*receipts)[4]->outcome, Outcome::unchanged);
  EXPECT_EQ((*receipts)[4]->standing.points, 7);
  EXPECT_EQ((*receipts)[4]->rank, std::nullopt);
  EXPECT_EQ(world_.ledger.appends(), std::vector<std::size_t>{3});
}

TEST_F(PipelineTest, WhatIsAllBadNeverReachesTheLedger) {
  const auto receipts = world_.pipeline().submit({World::result("", 5)}, Ranks::skip);
  ASSERT_TRUE(receipts);
  EXPECT_FALSE(receipts->front());
  EXPECT_TRUE(world_.ledger.appends().empty());
}

TEST_F(PipelineTest, ACallHoldsOneTo10000Results) {
  EXPECT_EQ(world_.pipeline().submit({}, Ranks::skip).error().code, Code::invalid);
  EXPECT_EQ(world_.pipeline().submit(many(kMaxBatch + 1), Ranks::skip).error().code, Code::too_many);
  EXPECT_EQ(world_.pipeline().submit(many(kMaxBatch), Ranks::skip)->size(), kMaxBatch);
}

TEST_F(PipelineTest, OneMatchTwiceInOneBatchCountsOnce) {
  const auto receipts = world_.pipeline().submit(
      {World::result("a", 5, {}, test::match(1)), World::result("a", 9, {}, test::match(1))}, Ranks::tell);
  EXPECT_EQ((*receipts)[0]->outcome, Outcome::improved);
  EXPECT_EQ((*receipts)[1]->outcome, Outcome::duplicate);
  EXPECT_EQ((*receipts)[1]->standing.points, 5);
  EXPECT_EQ((*receipts)[1]->rank, 1U);
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
}

TEST_F(PipelineTest, OneMatchTwiceInFlightCountsOnce) {
  const auto held = hold_writer();
  auto first = start({World::result("a", 5, {}, test::match(1))});
  auto second = start({World::result("a", 5, {}, test::match(1))});
  gate_.open();
  EXPECT_EQ(first.get()->front()->outcome, Outcome::improved);
  EXPECT_EQ(second.get()->front()->outcome, Outcome::duplicate);
  EXPECT_EQ(world_.ledger.appends(), (std::vector<std::size_t>{1, 2}));
}

TEST_F(PipelineTest, ADuplicateWithOtherContentIsAConflict) {
  const Timestamp when = test::at("2026-10-12T17:00:00Z");
  const auto again = [&](std::int64_t points, std::optional<Timestamp> at, std::int64_t season = 12) {
    auto submission = World::result("a", points, at, test::match(1));
    submission.season_id = season;
    const auto receipt = world_.submit(submission).value();
    EXPECT_EQ(receipt.outcome, Outcome::duplicate);
    EXPECT_EQ(world_.top(), std::vector<std::string>{"a=5"}) << "the first counts";
    return receipt.conflict;
  };
  const auto first = world_.submit("a", 5, when, test::match(1));
  EXPECT_EQ(first->outcome, Outcome::improved);
  EXPECT_FALSE(first->conflict);
  EXPECT_FALSE(again(5, when));
  EXPECT_FALSE(again(5, {})) << "a time that was not given is not compared";
  EXPECT_TRUE(again(6, when));
  EXPECT_TRUE(again(6, {}));
  EXPECT_TRUE(again(5, Timestamp{when.ms + 1}));
  EXPECT_TRUE(again(5, when, 13));
}

TEST_F(PipelineTest, AMessagesTimestampIsNoTimeThatWasGiven) {
  auto submission = World::result("a", 5, {}, test::match(1));
  submission.sent_at = test::at("2026-10-12T17:00:00Z");
  EXPECT_FALSE(world_.submit(submission)->conflict);
  submission.sent_at = test::at("2026-10-12T17:30:00Z");
  const auto again = world_.submit(submission);
  EXPECT_EQ(again->outcome, Outcome::duplicate);
  EXPECT_FALSE(again->conflict) << "it was sent again, with the same content";
}

TEST_F(PipelineTest, TwoOfOneMatchInOneBatchConflictWhenTheyDiffer) {
  const auto receipts =
      world_.pipeline().submit({World::result("a", 5, {}, test::match(1)), World::result("a", 9, {}, test::match(1)),
                                World::result("b", 9, {}, test::match(1)), World::result("a", 5, {}, test::match(1))},
                               Ranks::skip);
  ASSERT_TRUE(receipts);
  std::vector<bool> conflicts;
  for (const auto& receipt : *receipts) conflicts.push_back(receipt->conflict);
  EXPECT_THAT(conflicts, ElementsAre(false, true, false, false));
}

TEST_F(PipelineTest, WhatWasErasedIsInNobodysWay) {
  ASSERT_TRUE(world_.submit("a", 5, {}, test::match(1)));
  world_.pipeline().exclusive([&] {
    test::must(world_.service()
                   .erase_player(test::leaderboard("main"), test::player("a"), leaderboards::Ledger::Erase::from_boards)
                   .map([](auto&&...) {}));
  });
  const auto again = world_.submit("a", 9, {}, test::match(1));
  EXPECT_EQ(again->outcome, Outcome::duplicate);
  EXPECT_FALSE(again->conflict);
}

TEST_F(PipelineTest, OnePlayersMatchIsAnothersToo) {
  EXPECT_EQ(world_.submit("a", 5, {}, test::match(1))->outcome, Outcome::improved);
  EXPECT_EQ(world_.submit("b", 5, {}, test::match(1))->outcome, Outcome::improved);
}

TEST_F(PipelineTest, WithoutAMatchEveryResultIsANewOne) {
  ASSERT_TRUE(world_.put(test::with_rule("main", Rule::sum)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world_.submit("a", 5)->outcome, Outcome::improved);
  EXPECT_THAT(world_.top(), ElementsAre("a=15"));
}

TEST_F(PipelineTest, ADuplicateShowsWhereThePlayerStandsNow) {
  ASSERT_TRUE(world_.submit("a", 5, {}, test::match(1)));
  ASSERT_TRUE(world_.submit("b", 9));
  ASSERT_TRUE(world_.submit("a", 7));
  const auto again = world_.submit("a", 5, {}, test::match(1));
  EXPECT_EQ(again->outcome, Outcome::duplicate);
  EXPECT_EQ(again->standing.points, 7);
  EXPECT_EQ(again->rank, 2U);
}

TEST_F(PipelineTest, WhatWaitsIsCommittedTogether) {
  const auto held = hold_writer();
  std::vector<std::future<Result<Receipts>>> waiting;
  for (int i = 0; i < 50; ++i) waiting.push_back(start({World::result("p" + std::to_string(i), i)}, Ranks::tell));
  waiting.push_back(start(many(100)));
  gate_.open();
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_EQ(world_.ledger.appends(), (std::vector<std::size_t>{1, 150}));
}

TEST_F(PipelineTest, OneCommitHoldsAtMost10000ResultsOfWholeCalls) {
  const auto held = hold_writer();
  std::vector<std::future<Result<Receipts>>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(start(many(4'000)));
  gate_.open();
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_EQ(world_.ledger.appends(), (std::vector<std::size_t>{1, 8'000, 4'000}));
}

TEST_F(PipelineTest, SeveralLeaderboardsAndSeasonsShareACommit) {
  ASSERT_TRUE(world_.put(test::with_rule("runs", Rule::sum)));
  std::vector<Submission> batch = {World::result("a", 5), World::result("a", 6), World::result("a", 7),
                                   World::result("a", 8)};
  batch[1].season_id = 13;
  batch[2].leaderboard = batch[3].leaderboard = "runs";
  ASSERT_TRUE(world_.pipeline().submit(batch, Ranks::skip));
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  EXPECT_THAT(world_.top(world_.board("main", 13)), ElementsAre("a=6"));
  EXPECT_THAT(world_.top(world_.board("runs", 12)), ElementsAre("a=15"));
  EXPECT_EQ(world_.ledger.appends(), std::vector<std::size_t>{4});
}

TEST_F(PipelineTest, TooMuchWaitingIsRefusedWithATimeToComeBack) {
  const auto held = hold_writer();
  std::vector<std::future<Result<Receipts>>> waiting;
  for (std::size_t i = 0; i < kMaxPendingResults / kMaxBatch - 1; ++i) waiting.push_back(start(many(kMaxBatch)));
  waiting.push_back(start(many(kMaxBatch - 1)));  // with the one that is held: full
  auto over = start({World::result("a", 1)});
  const auto refused = over.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::overloaded);
  EXPECT_TRUE(refused.error().retry_after);
  gate_.open();
  for (auto& each : waiting) EXPECT_TRUE(each.get());
  EXPECT_TRUE(world_.submit("a", 1));
}

TEST_F(PipelineTest, ExclusiveWorkComesBetweenWhatWasSubmittedBeforeAndAfter) {
  const auto held = hold_writer();
  auto before = start({World::result("a", 1)});
  std::vector<std::size_t> kept;
  world_.pipeline().exclusive([&] { kept.push_back(world_.ledger.results().size()); });
  auto after = start({World::result("b", 1)});
  world_.pipeline().exclusive([&] { kept.push_back(world_.ledger.results().size()); });
  gate_.open();
  EXPECT_TRUE(before.get());
  EXPECT_TRUE(after.get());
  world_.restart();  // the second work is done by then
  EXPECT_THAT(kept, ElementsAre(2U, 3U));
}

TEST_F(PipelineTest, AResultValidatedBeforeARedefinitionIsHeldToTheNewOne) {
  const auto held = hold_writer();
  Definition finer = test::with_rule("runs", Rule::best);
  auto& catalogue = world_.service().catalogue();
  ASSERT_TRUE(catalogue.put_definition(finer));
  Submission fits = World::result("a", 5);
  fits.leaderboard = "runs";
  Submission too_big = World::result("b", 500);
  too_big.leaderboard = "runs";
  auto waiting = start({fits, too_big});
  finer.scale = 2;
  finer.max_points = 10'000;
  world_.pipeline().exclusive([] {});
  ASSERT_TRUE(catalogue.put_definition(finer));
  gate_.open();
  const auto receipts = waiting.get();
  ASSERT_TRUE(receipts);
  EXPECT_EQ((*receipts)[0]->standing.points, 500);  // 5.00
  EXPECT_EQ((*receipts)[0]->record->definition.scale, 2);
  EXPECT_EQ((*receipts)[1].error().field, "points");
}

TEST_F(PipelineTest, AResultForALeaderboardThatWasDroppedMeanwhileIsNotFound) {
  const auto held = hold_writer();
  auto& catalogue = world_.service().catalogue();
  ASSERT_TRUE(catalogue.put_definition(test::with_rule("runs", Rule::best)));
  Submission submission = World::result("a", 5);
  submission.leaderboard = "runs";
  auto waiting = start({submission, World::result("b", 1)});
  test::must(catalogue.drop(test::leaderboard("runs")));
  gate_.open();
  const auto receipts = waiting.get();
  EXPECT_EQ((*receipts)[0].error().code, Code::not_found);
  EXPECT_TRUE((*receipts)[1]);
}

TEST_F(PipelineTest, WhatWasTakenIsAnsweredBeforeThePipelineEnds) {
  const auto held = hold_writer();
  auto waiting = start(many(100));
  gate_.open();
  world_.restart();
  ASSERT_EQ(waiting.wait_for(std::chrono::seconds{0}), std::future_status::ready);
  EXPECT_TRUE(waiting.get());
  EXPECT_EQ(world_.ledger.results().size(), 101U);
}

TEST_F(PipelineTest, NothingIsTakenBeforeTheBoardsAreThere) {
  test::Process process(world_.ledger, world_.clock, world_.random);
  const auto receipts = process.pipeline.submit({World::result("a", 1)}, Ranks::skip);
  ASSERT_FALSE(receipts);
  EXPECT_EQ(receipts.error().code, Code::not_ready);
  EXPECT_TRUE(receipts.error().retry_after);
}

}  // namespace
}  // namespace scoreline::ingest
