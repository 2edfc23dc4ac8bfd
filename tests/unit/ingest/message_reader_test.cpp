#include "ingest/message_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/limits.h"
#include "http/result_reader.h"
#include "support/process.h"

namespace scoreline::ingest {
namespace {

const std::string kResult = R"({"playerId":"alice","points":12.5,"leaderboard":"cups"})";

Message message(std::int32_t partition, std::int64_t offset, std::optional<Timestamp> sent_at = Timestamp{1000},
                std::string value = kResult) {
  return {{"match-results", partition}, offset, sent_at, std::move(value)};
}

Result<Submission> read(const Message& message) { return read_message(message, http::read_message_result); }

TEST(MessageReader, AMessageIsAResultWithItsLeaderboard) {
  const auto submission = read(message(0, 7));
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->leaderboard, "cups");
  EXPECT_EQ(submission->player_id, "alice");
  EXPECT_EQ(submission->season_id, std::nullopt);
  EXPECT_EQ(submission->achieved_at, std::nullopt);
  EXPECT_EQ(submission->sent_at, Timestamp{1000});
  EXPECT_EQ(read(message(0, 7, {}, R"({"playerId":"alice","points":1})"))->leaderboard, "main");
}

TEST(MessageReader, ItsOwnMatchStands) {
  const std::string id = "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6";
  const auto submission = read(message(0, 7, {}, R"({"playerId":"a","points":1,"matchId":")" + id + "\"}"));
  ASSERT_TRUE(submission);
  EXPECT_EQ(format_uuid(*submission->match_id), id);
}

TEST(MessageReader, CriteriaComeByName) {
  const auto submission = read(message(0, 7, {}, R"({"playerId":"a","points":1,"criteria":{"winRate":61.5,"x":2}})"));
  ASSERT_TRUE(submission);
  ASSERT_EQ(submission->criteria.size(), 2U);
  EXPECT_EQ(submission->criteria[0].name, "winRate");
  EXPECT_EQ(submission->criteria[0].value, *parse_decimal("61.5"));
  const auto wrong = read(message(0, 7, {}, R"({"playerId":"a","points":1,"criteria":[1]})"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().field, "criteria");
}

TEST(MessageReader, WithoutOneTheMessageIsTheMatch) {
  const Uuid id = *read(message(0, 7))->match_id;
  EXPECT_EQ(read(message(0, 7))->match_id, id);
  EXPECT_EQ(format_uuid(id)[14], '8');
  EXPECT_NE(std::string("89ab").find(format_uuid(id)[19]), std::string::npos);
  std::set<Uuid> others{id};
  for (const Message& other :
       {message(1, 7), message(0, 8), message(0, 7, Timestamp{1001}), message(0, 7, std::nullopt),
        message(0, 7, Timestamp{1000}, R"({"playerId":"alice","points":12.6,"leaderboard":"cups"})")}) {
    EXPECT_TRUE(others.insert(*read(other)->match_id).second);
  }
  Message elsewhere = message(0, 7);
  elsewhere.from.topic = "match-results2";
  EXPECT_TRUE(others.insert(*read(elsewhere)->match_id).second);
}

TEST(MessageReader, TheLongestValueIsThatOfALine) {
  std::string value = R"({"playerId":"alice","points":1)";
  value.append(kMaxLineBytes - value.size() - 1, ' ');
  EXPECT_TRUE(read(message(0, 0, {}, value + "}")));
  const auto longer = read(message(0, 0, {}, value + " }"));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Code::too_large);
}

TEST(MessageReader, NullAndWrongLeaderboardsAreRefused) {
  EXPECT_EQ(read({{"match-results", 0}, 0, {}, std::nullopt}).error().code, Code::unreadable);
  const auto number = read(message(0, 0, {}, R"({"playerId":"a","points":1,"leaderboard":7})"));
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().field, "leaderboard");
}

}  // namespace
}  // namespace scoreline::ingest
