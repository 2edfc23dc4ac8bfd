#include "ingest/dead_letter_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "unit/ingest/message_world.h"

namespace scoreline::ingest {
namespace {

using test::MessageWorld;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DeadLetterReplayTest : public testing::Test {
 protected:
  /// Puts messages aside as if they could not be taken.
  void put_aside(const std::vector<Message>& messages, std::uint64_t more_bytes = 0) {
    std::vector<DeadLetter> letters;
    for (const Message& message : messages) {
      const std::uint64_t size = message.value ? message.value->size() + more_bytes : 0;
      letters.push_back({message, size, {Code::not_found, "there is no such leaderboard", "leaderboard", {}}});
    }
    ASSERT_TRUE(world_.dead_letters.add(letters, world_.clock.now()));
  }
  DeadLettersDone replay(DeadLetterChoice choice = {}) {
    auto done = replay_.replay(choice);
    EXPECT_TRUE(done) << done.error().detail;
    return done.value_or(DeadLettersDone{});
  }
  static std::string refused(const DeadLettersDone& done) {
    std::string text;
    for (const auto& [id, reason] : done.refused) {
      text += std::to_string(id) + ' ' + std::string(traits(reason.code).name) + ' ' + reason.field + ';';
    }
    return text;
  }

  MessageWorld world_;
  DeadLetterReplay replay_{world_.pipeline(), world_.dead_letters, http::read_message_result};
};

TEST_F(DeadLetterReplayTest, WhatIsTakenNowIsOnTheBoardAndGone) {
  put_aside({MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 7)});
  const auto done = replay();
  EXPECT_EQ(done.done, 2U);
  EXPECT_THAT(done.refused, IsEmpty());
  EXPECT_EQ(done.next, std::nullopt);
  EXPECT_THAT(world_.top(), ElementsAre("b=7", "a=5"));
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(DeadLetterReplayTest, WhatIsRefusedAgainStaysWithTheNewReason) {
  put_aside(
      {MessageWorld::result_at(0, "a", -5), MessageWorld::message(1, "not JSON"), MessageWorld::result_at(2, "b", 7)});
  const auto done = replay();
  EXPECT_EQ(done.done, 1U);
  EXPECT_EQ(refused(done), "2 unreadable ;1 invalid points;");
  EXPECT_THAT(world_.letters(), ElementsAre("0 invalid points", "1 unreadable "));
  EXPECT_EQ(world_.dead_letters.refusals(), 1) << "a commit for each would keep the writer from everything else";
}

TEST_F(DeadLetterReplayTest, OneThatWasTakenMeanwhileCountsOnceAndGoes) {
  const auto message = MessageWorld::result_at(0, "a", 5);
  ASSERT_TRUE(world_.put(test::with_rule("main", leaderboards::Rule::sum)));
  put_aside({message});
  LedgerIntake intake(world_.pipeline(), world_.dead_letters, http::read_message_result, world_.clock, world_.metrics);
  ASSERT_TRUE(MessageWorld::take(intake, {message}));
  EXPECT_EQ(replay().done, 1U);
  EXPECT_THAT(world_.top(), ElementsAre("a=5")) << "the same id as the first time, although it names no match";
}

TEST_F(DeadLetterReplayTest, AConflictIsAConflictAgain) {
  ASSERT_TRUE(world_.submit("a", 5, {}, test::match(1)));
  put_aside({MessageWorld::result_at(0, "a", 9, MessageWorld::match_text(1))});
  EXPECT_EQ(refused(replay()), "1 conflict matchId;");
  EXPECT_THAT(world_.letters(), ElementsAre("0 conflict matchId"));
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
}

TEST_F(DeadLetterReplayTest, OneThatWasCutOrIsNullIsNeverTriedAndKeepsItsReason) {
  put_aside({MessageWorld::result_at(0, "a", 5)}, 1);
  put_aside({MessageWorld::message(1, std::nullopt)});
  const auto done = replay();
  EXPECT_EQ(done.done, 0U);
  EXPECT_EQ(refused(done), "1 too_large value;2 unreadable value;");
  EXPECT_THAT(done.refused[0].reason.detail, HasSubstr("send the message again"));
  EXPECT_THAT(world_.top(), IsEmpty());
  EXPECT_THAT(world_.letters(), ElementsAre("0 not_found leaderboard", "1 not_found leaderboard"));
}

TEST_F(DeadLetterReplayTest, OnlyThoseThatWereChosenAreTouched) {
  put_aside(
      {MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 7), MessageWorld::result_at(2, "c", 9)});
  const auto done = replay({{2, 99}});
  EXPECT_EQ(done.done, 1U);
  EXPECT_EQ(refused(done), "99 not_found id;");
  EXPECT_THAT(world_.top(), ElementsAre("b=7"));
  EXPECT_EQ(replay_.discard({{1, 98}}).value().done, 1U);
  EXPECT_THAT(world_.letters(), ElementsAre("2 not_found leaderboard"));
  EXPECT_THAT(world_.top(), ElementsAre("b=7"));
}

TEST_F(DeadLetterReplayTest, AllComePageByPageWhateverIsRefused) {
  std::vector<Message> messages;
  for (int i = 0; i < 1'500; ++i)
    messages.push_back(MessageWorld::result_at(i, "p" + std::to_string(i), i % 2 == 0 ? 1 : -1));
  put_aside(messages);
  const auto first = replay();
  EXPECT_EQ(first.done, kMaxEntries / 2);
  ASSERT_EQ(first.next, 1'000);
  const auto second = replay({{}, *first.next});
  EXPECT_EQ(second.done, 250U);
  EXPECT_EQ(second.refused.size(), 250U);
  EXPECT_EQ(second.next, std::nullopt);
  EXPECT_EQ(world_.dead_letters.count().value(), 750U);
  EXPECT_EQ(replay_.discard({}).value().done, 750U);
  EXPECT_EQ(replay().done, 0U);
}

TEST_F(DeadLetterReplayTest, WhenTheLedgerFailsAllStays) {
  put_aside({MessageWorld::result_at(0, "a", 5)});
  world_.ledger.set_script([](std::size_t) { return test::ModelLedger::Fault{Code::storage_full, false}; });
  const auto failed = replay_.replay({});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::storage_full);
  EXPECT_THAT(world_.letters(), ElementsAre("0 not_found leaderboard"));
  world_.ledger.set_script({});
  EXPECT_EQ(replay().done, 1U);
}

TEST_F(DeadLetterReplayTest, NobodyWaitsForTheWriterAfterStop) {
  put_aside({MessageWorld::result_at(0, "a", 5)});
  replay_.stop();
  EXPECT_EQ(replay_.replay({}).error().code, Code::not_ready);
  EXPECT_EQ(replay_.discard({}).error().code, Code::not_ready);
  EXPECT_THAT(world_.top(), IsEmpty());
  EXPECT_EQ(world_.dead_letters.count().value(), 1U);
}

}  // namespace
}  // namespace scoreline::ingest
