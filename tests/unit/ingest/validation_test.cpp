// What is taken and what is refused before it reaches the ledger, and how the refusal reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/limits.h"
#include "support/process.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Definition;
using leaderboards::KeyKind;
using leaderboards::Rule;
using leaderboards::Season;
using leaderboards::SeasonId;
using test::World;

class ValidationTest : public testing::Test {
 protected:
  Error refused(Submission submission) {
    const auto kept = world_.ledger.results().size();
    const auto receipt = world_.submit(std::move(submission));
    EXPECT_FALSE(receipt);
    EXPECT_EQ(world_.ledger.results().size(), kept);
    return receipt ? Error{} : receipt.error();
  }
  static Submission in_season(Submission submission, std::optional<std::int64_t> season) {
    submission.season_id = season;
    return submission;
  }
  static Submission of(Submission submission, std::string leaderboard) {
    submission.leaderboard = std::move(leaderboard);
    return submission;
  }
  void open(std::int32_t id, std::optional<Timestamp> start, std::optional<Timestamp> end = {}) {
    test::must(world_.open_season("main", Season{SeasonId{id}, start, end}));
  }
  Timestamp now_plus(std::chrono::milliseconds by) const { return Timestamp{world_.clock.now().ms + by.count()}; }

  World world_;
};

TEST_F(ValidationTest, LeaderboardAndSeasonMustBeRight) {
  EXPECT_EQ(refused(of(World::result("a", 1), "nope")).code, Code::not_found);
  EXPECT_EQ(refused(of(World::result("a", 1), "nope")).field, "leaderboard");
  EXPECT_EQ(refused(in_season(World::result("a", 1), -1)).field, "seasonId");
  EXPECT_EQ(refused(in_season(World::result("a", 1), 2'147'483'648)).field, "seasonId");
}

TEST_F(ValidationTest, TheSeasonIsTheCurrentOneWhenNoneIsNamed) {
  open(3, now_plus(-std::chrono::hours{1}));
  ASSERT_TRUE(world_.submit(in_season(World::result("a", 1), std::nullopt)));
  EXPECT_EQ(world_.ledger.results().front().season, SeasonId{3});
}

TEST_F(ValidationTest, AResultWithoutASeasonGoesToTheOneThatWasCurrentWhenItWasAchieved) {
  const Timestamp change = now_plus(-std::chrono::seconds{5});
  open(3, now_plus(-std::chrono::hours{1}), change);
  open(4, change, now_plus(std::chrono::minutes{2}));
  open(5, now_plus(std::chrono::minutes{2}));
  const auto season_of = [&](Timestamp achieved_at) {
    const std::size_t before = world_.ledger.results().size();
    EXPECT_TRUE(world_.submit(in_season(World::result("a", 1, achieved_at), std::nullopt)));
    EXPECT_EQ(world_.ledger.results().size(), before + 1);
    return world_.ledger.results().back().season.value;
  };
  EXPECT_EQ(season_of(Timestamp{change.ms - 1}), 3);  // it came five seconds after the end, within the grace
  EXPECT_EQ(season_of(change), 4);
  EXPECT_EQ(season_of(now_plus(std::chrono::minutes{2})), 5);
  EXPECT_EQ(season_of(now_plus({})), 4);
  // Too early for any season.
  EXPECT_EQ(refused(in_season(World::result("a", 1, now_plus(-std::chrono::hours{2})), std::nullopt)).field,
            "achievedAt");
  // All of them in one call.
  auto receipts = world_.pipeline().submit({in_season(World::result("b", 1, Timestamp{change.ms - 1}), std::nullopt),
                                            in_season(World::result("b", 1, change), std::nullopt),
                                            in_season(World::result("b", 1, Timestamp{change.ms - 1}), std::nullopt)},
                                           leaderboards::Ranks::skip);
  ASSERT_TRUE(receipts);
  std::vector<std::int32_t> seasons;
  for (const auto& result : world_.ledger.results()) {
    if (result.player.text() == "b") seasons.push_back(result.season.value);
  }
  EXPECT_EQ(seasons, (std::vector<std::int32_t>{3, 4, 3}));
}

TEST_F(ValidationTest, TheTimeIsNowWhenNoneIsNamed) {
  ASSERT_TRUE(world_.submit("a", 1));
  EXPECT_EQ(world_.ledger.results().front().achieved_at, world_.clock.now());
}

TEST_F(ValidationTest, TheFutureIsTakenForFiveMinutes) {
  EXPECT_TRUE(world_.submit("a", 1, now_plus(kMaxClockSkew)));
  EXPECT_EQ(refused(World::result("a", 1, now_plus(kMaxClockSkew + std::chrono::milliseconds{1}))).field, "achievedAt");
}

TEST_F(ValidationTest, TimesBeforeTheEpochAreTakenDownTo1600) {
  EXPECT_TRUE(world_.submit("a", 1, test::at("1916-07-02T13:10:00Z")));
  EXPECT_TRUE(world_.submit("b", 1, kMinTimestamp));
  EXPECT_EQ(refused(World::result("a", 1, Timestamp{kMinTimestamp.ms - 1})).field, "achievedAt");
  EXPECT_EQ(refused(World::result("a", 1, Timestamp{INT64_MIN})).field, "achievedAt");
  EXPECT_EQ(refused(World::result("a", 1, Timestamp{INT64_MAX})).field, "achievedAt");
}

TEST_F(ValidationTest, ASeasonTakesFromItsStartUpToItsEnd) {
  const Timestamp start = now_plus(-std::chrono::hours{2});
  const Timestamp end = now_plus(-std::chrono::minutes{1});
  open(12, start, end);
  EXPECT_TRUE(world_.submit("a", 1, start));
  EXPECT_TRUE(world_.submit("b", 1, Timestamp{end.ms - 1}));
  const Error before = refused(World::result("a", 1, Timestamp{start.ms - 1}));
  EXPECT_EQ(before.field, "achievedAt");
  EXPECT_EQ(before.detail, "must not be before the start of season 12, 2026-10-12T16:00:00Z");
  const Error after = refused(World::result("a", 1, end));
  EXPECT_EQ(after.field, "achievedAt");
  EXPECT_EQ(after.detail, "must be before the end of season 12, 2026-10-12T17:59:00Z");
}

TEST_F(ValidationTest, TheGraceAfterTheEndIsByTheClock) {
  const Timestamp end = now_plus(std::chrono::milliseconds{0});
  open(12, std::nullopt, end);
  world_.clock.advance(std::chrono::minutes{10} - std::chrono::milliseconds{1});
  EXPECT_TRUE(world_.submit("a", 1, Timestamp{end.ms - 1}));
  world_.clock.advance(std::chrono::milliseconds{1});
  const Error late = refused(World::result("a", 1, Timestamp{end.ms - 1}));
  EXPECT_EQ(late.code, Code::conflict);
  EXPECT_EQ(late.field, "seasonId");
  EXPECT_EQ(late.detail, "season 12 ended at 2026-10-12T18:00:00Z and its grace is over");
}

TEST_F(ValidationTest, PointsMustFitTheDefinition) {
  Definition definition = test::with_rule("main", Rule::best);
  definition.scale = 1;
  definition.min_points = -25;
  definition.max_points = 1000;
  ASSERT_TRUE(world_.put(definition));
  EXPECT_TRUE(world_.submit("a", 100));
  EXPECT_EQ(refused(World::result("a", 101)).detail, "must be -2.5..100");
  EXPECT_EQ(refused(World::result("a", -3)).field, "points");
  EXPECT_EQ(refused(World::result("a", INT64_MAX)).field, "points");
}

TEST_F(ValidationTest, AWideBoardOpensItsSeasonWithTheFirstResult) {
  ASSERT_TRUE(world_.submit(in_season(World::result("a", 1), 77)));
  const auto record = world_.service().catalogue().find("main").value();
  ASSERT_EQ(record->seasons.size(), 1U);
  EXPECT_EQ(record->seasons[0], (Season{SeasonId{77}, std::nullopt, std::nullopt}));
  world_.restart();
  EXPECT_EQ(world_.top(world_.board("main", 77)), std::vector<std::string>{"a=1"});
}

TEST_F(ValidationTest, ARefusedResultOpensNoSeason) {
  refused(in_season(World::result("a", -1), 77));
  EXPECT_TRUE(world_.service().catalogue().find("main").value()->seasons.empty());
}

class PackedValidationTest : public ValidationTest {
 protected:
  PackedValidationTest() {
    Definition definition = test::with_rule("main", Rule::best);
    definition.key = KeyKind::packed;
    EXPECT_TRUE(world_.put(definition));
  }
};

TEST_F(PackedValidationTest, ASeasonMustBeOpenedFirst) {
  const Error error = refused(World::result("a", 1));
  EXPECT_EQ(error.code, Code::conflict);
  EXPECT_EQ(error.field, "seasonId");
  EXPECT_EQ(error.detail, "season 12 must be opened with a start first: packed keys count seconds from it");
}

TEST_F(PackedValidationTest, PointsReach2097151) {
  open(12, now_plus(-std::chrono::hours{1}));
  EXPECT_TRUE(world_.submit("a", 2'097'151));
  EXPECT_EQ(refused(World::result("a", 2'097'152)).field, "points");
}

TEST_F(PackedValidationTest, TheRangeToldIsTheKeysAtTheBoardsScale) {
  Definition definition = test::with_rule("main", Rule::best);
  definition.key = KeyKind::packed;
  definition.scale = 2;
  ASSERT_TRUE(world_.put(definition));
  open(12, now_plus(-std::chrono::hours{1}));
  EXPECT_EQ(refused(World::result("a", 20'972)).detail, "must be 0..20971.51");
  EXPECT_EQ(refused(World::result("a", -1)).detail, "must be 0..20971.51");
}

TEST_F(PackedValidationTest, ASeasonThatBeganTooLongAgoIsOutOfRange) {
  open(12, test::at("1800-01-01T00:00:00Z"));
  EXPECT_TRUE(world_.submit("a", 1, test::at("1900-01-01T00:00:00Z")));
  EXPECT_EQ(refused(World::result("a", 1)).field, "achievedAt");
}

TEST_F(PackedValidationTest, ATotalStopsAtTheKeysLimitButItsDuplicatesAreStillKnown) {
  Definition definition = test::with_rule("main", Rule::sum);
  definition.key = KeyKind::packed;
  ASSERT_TRUE(world_.put(definition));
  open(12, now_plus(-std::chrono::hours{1}));
  EXPECT_TRUE(world_.submit("a", 2'000'000, {}, test::match(1)));
  EXPECT_EQ(refused(World::result("a", 97'152, {}, test::match(2))).field, "points");
  EXPECT_EQ(world_.submit("a", 2'000'000, {}, test::match(1))->outcome, leaderboards::Outcome::duplicate);
  EXPECT_EQ(world_.submit("a", 97'151, {}, test::match(2))->standing.points, 2'097'151);
}

}  // namespace
}  // namespace scoreline::ingest
