// Boards of days and weeks, on every pair of stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "contract/cases/cases_fixture.h"
#include "leaderboards/calendar.h"
#include "leaderboards/rules.h"
#include "leaderboards/season_boards.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PeriodBoardsTest : public CasesTest {
 protected:
  void keep_days_and_weeks(
      Rule rule, std::string zone = "UTC", const std::function<void(Definition&)>& change = [](Definition&) {}) {
    define(rule, [&](Definition& definition) {
      definition.periods.days = definition.periods.weeks = true;
      definition.periods.time_zone = std::move(zone);
      change(definition);
    });
    test::must(world_->open_season("main", {SeasonId{12}, std::nullopt, std::nullopt}));
  }

  BoardRef period(std::string text) const {
    BoardRef ref = board_;
    ref.period = std::move(text);
    return ref;
  }
  std::vector<std::string> top_of(const std::string& text) { return world_->top(period(text)); }
  std::string refusal(const std::string& text, Code code) {
    const auto page = world_->service().top(period(text), 10);
    EXPECT_FALSE(page) << text;
    if (page) return {};
    EXPECT_EQ(page.error().code, code) << text;
    EXPECT_EQ(page.error().field, "period") << text;
    return page.error().detail;
  }
  void submit_at(const std::string& player, std::int64_t points, std::string_view when) {
    ASSERT_TRUE(world_->submit(player, points, test::at(when)));
  }
};

TEST_P(PeriodBoardsTest, AResultCountsOnItsSeasonItsDayAndItsWeek) {
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-12T12:00:00Z");
  submit_at("alice", 30, "2026-10-11T23:59:59.999Z");  // a Sunday
  submit_at("bob", 20, "2026-10-12T00:00:00Z");
  live_and_rebuilt([&] {
    EXPECT_THAT(world_->top(), ElementsAre("alice=30", "bob=20"));
    EXPECT_THAT(top_of("season"), ElementsAre("alice=30", "bob=20"));
    EXPECT_THAT(top_of("day:2026-10-12"), ElementsAre("bob=20", "alice=10"));
    EXPECT_THAT(top_of("day:2026-10-11"), ElementsAre("alice=30"));
    EXPECT_THAT(top_of("day:2026-10-10"), IsEmpty());
    EXPECT_THAT(top_of("week:2026-W42"), ElementsAre("bob=20", "alice=10"));
    EXPECT_THAT(top_of("week:2026-W41"), ElementsAre("alice=30"));
    EXPECT_THAT(top_of("day"), ElementsAre("bob=20", "alice=10"));
    EXPECT_THAT(top_of("week"), ElementsAre("bob=20", "alice=10"));
  });
  board_ = period("day:2026-10-12");
  live_and_rebuilt([&] { expect_all_reads_agree(); });
}

TEST_P(PeriodBoardsTest, SumsAreThoseOfTheDay) {
  keep_days_and_weeks(Rule::sum);
  submit_at("alice", 10, "2026-10-12T10:00:00Z");
  submit_at("alice", 5, "2026-10-12T11:00:00Z");
  submit_at("alice", 100, "2026-10-11T11:00:00Z");
  submit_at("alice", 0, "2026-10-10T11:00:00Z");
  submit_at("bob", 50, "2026-10-11T12:00:00Z");
  submit_at("alice", 1, "2026-10-12T12:00:00Z");
  EXPECT_EQ(submit("alice", 1, test::at("2026-10-12T13:00:00Z"), test::match(7)), Outcome::improved);
  EXPECT_EQ(submit("alice", 1, test::at("2026-10-12T13:00:00Z"), test::match(7)), Outcome::duplicate);
  live_and_rebuilt([&] {
    EXPECT_THAT(world_->top(), ElementsAre("alice=117", "bob=50"));
    EXPECT_THAT(top_of("day:2026-10-12"), ElementsAre("alice=17"));
    EXPECT_THAT(top_of("day:2026-10-11"), ElementsAre("alice=100", "bob=50"));
    EXPECT_THAT(top_of("day:2026-10-10"), ElementsAre("alice=0"));
    EXPECT_THAT(top_of("week:2026-W41"), ElementsAre("alice=100", "bob=50"));
    EXPECT_THAT(top_of("week:2026-W42"), ElementsAre("alice=17"));
  });
}

TEST_P(PeriodBoardsTest, ADayThatClocksMakeLongerIsOneDay) {
  keep_days_and_weeks(Rule::sum, "America/New_York");
  world_->clock.set_wall(test::at("2026-11-02T12:00:00Z"));
  ASSERT_TRUE(world_->remake_missing());
  submit_at("first", 1, "2026-11-01T04:00:00Z");       // 00:00
  submit_at("summer", 1, "2026-11-01T05:30:00Z");      // 01:30
  submit_at("winter", 1, "2026-11-01T06:30:00Z");      // 01:30 again
  submit_at("last", 1, "2026-11-02T04:59:59.999Z");    // 23:59
  submit_at("before", 1, "2026-11-01T03:59:59.999Z");  // 23:59 on Saturday
  submit_at("after", 1, "2026-11-02T05:00:00Z");       // Monday
  live_and_rebuilt([&] {
    EXPECT_THAT(top_of("day:2026-10-31"), ElementsAre("before=1"));
    EXPECT_THAT(top_of("day:2026-11-01"), ElementsAre("first=1", "summer=1", "winter=1", "last=1"));
    EXPECT_THAT(top_of("day:2026-11-02"), ElementsAre("after=1"));
    EXPECT_THAT(top_of("week:2026-W44"), ElementsAre("before=1", "first=1", "summer=1", "winter=1", "last=1"));
    EXPECT_THAT(top_of("week:2026-W45"), ElementsAre("after=1"));
  });
}

TEST_P(PeriodBoardsTest, WhatIsNotThereIsToldWithWhatIs) {
  EXPECT_NE(refusal("day:2026-10-12", Code::not_found).find("season"), std::string::npos);
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-12T12:00:00Z");
  EXPECT_EQ(refusal("day:2026-10-08", Code::not_found),
            "there is no board of it; there are season, day:2026-10-09 to day:2026-10-12, week:2026-W37 to "
            "week:2026-W42");
  refusal("day:2026-10-13", Code::not_found);
  refusal("week:2026-W43", Code::not_found);
  for (const char* const bad : {"day:2026-02-30", "week:2025-W53", "week:2026-W00", "week:2026-W54", "day:2026-13-01",
                                "month:2026-10", "Day", "day:", "2026-10-12"}) {
    refusal(bad, Code::invalid);
  }
}

TEST_P(PeriodBoardsTest, ADayGoesWhenItIsKeptNoLongerAndTheNextOneComes) {
  keep_days_and_weeks(Rule::best, "UTC", [](Definition& definition) { definition.periods.keep_days = 1; });
  submit_at("alice", 10, "2026-10-12T12:00:00Z");
  world_->clock.set_wall(test::at("2026-10-13T23:59:59Z"));
  ASSERT_TRUE(world_->remake_missing());
  EXPECT_THAT(top_of("day:2026-10-12"), ElementsAre("alice=10"));
  submit_at("bob", 5, "2026-10-13T23:59:59Z");
  world_->clock.set_wall(test::at("2026-10-14T00:00:00Z"));
  ASSERT_TRUE(world_->remake_missing());
  submit_at("carol", 7, "2026-10-14T00:00:00Z");
  submit_at("late", 9, "2026-10-12T13:00:00Z");  // on the season and the week; its day has gone
  live_and_rebuilt([&] {
    refusal("day:2026-10-12", Code::not_found);
    EXPECT_THAT(top_of("day:2026-10-13"), ElementsAre("bob=5"));
    EXPECT_THAT(top_of("day"), ElementsAre("carol=7"));
    EXPECT_THAT(top_of("week"), ElementsAre("alice=10", "late=9", "carol=7", "bob=5"));
    EXPECT_THAT(world_->top(), ElementsAre("alice=10", "late=9", "carol=7", "bob=5"));
  });
}

TEST_P(PeriodBoardsTest, AResultOfTheNextDayThatComesEarlyIsOnIt) {
  keep_days_and_weeks(Rule::best);
  world_->clock.set_wall(test::at("2026-10-12T23:51:00Z"));
  ASSERT_TRUE(world_->remake_missing());
  world_->clock.set_wall(test::at("2026-10-12T23:56:00Z"));
  submit_at("early", 5, "2026-10-13T00:00:30Z");
  world_->clock.set_wall(test::at("2026-10-13T00:01:00Z"));
  live_and_rebuilt([&] { EXPECT_THAT(top_of("day"), ElementsAre("early=5")); });
}

TEST_P(PeriodBoardsTest, WhoeverKeepsMoreDaysHasTheEarlierOnesToo) {
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-07T12:00:00Z");
  submit_at("bob", 20, "2026-10-12T12:00:00Z");
  refusal("day:2026-10-07", Code::not_found);
  define(Rule::best, [](Definition& definition) {
    definition.periods.days = definition.periods.weeks = true;
    definition.periods.keep_days = 5;
  });
  ASSERT_TRUE(world_->remake_missing());
  submit_at("carol", 5, "2026-10-07T13:00:00Z");
  live_and_rebuilt([&] {
    EXPECT_THAT(top_of("day:2026-10-07"), ElementsAre("alice=10", "carol=5"));
    EXPECT_THAT(top_of("day"), ElementsAre("bob=20"));
  });
  world_->clock.set_wall(test::at("2026-10-16T12:00:00Z"));
  ASSERT_TRUE(world_->remake_missing());
  submit_at("dave", 1, "2026-10-16T12:00:00Z");
  EXPECT_THAT(top_of("day:2026-10-12"), ElementsAre("bob=20"));
}

TEST_P(PeriodBoardsTest, BoardsThatAreNotKeptAnyMoreGiveTheirMemoryBack) {
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-12T12:00:00Z");
  const std::size_t at_first = stores_->boards();
  for (int day = 13; day < 31; ++day) {
    world_->clock.set_wall(test::at("2026-10-" + std::to_string(day) + "T12:00:00Z"));
    ASSERT_TRUE(world_->remake_missing());
    ASSERT_TRUE(world_->submit("alice", 10, world_->clock.now()));
  }
  if (!world_->has_own_boards()) return;  // a server lets them go by its own clock
  EXPECT_EQ(at_first, 3U);
  EXPECT_EQ(stores_->boards(), 1U + 4U + 3U);  // the season, four days, three weeks
}

TEST_P(PeriodBoardsTest, AnErasedPlayerIsOffEveryDay) {
  keep_days_and_weeks(Rule::best);
  submit_at("goes", 10, "2026-10-12T12:00:00Z");
  submit_at("goes", 20, "2026-10-11T12:00:00Z");
  submit_at("stays", 5, "2026-10-12T12:00:00Z");
  ASSERT_TRUE(
      world_->service().erase_player(test::leaderboard("main"), test::player("goes"), Ledger::Erase::from_boards));
  live_and_rebuilt([&] {
    EXPECT_THAT(top_of("day:2026-10-12"), ElementsAre("stays=5"));
    EXPECT_THAT(top_of("day:2026-10-11"), IsEmpty());
    EXPECT_THAT(top_of("week:2026-W41"), IsEmpty());
  });
}

TEST_P(PeriodBoardsTest, ADayOfTwoSeasonsHasABoardInEach) {
  define(Rule::best, [](Definition& definition) { definition.periods.days = true; });
  const Timestamp change = test::at("2026-10-12T12:00:00Z");
  ASSERT_TRUE(world_->open_season("main", {SeasonId{12}, std::nullopt, change}));
  ASSERT_TRUE(world_->open_season("main", {SeasonId{13}, change, std::nullopt}));
  world_->clock.set_wall(test::at("2026-10-12T12:05:00Z"));
  submit_at("old", 1, "2026-10-12T11:59:59.999Z");
  auto result = test::WorldOver::result("new", 2, change);
  result.season_id = 13;
  ASSERT_TRUE(world_->submit(result));
  live_and_rebuilt([&] {
    EXPECT_THAT(top_of("day"), ElementsAre("old=1"));
    BoardRef other = period("day");
    other.season = SeasonId{13};
    EXPECT_THAT(world_->top(other), ElementsAre("new=2"));
    other.period = "day:2026-10-11";  // kept, and no part of the season
    EXPECT_THAT(world_->top(other), IsEmpty());
  });
}

TEST_P(PeriodBoardsTest, ABoardOfThePastMayBeOfADayThatIsNotKeptAnyMore) {
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-01T12:00:00Z");
  submit_at("bob", 20, "2026-10-01T18:00:00Z");
  BoardRef past = period("day:2026-10-01");
  past.as_of = test::at("2026-10-01T15:00:00Z");
  EXPECT_THAT(world_->top(past), ElementsAre("alice=10"));
  past.period = "day";
  EXPECT_THAT(world_->top(past), ElementsAre("alice=10"));
}

TEST_P(PeriodBoardsTest, APlayersPlacesOnAllBoardsAreOneAnswer) {
  keep_days_and_weeks(Rule::best);
  submit_at("alice", 10, "2026-10-12T12:00:00Z");
  submit_at("bob", 20, "2026-10-12T12:00:00Z");
  submit_at("alice", 30, "2026-10-11T12:00:00Z");
  live_and_rebuilt([&] {
    std::vector<std::string> places;
    const auto found = world_->service().places_of("main", test::player("alice")).value();
    for (const auto& [board, place] : found) {
      places.push_back(std::to_string(board.season.value) + " " + to_string(board.period) + " " +
                       std::to_string(place.entry.rank) + " of " + std::to_string(place.players));
    }
    EXPECT_THAT(places, ElementsAre("12 season 1 of 2", "12 day:2026-10-12 2 of 2", "12 day:2026-10-11 1 of 1",
                                    "12 week:2026-W42 2 of 2", "12 week:2026-W41 1 of 1"));
    EXPECT_THAT(world_->service().places_of("main", test::player("nobody")).value(), IsEmpty());
  });
}

/// Results of one leaderboard, and what its boards must show of them: a plain fold of those in a board's span.
class MadeResults {
 public:
  using Standings = std::map<std::string, Standing>;

  MadeResults(Definition definition, std::uint32_t seed) : definition_(std::move(definition)), random_(seed) {}

  /// Some results of the last 18 days, one of them twice now and then.
  std::vector<ingest::Submission> next_batch(Timestamp now) {
    std::vector<ingest::Submission> batch;
    for (std::uint32_t i = 1 + random_() % 40; i > 0; --i) {
      const std::string player = "p" + std::to_string(random_() % 12);
      const auto points = static_cast<std::int64_t>(random_() % 101) - 50;
      const Timestamp at{now.ms - static_cast<std::int64_t>(random_() % (18 * 86'400)) * 1'000};
      results_.emplace_back(player, points, at);
      batch.push_back(test::WorldOver::result(player, points, at, test::match(results_.size())));
      batch.back().leaderboard = definition_.name.text();
    }
    if (random_() % 4 == 0) batch.push_back(batch.front());
    return batch;
  }

  Standings expected_on(const Board& board) const {
    std::map<std::string, Fold> folds;
    for (const auto& [player, points, at] : results_) {
      if (board.span.contains(at)) folds.emplace(player, Fold(board)).first->second.add(Standing{points, at});
    }
    return standings(folds);
  }

  static Standings standings(const std::map<std::string, Fold>& folds) {
    Standings all;
    for (const auto& [player, fold] : folds) all.emplace(player, *fold.standing());
    return all;
  }

 private:
  Definition definition_;
  std::mt19937 random_;
  std::vector<std::tuple<std::string, std::int64_t, Timestamp>> results_;
};

TEST_P(PeriodBoardsTest, EveryBoardIsTheFoldOfItsResultsAndAWeekTheUnionOfItsDays) {
  world_->clock.set_wall(test::at("2026-10-30T12:00:00Z"));
  const Timestamp now = world_->clock.now();
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    SCOPED_TRACE(std::string(to_string(rule)));
    Definition definition = test::with_rule("r" + std::string(to_string(rule)), rule);
    definition.min_points = -50;
    definition.periods = {true, true, "Europe/Berlin", Weekday::sunday, 20, 5};
    ASSERT_TRUE(world_->put(definition));
    const Season season{SeasonId{12}, std::nullopt, std::nullopt};
    test::must(world_->open_season(definition.name.text(), season));
    MadeResults made(definition, 20'261'012);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(world_->pipeline().submit(made.next_batch(now), Ranks::skip));

    const auto shown = [&](const Period& of) {
      MadeResults::Standings standings;
      const BoardRef ref{definition.name.text(), season.id, std::nullopt, to_string(of)};
      for (const Entry& entry : test::entries(world_->service().top(ref, 1000))) {
        standings.emplace(entry.player.text(), entry.standing);
      }
      return standings;
    };
    live_and_rebuilt([&] {
      const auto boards = boards_of(definition, season, now);
      ASSERT_EQ(boards.size(), 1U + 21U + 6U);
      for (const Board& board : boards) {
        SCOPED_TRACE(to_string(board.id.period));
        const auto expected = made.expected_on(board);
        ASSERT_EQ(shown(board.id.period), expected);
        const Period first{Period::Kind::day, board.id.period.first_day};
        if (board.id.period.kind != Period::Kind::week || first < boards[21].id.period) continue;
        std::map<std::string, Fold> union_of_days;
        for (int i = 0; i < 7; ++i) {
          const Period day{Period::Kind::day, first.first_day + i};
          if (day > boards[1].id.period) break;  // still to come
          for (const auto& [player, standing] : shown(day)) {
            union_of_days.emplace(player, Fold(board)).first->second.add(standing);
          }
        }
        ASSERT_EQ(union_of_days.size(), expected.size());
        for (const auto& [player, standing] : MadeResults::standings(union_of_days)) {
          EXPECT_EQ(standing.points, expected.at(player).points) << player;
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, PeriodBoardsTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
