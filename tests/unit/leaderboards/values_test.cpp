#include "leaderboards/values.h"

#include <gtest/gtest.h>

#include <string>

namespace scoreline::leaderboards {
namespace {

TEST(PlayerIdTest, TakesOneTo128BytesOfUtf8AsTheyAre) {
  for (const std::string& text : {std::string("a"), std::string(128, 'x'), std::string("José Piendibene"),
                                  std::string("a:b/c {d} *"), std::string("😀"), std::string("x'); drop table t; --")}) {
    const auto id = PlayerId::parse(text);
    ASSERT_TRUE(id) << text;
    EXPECT_EQ(id->text(), text);
  }
}

TEST(PlayerIdTest, RefusesEverythingElseNamingTheField) {
  for (const std::string& text :
       {std::string(), std::string(129, 'x'), std::string("a\nb"), std::string("a\r\nb"), std::string("a\0b", 3),
        std::string("\xC3"), std::string("\xED\xA0\x80"), std::string("\xC2\x85")}) {
    const auto id = PlayerId::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code, Code::invalid);
    EXPECT_EQ(id.error().field, "playerId");
  }
}

TEST(PlayerIdTest, DoesNotNormalise) {
  const auto composed = PlayerId::parse("\xC3\xA9");
  const auto combined = PlayerId::parse("e\xCC\x81");
  EXPECT_NE(*composed, *combined);
  EXPECT_NE(*PlayerId::parse("Bob"), *PlayerId::parse("bob"));
}

TEST(LeaderboardNameTest, IsSafeInPathsKeysAndMetrics) {
  for (const char* const text : {"main", "0", "a.b_c-d", "weekly-2026"}) EXPECT_TRUE(LeaderboardName::parse(text));
  EXPECT_TRUE(LeaderboardName::parse(std::string(64, 'a')));
  for (const char* const text : {"", "Main", "-a", ".", "..", "_a", "a/b", "a b", "a:b", "é"}) {
    const auto name = LeaderboardName::parse(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().field, "leaderboard");
  }
  EXPECT_FALSE(LeaderboardName::parse(std::string(65, 'a')));
}

TEST(SeasonIdTest, Fits31Bits) {
  EXPECT_EQ(SeasonId::from(0)->value, 0);
  EXPECT_EQ(SeasonId::from(2'147'483'647)->value, 2'147'483'647);
  EXPECT_EQ(SeasonId::from(-1).error().field, "seasonId");
  EXPECT_EQ(SeasonId::from(2'147'483'648).error().code, Code::invalid);
}

TEST(OutcomeTest, HasTheCodesOfTheArticle) {
  EXPECT_EQ(static_cast<int>(Outcome::duplicate), -1);
  EXPECT_EQ(static_cast<int>(Outcome::unchanged), 0);
  EXPECT_EQ(static_cast<int>(Outcome::improved), 1);
  EXPECT_EQ(to_string(Outcome::improved), "improved");
}

}  // namespace
}  // namespace scoreline::leaderboards
