// What a change would do, told before and held against what it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "contract/cases/cases_fixture.h"

namespace scoreline::leaderboards {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PreviewCasesTest : public CasesTest {
 protected:
  Preview preview(const std::string& player) {
    return world_->service().preview_without(kMain, test::player(player)).value();
  }
  Preview preview_match(int number) {
    const auto told = world_->service().preview_without(kMain, test::match(static_cast<std::uint64_t>(number)));
    test::must(told.map([](const auto&) {}));
    return *told;
  }

  /// Who stands where; by position, from 1.
  std::vector<Entry> board() { return world_->service().top(board_, 1000).value().entries; }

  /// That the only board of the preview told what made `before` into what the board is now.
  void expect_came_true(const Preview& told, const std::vector<Entry>& before) {
    const std::vector<Entry> after = board();
    const auto places = [](const std::vector<Entry>& entries) {
      std::map<std::string, std::size_t> by_player;
      for (std::size_t i = 0; i < entries.size(); ++i) by_player[entries[i].player.text()] = i;
      return by_player;
    };
    const auto was = places(before), is = places(after);
    if (told.boards.empty()) {
      EXPECT_EQ(before, after);
      return;
    }
    ASSERT_THAT(told.boards, SizeIs(1));
    const PreviewedBoard& board = told.boards.front();
    EXPECT_EQ(board.players_before, before.size());
    EXPECT_EQ(board.players_after, after.size());
    std::set<std::string> named;
    for (const PreviewedPlayer& each : board.players) {
      named.insert(each.player.text());
      const auto shown = [&](const std::vector<Entry>& entries, const std::map<std::string, std::size_t>& by_player) {
        const auto at = by_player.find(each.player.text());
        return at == by_player.end() ? std::optional<Entry>() : entries[at->second];
      };
      EXPECT_EQ(each.before, shown(before, was)) << each.player.text();
      EXPECT_EQ(each.after, shown(after, is)) << each.player.text();
    }
    std::uint64_t up = 0, down = 0;
    for (const auto& [player, place] : was) {
      if (named.contains(player)) continue;
      ASSERT_TRUE(is.contains(player)) << player;
      EXPECT_EQ(before[place].standing, after[is.at(player)].standing) << player << " moves and is not named";
      up += is.at(player) < place ? 1 : 0;
      down += is.at(player) > place ? 1 : 0;
    }
    EXPECT_EQ(board.moving_up, up);
    EXPECT_EQ(board.moving_down, down);
  }

  std::size_t audit_lines() { return world_->service().audit_log(0, 1000).value().size(); }

  const LeaderboardName kMain = test::leaderboard("main");
};

TEST_P(PreviewCasesTest, HidingTellsWhoGoesAndHowManyMoveUpAndChangesNothing) {
  for (int i = 0; i < 10; ++i) submit("p" + std::to_string(i), 100 - i, t(i));
  submit("p3", 10, t(20));
  const auto before = board();
  const std::size_t lines = audit_lines();
  const Preview told = preview("p3");
  EXPECT_EQ(board(), before);
  EXPECT_EQ(audit_lines(), lines);
  EXPECT_EQ(told.results, 2u);
  ASSERT_THAT(told.boards, SizeIs(1));
  EXPECT_EQ(told.boards[0].players_before, 10u);
  EXPECT_EQ(told.boards[0].players_after, 9u);
  EXPECT_EQ(told.boards[0].moving_up, 6u);
  EXPECT_EQ(told.boards[0].moving_down, 0u);
  ASSERT_THAT(told.boards[0].players, SizeIs(1));
  EXPECT_EQ(told.boards[0].players[0].before, before[3]);
  EXPECT_FALSE(told.boards[0].players[0].after);
  EXPECT_TRUE(world_->service().hide_player(kMain, test::player("p3")).value());
  expect_came_true(told, before);
  EXPECT_THAT(preview("p3").boards, IsEmpty());
  EXPECT_THAT(preview("nobody").boards, IsEmpty());
}

TEST_P(PreviewCasesTest, EveryBoardThatWouldChangeIsTold) {
  define(Rule::best, [](Definition& definition) { definition.periods.days = true; });
  submit("a", 10, test::at("2026-10-12T12:00:00Z"));
  submit("a", 30, test::at("2026-10-11T12:00:00Z"), test::match(1));
  submit("b", 20, test::at("2026-10-12T12:00:00Z"));
  std::vector<std::string> boards;
  for (const PreviewedBoard& each : preview_match(1).boards) boards.push_back(to_string(each.board.period));
  EXPECT_THAT(boards, testing::UnorderedElementsAre("season", "day:2026-10-11"));
  EXPECT_THAT(preview("a").boards, SizeIs(3));
}

TEST_P(PreviewCasesTest, AVoidMatchTellsTheNewPointsAndRanks) {
  submit("a", 90, t(1), test::match(1));
  submit("a", 40, t(2));
  submit("b", 80, t(1), test::match(1));
  submit("c", 50, t(3));
  submit("d", 30, t(4));
  submit("e", 85, t(5));
  const auto before = board();
  const Preview told = preview_match(1);
  EXPECT_EQ(told.results, 2u);
  ASSERT_THAT(told.boards, SizeIs(1));
  ASSERT_THAT(told.boards[0].players, SizeIs(2));
  EXPECT_EQ(told.boards[0].players[0].after, (Entry{3, test::player("a"), {40, t(2), 0}}));
  EXPECT_EQ(told.boards[0].moving_up, 3u);
  EXPECT_EQ(world_->service().void_match(kMain, test::match(1)).value(), 2u);
  expect_came_true(told, before);
  const Preview again = preview_match(1);
  EXPECT_EQ(again.results, 0u);
  EXPECT_THAT(again.boards, IsEmpty());
}

TEST_P(PreviewCasesTest, AMatchThatNobodyPlayedHasNoPreview) {
  const auto none = world_->service().preview_without(kMain, test::match(7));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
  EXPECT_EQ(none.error().field, "matchId");
}

TEST_P(PreviewCasesTest, WhatIsToldComesTrueUnderEveryRuleTieAndKey) {
  SeededRandom random(7);
  const auto chance = [&](std::uint64_t below) { return random.below(below); };
  int number = 1;
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    for (const Ties ties : {Ties::first, Ties::last, Ties::shared, Ties::dense}) {
      for (const KeyKind key : {KeyKind::wide, KeyKind::packed}) {
        SCOPED_TRACE(std::string(to_string(rule)) + " " + std::string(to_string(ties)) + " " +
                     std::string(to_string(key)));
        define(rule, [&](Definition& definition) {
          definition.ties = ties;
          definition.key = key;
          if (key == KeyKind::packed) definition.min_points = 0;
          if (key == KeyKind::packed) definition.max_points = 1'000;
        });
        test::must(world_->open_season("main", {SeasonId{12}, test::at("2026-10-01T00:00:00Z"), std::nullopt}));
        const int first = number;
        for (; number < first + 12; ++number) {
          for (int i = 0; i < 6; ++i) {
            submit("p" + std::to_string(chance(15)), static_cast<std::int64_t>(chance(8)),
                   t(static_cast<std::int64_t>(chance(30))), test::match(static_cast<std::uint64_t>(number)));
          }
        }
        for (int change = 0; change < 6; ++change) {
          const auto before = board();
          if (change % 2 == 0) {
            const int match = first + static_cast<int>(chance(12));
            const Preview told = preview_match(match);
            ASSERT_EQ(board(), before);
            EXPECT_EQ(world_->service().void_match(kMain, test::match(static_cast<std::uint64_t>(match))).value(),
                      told.results);
            expect_came_true(told, before);
          } else {
            const PlayerId player = test::player("p" + std::to_string(chance(15)));
            const Preview told = preview(player.text());
            EXPECT_EQ(world_->service().erase_player(kMain, player, Ledger::Erase::from_boards).value(), told.results);
            expect_came_true(told, before);
          }
        }
        test::must(world_->service().drop(kMain));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, PreviewCasesTest, all_stores(), testing::PrintToStringParamName());

}  // namespace
}  // namespace scoreline::leaderboards
