// Several criteria, on every pair of stores: who ranks above, and that no standing is ever made of two results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contract/cases/cases_fixture.h"
#include "leaderboards/criteria.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;

class CriteriaCasesTest : public CasesTest {
 protected:
  void define_with(Rule rule, std::vector<Criterion> criteria) {
    define(rule, [&](Definition& definition) {
      definition.max_points = 1'000'000;
      definition.criteria = std::move(criteria);
    });
  }

  ingest::Submission result(std::string player, std::int64_t points, std::vector<std::int64_t> values, Timestamp when,
                            std::optional<Uuid> match = {}) {
    auto submission = test::WorldOver::result(std::move(player), points, when, match);
    const auto record = world_->service().catalogue().find("main").value();
    const auto& criteria = record->definition.criteria;
    for (std::size_t i = 0; i < values.size(); ++i) {
      submission.criteria.push_back({criteria[i].name, decimal_from(values[i])});
    }
    return submission;
  }

  Outcome play(std::string player, std::int64_t points, std::vector<std::int64_t> values, Timestamp when,
               std::optional<Uuid> match = {}) {
    return world_->submit(result(std::move(player), points, std::move(values), when, match)).value().outcome;
  }

  std::string line_of(const Entry& entry) {
    const auto record = world_->service().catalogue().find("main").value();
    const CriteriaValues values = unpack_criteria(record->definition, entry.standing.extra);
    std::string line = entry.player.text() + "=" + std::to_string(entry.standing.points);
    for (std::size_t i = 0; i < record->definition.criteria.size(); ++i) line += "/" + std::to_string(values[i]);
    return line;
  }

  /// As `a=10/50`.
  std::vector<std::string> lines(std::optional<BoardRef> of = {}) {
    std::vector<std::string> all;
    const auto page = world_->service().top(of.value_or(board_), 1000).value();
    for (const Entry& entry : page.entries) all.push_back(line_of(entry));
    return all;
  }

  void expect_lines(const std::vector<std::string>& expected) {
    live_and_rebuilt([&] {
      EXPECT_EQ(lines(), expected);
      expect_all_reads_agree();
    });
  }
};

TEST_P(CriteriaCasesTest, C14_EachColumnHasItsOwnDirection) {
  define_with(Rule::best, {{"seconds", Order::ascending, 0, 0, 3'600}});
  play("a", 10, {50}, t(1));
  play("b", 10, {40}, t(2));
  play("c", 11, {99}, t(3));
  expect_lines({"c=11/99", "b=10/40", "a=10/50"});
}

TEST_P(CriteriaCasesTest, C14_OnAnAscendingBoardToo) {
  define_with(Rule::least, {{"style", Order::descending, 0, 0, 100}, {"falls", Order::ascending, 0, 0, 9}});
  play("a", 10, {50, 0}, t(1));
  play("b", 10, {60, 3}, t(2));
  play("c", 10, {60, 2}, t(3));
  play("d", 9, {0, 9}, t(4));
  expect_lines({"d=9/0/9", "c=10/60/2", "b=10/60/3", "a=10/50/0"});
}

TEST_P(CriteriaCasesTest, EqualsInAllCriteriaAreRankedByTime) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  play("late", 10, {50}, t(9));
  play("early", 10, {50}, t(1));
  play("middle", 10, {50}, t(5));
  expect_lines({"early=10/50", "middle=10/50", "late=10/50"});
}

TEST_P(CriteriaCasesTest, EqualsInAllCriteriaShareARank) {
  define(Rule::best, [](Definition& definition) {
    definition.max_points = 1'000;
    definition.ties = Ties::shared;
    definition.criteria = {{"rate", Order::descending, 0, 0, 100}};
  });
  play("a", 10, {50}, t(1));
  play("b", 10, {50}, t(2));
  play("c", 10, {49}, t(0));
  live_and_rebuilt([&] {
    std::vector<std::uint64_t> ranks;
    const auto page = world_->service().top(board_, 10).value();
    for (const Entry& entry : page.entries) ranks.push_back(entry.rank);
    EXPECT_THAT(ranks, ElementsAre(1, 1, 3));
    expect_all_reads_agree();
  });
}

TEST_P(CriteriaCasesTest, AWorseResultLeavesNothingBehindAndABetterOneComesWhole) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}, {"matches", Order::ascending, 0, 0, 100}});
  EXPECT_EQ(play("a", 10, {50, 5}, t(5)), Outcome::improved);
  EXPECT_EQ(play("a", 9, {100, 0}, t(1)), Outcome::unchanged);  // fewer points, better in all else
  EXPECT_EQ(play("a", 10, {49, 0}, t(1)), Outcome::unchanged);  // and so on down
  EXPECT_EQ(play("a", 10, {50, 6}, t(1)), Outcome::unchanged);
  EXPECT_EQ(play("a", 10, {50, 5}, t(6)), Outcome::unchanged);  // equal and later
  expect_lines({"a=10/50/5"});
  EXPECT_EQ(play("a", 10, {50, 5}, t(4)), Outcome::improved);  // equal and earlier
  EXPECT_EQ(play("a", 10, {51, 99}, t(7)), Outcome::improved);
  expect_lines({"a=10/51/99"});
  EXPECT_EQ(play("a", 11, {0, 100}, t(8)), Outcome::improved);
  expect_lines({"a=11/0/100"});
}

TEST_P(CriteriaCasesTest, TheLeastResultIsKeptWhole) {
  define_with(Rule::least, {{"style", Order::descending, 0, 0, 100}});
  EXPECT_EQ(play("a", 10, {50}, t(5)), Outcome::improved);
  EXPECT_EQ(play("a", 11, {100}, t(1)), Outcome::unchanged);
  EXPECT_EQ(play("a", 10, {49}, t(1)), Outcome::unchanged);
  EXPECT_EQ(play("a", 10, {51}, t(6)), Outcome::improved);
  expect_lines({"a=10/51"});
  EXPECT_EQ(play("a", 9, {0}, t(7)), Outcome::improved);
  expect_lines({"a=9/0"});
}

TEST_P(CriteriaCasesTest, TheLatestResultIsKeptWholeHoweverItComes) {
  define_with(Rule::latest, {{"rate", Order::descending, 0, 0, 100}});
  EXPECT_EQ(play("a", 10, {50}, t(5)), Outcome::improved);
  EXPECT_EQ(play("a", 99, {99}, t(4)), Outcome::unchanged);
  expect_lines({"a=10/50"});
  EXPECT_EQ(play("a", 1, {2}, t(6)), Outcome::improved);
  EXPECT_EQ(play("a", 1, {1}, t(6)), Outcome::unchanged);  // at the same time the better one counts
  EXPECT_EQ(play("a", 1, {3}, t(6)), Outcome::improved);
  expect_lines({"a=1/3"});
}

TEST_P(CriteriaCasesTest, AMatchThatComesAgainWithOtherCriteriaIsAConflict) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  const Uuid match = test::match(1);
  EXPECT_EQ(play("a", 10, {50}, t(1), match), Outcome::improved);
  const auto same = world_->submit(result("a", 10, {50}, t(1), match)).value();
  EXPECT_EQ(same.outcome, Outcome::duplicate);
  EXPECT_FALSE(same.conflict);
  const auto other = world_->submit(result("a", 10, {51}, t(1), match)).value();
  EXPECT_EQ(other.outcome, Outcome::duplicate);
  EXPECT_TRUE(other.conflict);
  expect_lines({"a=10/50"});
}

TEST_P(CriteriaCasesTest, BadCriteriaAreRefusedAndNothingIsStored) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  EXPECT_EQ(refused(result("a", 10, {101}, t(1))).field, "criteria.rate");
  EXPECT_EQ(refused(result("a", 10, {}, t(1))).field, "criteria.rate");
  EXPECT_EQ(stored(), 0u);
}

TEST_P(CriteriaCasesTest, HidingVoidingAndErasingCountWhatIsLeftWhole) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  play("a", 10, {70}, t(1), test::match(1));
  play("a", 10, {90}, t(2), test::match(2));
  play("b", 10, {80}, t(3), test::match(3));
  expect_lines({"a=10/90", "b=10/80"});
  ASSERT_TRUE(world_->service().void_match(test::leaderboard("main"), test::match(2)));
  expect_lines({"b=10/80", "a=10/70"});
  ASSERT_TRUE(world_->service().hide_player(test::leaderboard("main"), test::player("b"), {}));
  expect_lines({"a=10/70"});
  ASSERT_TRUE(world_->service().restore_player(test::leaderboard("main"), test::player("b")));
  expect_lines({"b=10/80", "a=10/70"});
}

TEST_P(CriteriaCasesTest, ABoardOfThePastHasTheCriteriaOfThen) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  play("a", 10, {50}, t(1));
  play("b", 10, {60}, t(2));
  play("a", 10, {70}, t(3));
  live_and_rebuilt([&] {
    BoardRef past = board_;
    past.as_of = t(2);
    EXPECT_THAT(lines(past), ElementsAre("b=10/60", "a=10/50"));
    EXPECT_THAT(lines(), ElementsAre("a=10/70", "b=10/60"));
  });
}

TEST_P(CriteriaCasesTest, CriteriaOfALeaderboardWithResultsCannotChange) {
  define_with(Rule::best, {{"rate", Order::descending, 0, 0, 100}});
  define_with(Rule::best, {{"rate", Order::ascending, 0, 0, 200}});  // no results yet
  play("a", 10, {150}, t(1));
  Definition other = test::with_rule("main", Rule::best);
  other.max_points = 1'000'000;
  const auto changed = world_->put(other);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Code::conflict);
  EXPECT_EQ(changed.error().field, "criteria");
  expect_lines({"a=10/150"});
}

TEST_P(CriteriaCasesTest, DaysAndWeeksHaveThemToo) {
  define(Rule::best, [](Definition& definition) {
    definition.max_points = 1'000;
    definition.periods.days = true;
    definition.criteria = {{"rate", Order::descending, 0, 0, 100}};
  });
  play("a", 10, {50}, t(1));
  play("b", 10, {60}, t(2));
  play("b", 10, {90}, Timestamp{t(0).ms - 86'400'000});
  live_and_rebuilt([&] {
    BoardRef today = board_;
    today.period = "day:2026-10-12";
    EXPECT_THAT(lines(today), ElementsAre("b=10/60", "a=10/50"));
    EXPECT_THAT(lines(), ElementsAre("b=10/90", "a=10/50"));
  });
}

INSTANTIATE_TEST_SUITE_P(Stores, CriteriaCasesTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
