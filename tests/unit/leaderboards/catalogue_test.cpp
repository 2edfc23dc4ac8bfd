#include "leaderboards/catalogue.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "support/model_ledger.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

class CatalogueTest : public testing::Test {
 protected:
  Catalogue& catalogue() { return *catalogue_; }
  Season season(std::int32_t id, std::optional<Timestamp> start = {}, std::optional<Timestamp> end = {}) {
    return {SeasonId{id}, start, end};
  }
  Result<void> open(const Season& season) { return catalogue().open_season(test::leaderboard("main"), season); }
  std::int32_t current() { return catalogue().current_season("main", now_)->value; }
  void keep_a_result() {
    const MatchResult result{test::leaderboard("main"), test::match(1), test::player("a"), SeasonId{1}, 1, now_};
    ledger_.append({&result, 1}).value();
  }

  const Timestamp now_ = test::at("2026-10-12T18:00:00Z");
  const Timestamp past_ = test::at("2026-10-01T00:00:00Z");
  const Timestamp future_ = test::at("2026-11-01T00:00:00Z");
  test::ModelLedger ledger_;
  std::unique_ptr<Catalogue> catalogue_ = Catalogue::open(ledger_).value();
};

TEST_F(CatalogueTest, MainIsThereFromTheFirstStart) {
  EXPECT_EQ(catalogue().find("main").value()->definition, test::with_rule("main", Rule::best));
  EXPECT_EQ(ledger_.leaderboards()->size(), 1U);
}

TEST_F(CatalogueTest, AnUnknownLeaderboardIsNotFound) {
  const auto found = catalogue().find("nope");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::not_found);
  EXPECT_EQ(found.error().field, "leaderboard");
  EXPECT_FALSE(catalogue().current_season("nope", now_));
  EXPECT_FALSE(catalogue().board("nope", SeasonId{1}));
}

TEST_F(CatalogueTest, ReadsBackWhatTheLedgerKept) {
  catalogue().put_definition(test::with_rule("runs", Rule::sum)).value();
  test::must(open(season(7, past_, future_)));
  test::must(open(season(3)));
  catalogue_ = Catalogue::open(ledger_).value();
  EXPECT_EQ(catalogue().find("runs").value()->definition.rule, Rule::sum);
  const auto record = catalogue().find("main").value();
  ASSERT_EQ(record->seasons.size(), 2U);
  EXPECT_EQ(*find_season(*record, SeasonId{7}), season(7, past_, future_));
  EXPECT_EQ(find_season(*record, SeasonId{4}), nullptr);
}

TEST_F(CatalogueTest, PackedKeysAreRefusedWhileASeasonHasNoStartToCountFrom) {
  test::must(open(season(3)));
  Definition packed = test::with_rule("main", Rule::best);
  packed.key = KeyKind::packed;
  const auto put = catalogue().put_definition(packed);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Code::conflict);
  EXPECT_EQ(put.error().field, "key");
  EXPECT_EQ(catalogue().find("main").value()->definition.key, KeyKind::wide);
}

TEST_F(CatalogueTest, PuttingTheSameAgainIsNotACreation) {
  EXPECT_TRUE(catalogue().put_definition(test::with_rule("runs", Rule::sum)).value());
  EXPECT_FALSE(catalogue().put_definition(test::with_rule("runs", Rule::sum)).value());
}

TEST_F(CatalogueTest, AnyFieldChangesWhileThereAreNoResults) {
  EXPECT_FALSE(catalogue().put_definition(test::with_rule("main", Rule::sum)).value());
  EXPECT_EQ(catalogue().find("main").value()->definition.rule, Rule::sum);
}

TEST_F(CatalogueTest, UnderResultsOnlyWhatLeavesTheBoardsRightChanges) {
  keep_a_result();
  const auto refused = catalogue().put_definition(test::with_rule("main", Rule::sum));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(refused.error().field, "rule");
  Definition definition = test::with_rule("main", Rule::best);
  definition.top = 10;
  EXPECT_FALSE(catalogue().put_definition(definition).value());
  EXPECT_EQ(catalogue().find("main").value()->definition.top, 10);
}

TEST_F(CatalogueTest, ASeasonOpensOnceAndKeepsItsTimes) {
  test::must(open(season(7, past_, future_)));
  EXPECT_TRUE(open(season(7, past_, future_)));
  const auto other = open(season(7, past_));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::conflict);
  EXPECT_EQ(open(season(8, future_, past_)).error().field, "end");
}

TEST_F(CatalogueTest, SeasonsAreBounded) {
  for (std::size_t i = 0; i < 100; ++i) test::must(open(season(static_cast<std::int32_t>(i))));
  LeaderboardRecord full{test::with_rule("full", Rule::best), {}};
  test::must(ledger_.put_definition(full.definition));
  for (std::size_t i = 0; i < kMaxSeasons; ++i) {
    full.seasons.push_back(season(static_cast<std::int32_t>(i)));
  }
  test::ModelLedger seeded;
  test::must(seeded.put_definition(full.definition));
  for (std::size_t i = 0; i < kMaxSeasons; ++i) {
    test::must(seeded.put_season(full.definition.name, full.seasons[i]));
  }
  const auto catalogue = Catalogue::open(seeded).value();
  const auto opened = catalogue->open_season(full.definition.name, season(20'000));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::conflict);
  EXPECT_EQ(opened.error().field, "seasonId");
}

TEST_F(CatalogueTest, TheCurrentSeasonIsOneWhileThereIsNone) { EXPECT_EQ(current(), 1); }

TEST_F(CatalogueTest, TheCurrentSeasonIsTheRunningOneThatBeganLast) {
  test::must(open(season(5, past_)));
  test::must(open(season(9)));  // without a start counts as the earliest
  EXPECT_EQ(current(), 5);
  test::must(open(season(4, Timestamp{past_.ms + 1})));
  EXPECT_EQ(current(), 4);
  test::must(open(season(6, Timestamp{past_.ms + 1})));
  EXPECT_EQ(current(), 6);
}

TEST_F(CatalogueTest, ASeasonOpenedAheadIsNotCurrentBeforeItBegins) {
  test::must(open(season(1, past_, future_)));
  test::must(open(season(2, future_)));
  EXPECT_EQ(current(), 1);
  EXPECT_EQ(catalogue().current_season("main", future_)->value, 2);
}

TEST_F(CatalogueTest, BetweenSeasonsTheLastOneIsCurrent) {
  test::must(open(season(1, Timestamp{past_.ms - 2}, Timestamp{past_.ms - 1})));
  test::must(open(season(2, Timestamp{past_.ms - 1}, past_)));
  test::must(open(season(3, future_)));
  EXPECT_EQ(current(), 2);
}

TEST_F(CatalogueTest, BeforeAllSeasonsTheFirstToBeginIsCurrent) {
  test::must(open(season(3, Timestamp{future_.ms + 1})));
  test::must(open(season(4, future_)));
  EXPECT_EQ(current(), 4);
}

TEST_F(CatalogueTest, ASeasonNobodyOpenedHasABoard) {
  const auto board = catalogue().board("main", SeasonId{99});
  ASSERT_TRUE(board);
  EXPECT_EQ(board->id, (BoardId{test::leaderboard("main"), SeasonId{99}}));
  EXPECT_TRUE(catalogue().find("main").value()->seasons.empty());
}

TEST_F(CatalogueTest, MainComesBackEmptyWhenDropped) {
  catalogue().put_definition(test::with_rule("main", Rule::sum)).value();
  test::must(open(season(7)));
  test::must(catalogue().drop(test::leaderboard("main")));
  const auto record = catalogue().find("main").value();
  EXPECT_EQ(record->definition.rule, Rule::best);
  EXPECT_TRUE(record->seasons.empty());
  EXPECT_EQ(catalogue().drop(test::leaderboard("nope")).error().code, Code::not_found);
}

}  // namespace
}  // namespace scoreline::leaderboards
