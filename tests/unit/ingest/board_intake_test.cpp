// Parallel mode: results that the boards show ahead of the ledger, and what is put right once the ledger has spoken.
#include "ingest/board_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "ingest/corrections.h"
#include "unit/ingest/message_world.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Rule;
using test::MessageWorld;
using testing::ElementsAre;
using testing::IsEmpty;

class BoardIntakeTest : public testing::Test {
 protected:
  BoardIntakeTest() { test::must(world_.open_season("main", {leaderboards::SeasonId{12}, {}, {}})); }

  GroupProgress progress(const Offsets& of) {
    return {[&of](std::span<const TopicPartition>) { return Result<Offsets>(of); }, world_.clock,
            std::chrono::milliseconds{0}};
  }
  Result<Taken> show(std::vector<Message> messages) { return MessageWorld::take(ahead_, std::move(messages)); }
  Result<Taken> record(std::vector<Message> messages) { return MessageWorld::take(ledger_, std::move(messages)); }

  MessageWorld world_;
  Offsets recorded_, shown_;
  BoardIntake ahead_{world_.service(), world_.index(), http::read_message_result, world_.clock,
                     world_.random,    world_.metrics, progress(recorded_)};
  Corrections corrections_{world_.service().catalogue(),
                           world_.ledger,
                           world_.index(),
                           http::read_message_result,
                           world_.clock,
                           world_.random,
                           progress(shown_)};
  LedgerIntake ledger_{world_.pipeline(),
                       world_.dead_letters,
                       http::read_message_result,
                       world_.clock,
                       world_.metrics,
                       [this](std::vector<Message> messages) { return corrections_.review(std::move(messages)); }};
  const TopicPartition partition_{"match-results", 0};
};

TEST_F(BoardIntakeTest, ResultsAreShownBeforeTheLedgerHasThem) {
  ASSERT_TRUE(show({MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 7),
                    MessageWorld::message(2, "not JSON"), MessageWorld::result_at(3, "c", -1)}));
  EXPECT_THAT(world_.top(), ElementsAre("b=7", "a=5"));
  EXPECT_THAT(world_.ledger.results(), IsEmpty());
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(BoardIntakeTest, EachPartitionIsAskedForBeforeItIsShown) {
  const TopicPartition other{"match-results", 1};
  Result<Offsets> answer = Offsets{{partition_, 1}, {other, 1}};
  const auto ask = [&](std::span<const TopicPartition> asked) {
    return answer.map([&](Offsets offsets) {
      std::erase_if(offsets, [&](const auto& each) { return std::ranges::find(asked, each.first) == asked.end(); });
      return offsets;
    });
  };
  BoardIntake ahead(world_.service(), world_.index(), http::read_message_result, world_.clock, world_.random,
                    world_.metrics, {ask, world_.clock, std::chrono::milliseconds{250}});
  ASSERT_TRUE(MessageWorld::take(ahead, {MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 7)}));
  Message behind = MessageWorld::result_at(0, "c", 9);
  behind.from = other;
  ASSERT_TRUE(MessageWorld::take(ahead, {behind}));
  EXPECT_THAT(world_.top(), ElementsAre("b=7")) << "the ledger's group has the others behind it";
  answer = fail(Code::not_ready, "nobody answers");
  world_.clock.advance(std::chrono::seconds{1});
  EXPECT_FALSE(MessageWorld::take(ahead, {MessageWorld::result_at(2, "d", 9)}));
  EXPECT_THAT(world_.top(), ElementsAre("b=7"));
}

TEST_F(BoardIntakeTest, TheLedgersGroupRecordsTheSameWithoutChangingTheBoard) {
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "a", 3)};
  ASSERT_TRUE(show(batch));
  const auto taken = record(batch);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->may_commit);
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  EXPECT_EQ(world_.ledger.results().size(), 2U);
}

TEST_F(BoardIntakeTest, SumsAndUnopenedSeasonsWaitForTheLedger) {
  ASSERT_TRUE(world_.put(test::with_rule("total", Rule::sum)));
  ASSERT_TRUE(world_.open_season("total", {leaderboards::SeasonId{12}, {}, {}}));
  ASSERT_TRUE(world_.put(test::with_rule("later", Rule::best)));
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5, R"("leaderboard":"total")"),
                                   MessageWorld::result_at(1, "a", 5, R"("leaderboard":"later")")};
  ASSERT_TRUE(show(batch));
  ASSERT_TRUE(show(batch));
  EXPECT_THAT(world_.top(world_.board("total")), IsEmpty());
  EXPECT_THAT(world_.top(world_.board("later")), IsEmpty());
  ASSERT_TRUE(record(batch));
  EXPECT_THAT(world_.top(world_.board("total")), ElementsAre("a=5"));
  EXPECT_THAT(world_.top(world_.board("later")), ElementsAre("a=5"));
}

TEST_F(BoardIntakeTest, WhatTheLedgersGroupHasBehindItIsNotShownAgain) {
  ASSERT_TRUE(record({MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 5)}));
  ASSERT_TRUE(world_.service().erase_player(test::leaderboard("main"), test::player("a"),
                                            leaderboards::Ledger::Erase::from_boards));
  recorded_[partition_] = 2;
  ASSERT_TRUE(show(
      {MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 5), MessageWorld::result_at(2, "c", 1)}));
  EXPECT_THAT(world_.top(), ElementsAre("b=5", "c=1"));
}

TEST_F(BoardIntakeTest, AConflictThatWasShownIsCorrectedOnceNobodyShowsItAnyMore) {
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5, MessageWorld::match_text(1)),
                                   MessageWorld::result_at(1, "a", 3, MessageWorld::match_text(2)),
                                   MessageWorld::result_at(2, "a", 9, MessageWorld::match_text(1))};
  const auto taken = record(batch);
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_FALSE(taken->may_commit());  // the other group will still show it
  ASSERT_TRUE(show(batch));
  EXPECT_THAT(world_.top(), ElementsAre("a=9"));
  shown_[partition_] = 2;
  EXPECT_FALSE(taken->may_commit());
  EXPECT_THAT(world_.top(), ElementsAre("a=9"));
  shown_[partition_] = 3;
  EXPECT_TRUE(taken->may_commit());
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  EXPECT_THAT(world_.letters(), ElementsAre("2 conflict matchId"));
}

TEST_F(BoardIntakeTest, WhatWasShownAheadIsCorrectedAtOnceWhenNobodyShowsAheadAnyMore) {
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5, MessageWorld::match_text(1)),
                                   MessageWorld::result_at(1, "a", 9, MessageWorld::match_text(1))};
  ASSERT_TRUE(show(batch));
  Corrections corrections{world_.service().catalogue(),
                          world_.ledger,
                          world_.index(),
                          http::read_message_result,
                          world_.clock,
                          world_.random,
                          std::nullopt};
  LedgerIntake ledger_first{world_.pipeline(),
                            world_.dead_letters,
                            http::read_message_result,
                            world_.clock,
                            world_.metrics,
                            [&](std::vector<Message> messages) { return corrections.review(std::move(messages)); }};
  const auto taken = MessageWorld::take(ledger_first, batch);
  EXPECT_THAT(world_.top(), ElementsAre("a=9"));
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_TRUE(taken->may_commit());
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
}

TEST_F(BoardIntakeTest, APlayerWithNothingInTheLedgerLeavesTheBoard) {
  ASSERT_TRUE(show({MessageWorld::result_at(0, "a", 9)}));
  world_.ledger.refuse("a");  // the ledger's server cannot store it
  const auto taken = record({MessageWorld::result_at(0, "a", 9)});
  shown_[partition_] = 1;
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_TRUE(taken->may_commit());
  EXPECT_THAT(world_.top(), IsEmpty());
  EXPECT_THAT(world_.letters(), ElementsAre("0 invalid matchId"));
}

TEST_F(BoardIntakeTest, AnErasedPlayersResultThatComesAgainLeavesTheBoardAgain) {
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 9, MessageWorld::match_text(1))};
  ASSERT_TRUE(record(batch));
  ASSERT_TRUE(world_.service().erase_player(test::leaderboard("main"), test::player("a"),
                                            leaderboards::Ledger::Erase::from_boards));
  ASSERT_TRUE(show(batch));  // neither group had committed it
  EXPECT_THAT(world_.top(), ElementsAre("a=9"));
  const auto taken = record(batch);
  shown_[partition_] = 1;
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_TRUE(taken->may_commit());
  EXPECT_THAT(world_.top(), IsEmpty());
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(BoardIntakeTest, OfOneResultSentTwiceWithoutATimeTheFirstTimeStands) {
  ASSERT_TRUE(world_.put(test::with_rule("newest", Rule::latest)));
  ASSERT_TRUE(world_.open_season("newest", {leaderboards::SeasonId{12}, {}, {}}));
  const std::string more = R"("leaderboard":"newest",)" + MessageWorld::match_text(1);
  Message again = MessageWorld::result_at(1, "a", 9, more);
  again.sent_at = test::at("2026-10-12T17:59:30Z");
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 9, more), again};
  ASSERT_TRUE(show(batch));
  const auto taken = record(batch);
  shown_[partition_] = 2;
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_TRUE(taken->may_commit());
  const auto entries = test::entries(world_.service().top(world_.board("newest"), 10));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].standing.achieved_at, test::at("2026-10-12T17:59:00Z"));
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(BoardIntakeTest, AGroupThatNeverComesIsWaitedForAMinute) {
  ASSERT_TRUE(record({MessageWorld::result_at(0, "a", 5, MessageWorld::match_text(1))}));
  const auto taken = record({MessageWorld::result_at(1, "a", 9, MessageWorld::match_text(1))});
  ASSERT_TRUE(taken && taken->may_commit);
  EXPECT_FALSE(taken->may_commit());
  world_.clock.advance(std::chrono::seconds{61});
  EXPECT_TRUE(taken->may_commit());
}

TEST_F(BoardIntakeTest, ACorrectionThatFailsIsTriedAgain) {
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5, MessageWorld::match_text(1)),
                                   MessageWorld::result_at(1, "a", 9, MessageWorld::match_text(1))};
  ASSERT_TRUE(show(batch));
  const auto taken = record(batch);
  ASSERT_TRUE(taken && taken->may_commit);
  shown_[partition_] = 2;
  world_.ledger.fail_scans(Error{Code::storage_failed, "away", {}, {}});
  EXPECT_FALSE(taken->may_commit());
  EXPECT_THAT(world_.top(), ElementsAre("a=9"));
  world_.ledger.fail_scans(std::nullopt);
  EXPECT_FALSE(taken->may_commit());  // not at once
  world_.clock.advance(std::chrono::seconds{1});
  EXPECT_TRUE(taken->may_commit());
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
}

}  // namespace
}  // namespace scoreline::ingest
