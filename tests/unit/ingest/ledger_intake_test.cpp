#include "ingest/ledger_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

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

class LedgerIntakeTest : public testing::Test {
 protected:
  Result<Taken> take(std::vector<Message> messages) { return MessageWorld::take(intake_, std::move(messages)); }
  std::string metrics() { return prometheus::TextSerializer().Serialize(world_.registry.Collect()); }

  MessageWorld world_;
  LedgerIntake intake_{world_.pipeline(), world_.dead_letters, http::read_message_result, world_.clock, world_.metrics};
};

TEST_F(LedgerIntakeTest, ResultsAreInTheLedgerAndOnTheBoardOnceTaken) {
  const auto taken = take({MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "b", 7)});
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->may_commit);
  EXPECT_EQ(world_.ledger.results().size(), 2U);
  EXPECT_THAT(world_.top(), ElementsAre("b=7", "a=5"));
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(LedgerIntakeTest, TheSameMessageTwiceCountsOnceEvenWithoutAMatch) {
  ASSERT_TRUE(world_.put(test::with_rule("main", leaderboards::Rule::sum)));
  const std::vector<Message> batch{MessageWorld::result_at(0, "a", 5), MessageWorld::result_at(1, "a", 5)};
  ASSERT_TRUE(take(batch));
  ASSERT_TRUE(take(batch));
  EXPECT_THAT(world_.top(), ElementsAre("a=10"));
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(LedgerIntakeTest, AResultIsAchievedWhenItWasSentUnlessItSaysOtherwise) {
  ASSERT_TRUE(take({MessageWorld::result_at(0, "a", 5),
                    MessageWorld::result_at(1, "b", 5, R"("achievedAt":"2026-10-12T12:00:00Z")")}));
  const auto entries = test::entries(world_.service().top(world_.board(), 10));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].standing.achieved_at, test::at("2026-10-12T12:00:00Z"));
  EXPECT_EQ(entries[1].standing.achieved_at, test::at("2026-10-12T17:59:00Z"));
}

TEST_F(LedgerIntakeTest, PoisonIsPutAsideWithItsReasonAndTheRestGoesOn) {
  const std::string deep(100, '[');
  ASSERT_TRUE(take(
      {MessageWorld::message(0, std::nullopt), MessageWorld::message(1, "not JSON"), MessageWorld::message(2, ""),
       MessageWorld::message(3, "\xff\xfe"), MessageWorld::message(4, deep),
       MessageWorld::message(5, std::string(1'000'000, 'x')), MessageWorld::message(6, "[]"),
       MessageWorld::message(7, R"({"playerId":"a","points":"5"})"), MessageWorld::message(8, R"({"points":5})"),
       MessageWorld::result_at(9, "a", -5), MessageWorld::result_at(10, "a", 5, R"("leaderboard":"nowhere")"),
       MessageWorld::result_at(11, "a", 5, R"("achievedAt":"2026-10-13T18:00:00Z")"),
       MessageWorld::message(12, R"({"playerId":"a","points":5,"x":1})"), MessageWorld::result_at(13, "good", 5)}));
  EXPECT_THAT(world_.letters(),
              ElementsAre("0 unreadable ", "1 unreadable ", "2 unreadable ", "3 unreadable ", "4 unreadable ",
                          "5 too_large ", "6 invalid ", "7 invalid points", "8 invalid playerId", "12 invalid x",
                          "9 invalid points", "10 not_found leaderboard", "11 invalid achievedAt"));
  EXPECT_THAT(world_.top(), ElementsAre("good=5"));
  EXPECT_THAT(metrics(), HasSubstr("scoreline_dead_letters_total{reason=\"unreadable\"} 5"));
}

TEST_F(LedgerIntakeTest, OfAMessageTheFirst4KiBAreKeptAndItsSize) {
  std::string value(kMaxDeadLetterBytes + 10, 'x');
  value[kMaxDeadLetterBytes - 1] = 'y';
  ASSERT_TRUE(take({MessageWorld::message(7, value), MessageWorld::message(8, std::nullopt)}));
  const auto kept = world_.dead_letters.list(0, 10).value();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].letter.message.value, value.substr(0, kMaxDeadLetterBytes));
  EXPECT_EQ(kept[0].letter.size, kMaxDeadLetterBytes + 10);
  EXPECT_FALSE(kept[0].is_whole());
  EXPECT_EQ(kept[0].added_at, world_.clock.now());
  EXPECT_EQ(kept[1].letter.message.value, std::nullopt);
  EXPECT_FALSE(kept[1].is_whole());
}

TEST_F(LedgerIntakeTest, AClosedSeasonTakesNothing) {
  ASSERT_TRUE(world_.open_season("main", {leaderboards::SeasonId{12}, std::nullopt, test::at("2026-10-01T00:00:00Z")}));
  ASSERT_TRUE(take({MessageWorld::result_at(0, "a", 5, R"("achievedAt":"2026-09-30T00:00:00Z")")}));
  EXPECT_THAT(world_.letters(), ElementsAre("0 conflict seasonId"));
}

TEST_F(LedgerIntakeTest, TheSameMatchWithOtherContentIsPutAsideAndTheFirstCounts) {
  ASSERT_TRUE(take({MessageWorld::result_at(0, "a", 5, MessageWorld::match_text(1))}));
  ASSERT_TRUE(take({MessageWorld::result_at(1, "a", 5, MessageWorld::match_text(1)),
                    MessageWorld::result_at(2, "a", 6, MessageWorld::match_text(1))}));
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  EXPECT_THAT(world_.letters(), ElementsAre("2 conflict matchId"));
}

TEST_F(LedgerIntakeTest, NothingIsTakenWhileTheLedgerFails) {
  world_.ledger.set_script([](std::size_t) { return test::ModelLedger::Fault{}; });
  const auto taken = take({MessageWorld::message(0, "not JSON"), MessageWorld::result_at(1, "a", 5)});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::storage_failed);
  EXPECT_THAT(world_.letters(), IsEmpty());
}

TEST_F(LedgerIntakeTest, ABatchIsNotTakenBeforeItsDeadLettersAreKept) {
  world_.dead_letters.fail_next(1);
  const std::vector<Message> batch{MessageWorld::message(0, "not JSON"), MessageWorld::result_at(1, "a", 5)};
  ASSERT_FALSE(take(batch));
  EXPECT_THAT(world_.letters(), IsEmpty());
  ASSERT_TRUE(take(batch));
  EXPECT_THAT(world_.letters(), ElementsAre("0 unreadable "));
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  EXPECT_EQ(world_.ledger.results().size(), 1U);
}

TEST_F(LedgerIntakeTest, TheTimeUntilAResultIsVisibleIsTold) {
  ASSERT_TRUE(take({MessageWorld::result_at(0, "a", 5)}));  // sent a minute ago
  EXPECT_THAT(metrics(), HasSubstr("scoreline_event_to_visible_seconds_sum{group=\"g\"} 60"));
  EXPECT_THAT(metrics(), HasSubstr("scoreline_event_to_visible_seconds_count{group=\"g\"} 1"));
}

}  // namespace
}  // namespace scoreline::ingest
