// What every rank index must do, whatever it stands on. An adapter's test instantiates the suite with its factory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/rank_key_codec.h"
#include "support/model_board.h"
#include "support/process.h"

namespace scoreline::test {

struct IndexUnderTest {
  std::string_view name;
  std::unique_ptr<leaderboards::RankIndex> (*make)();  ///< nothing where its server is not installed
};

inline void PrintTo(const IndexUnderTest& index, std::ostream* out) { *out << index.name; }

class RankIndexContract : public testing::TestWithParam<IndexUnderTest> {
 protected:
  using Applied = leaderboards::Applied;
  using Board = leaderboards::Board;
  using Entry = leaderboards::Entry;
  using Offer = leaderboards::Offer;
  using Order = leaderboards::Order;
  using PlayerId = leaderboards::PlayerId;
  using Ranks = leaderboards::Ranks;
  using Standing = leaderboards::Standing;

  void SetUp() override {
    if (!index_) GTEST_SKIP() << GetParam().name << " is not here: ./dev setup";
  }

  static Board board(leaderboards::Rule rule = leaderboards::Rule::best, Order order = Order::descending) {
    return Board{{leaderboard("main"), leaderboards::SeasonId{12}},
                 rule,
                 order,
                 leaderboards::Ties::first,
                 leaderboards::KeyKind::wide,
                 Timestamp{}};
  }
  static Offer offer(std::string id, std::int64_t points, std::int64_t ms = 0) {
    return {player(std::move(id)), {points, Timestamp{ms}}};
  }

  std::vector<Applied> apply(const Board& to, const std::vector<Offer>& offers, Ranks ranks = Ranks::tell) {
    return index_->apply(to, offers, ranks).value();
  }
  std::vector<Entry> all(const Board& of) { return entries(index_->range(of, 1, 1000)); }
  std::vector<std::string> names(const std::vector<Entry>& of) {
    std::vector<std::string> texts;
    for (const Entry& entry : of) texts.push_back(entry.player.text());
    return texts;
  }
  std::optional<std::uint64_t> rank(const Board& on, std::string id) {
    const auto place = index_->place_of(on, player(std::move(id))).value();
    return place ? std::optional(place->entry.rank) : std::nullopt;
  }
  /// Loads these in board order.
  void load(const Board& to, std::vector<Offer> offers) {
    const leaderboards::RankKeyCodec codec(to);
    std::sort(offers.begin(), offers.end(), [&](const Offer& a, const Offer& b) {
      const auto x = *codec.encode(a.standing);
      const auto y = *codec.encode(b.standing);
      return x != y ? x < y : a.player < b.player;
    });
    must(index_->begin_load(to));
    auto next = offers.begin();
    must(index_->load(to, offers.size(), [&] { return next == offers.end() ? std::nullopt : std::optional(*next++); }));
  }

  std::unique_ptr<leaderboards::RankIndex> index_ = GetParam().make();
};

TEST_P(RankIndexContract, ABoardNobodyAppliedToIsEmpty) {
  const Board empty = board();
  EXPECT_EQ(index_->range(empty, 1, 10)->players, 0U);
  EXPECT_THAT(all(empty), testing::IsEmpty());
  EXPECT_EQ(index_->place_of(empty, player("a")).value(), std::nullopt);
  EXPECT_THAT(entries(index_->around(empty, player("a"), 5)), testing::IsEmpty());
  EXPECT_THAT(entries(index_->range_after(empty, player("a"), {}, 5)), testing::IsEmpty());
  const std::vector<PlayerId> players = {player("a"), player("b")};
  EXPECT_THAT(index_->standings(empty, players).value(), testing::ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THAT(index_->ranks_of(empty, players).value(), testing::ElementsAre(std::nullopt, std::nullopt));
  EXPECT_EQ(index_->erase(empty, players).value(), 0U);
  EXPECT_TRUE(index_->drop(empty));
}

TEST_P(RankIndexContract, TakesWhatReplacesAndTellsTheRanksAroundIt) {
  const Board best = board();
  apply(best, {offer("a", 100), offer("b", 90)});
  const auto better = apply(best, {offer("b", 110)}).front();
  EXPECT_TRUE(better.changed);
  EXPECT_EQ(better.standing.points, 110);
  EXPECT_EQ(better.previous_rank, 2U);
  EXPECT_EQ(better.rank, 1U);
  const auto worse = apply(best, {offer("b", 10)}).front();
  EXPECT_FALSE(worse.changed);
  EXPECT_EQ(worse.standing.points, 110);
  EXPECT_EQ(worse.previous_rank, 1U);
  EXPECT_EQ(worse.rank, 1U);
  const auto fresh = apply(best, {offer("c", 5)}).front();
  EXPECT_EQ(fresh.previous_rank, std::nullopt);
  EXPECT_EQ(fresh.rank, 3U);
}

TEST_P(RankIndexContract, RanksAreToldOnlyWhenAskedFor) {
  const auto applied = apply(board(), {offer("a", 1)}, Ranks::skip).front();
  EXPECT_TRUE(applied.changed);
  EXPECT_EQ(applied.rank, std::nullopt);
  EXPECT_EQ(applied.previous_rank, std::nullopt);
}

TEST_P(RankIndexContract, SeveralOffersToOnePlayerApplyInOrder) {
  const auto applied = apply(board(), {offer("a", 5), offer("a", 3), offer("a", 9)});
  EXPECT_TRUE(applied[0].changed);
  EXPECT_EQ(applied[0].standing.points, 5);
  EXPECT_FALSE(applied[1].changed);
  EXPECT_EQ(applied[1].standing.points, 5);
  EXPECT_TRUE(applied[2].changed);
  EXPECT_EQ(all(board()).size(), 1U);
}

TEST_P(RankIndexContract, ApplyingTwiceIsHarmless) {
  for (const auto rule :
       {leaderboards::Rule::best, leaderboards::Rule::least, leaderboards::Rule::sum, leaderboards::Rule::latest}) {
    const Board of = board(rule);
    apply(of, {offer("a", 7, 3), offer("b", 8, 2)});
    const auto before = all(of);
    for (const auto& applied : apply(of, {offer("a", 7, 3), offer("b", 8, 2)})) EXPECT_FALSE(applied.changed);
    EXPECT_EQ(all(of), before);
    must(index_->drop(of));
  }
}

TEST_P(RankIndexContract, AnOfferOutOfTheKeysRangeChangesNothing) {
  Board packed = board();
  packed.key = leaderboards::KeyKind::packed;
  const std::vector<Offer> offers = {offer("a", 1), offer("b", 2'097'152)};
  const auto applied = index_->apply(packed, offers, Ranks::skip);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().field, "points");
  EXPECT_THAT(all(packed), testing::IsEmpty());
}

TEST_P(RankIndexContract, EqualKeysSortByIdReversedOnDescendingBoards) {
  const std::vector<Offer> offers = {offer("b", 1), offer("\xC3\xA9", 1), offer("B", 1), offer("a", 1), offer("ab", 1)};
  apply(board(), offers);
  EXPECT_THAT(names(all(board())), testing::ElementsAre("\xC3\xA9", "b", "ab", "a", "B"));
  Board upwards = board(leaderboards::Rule::best, Order::ascending);
  upwards.id.season.value = 13;
  apply(upwards, offers);
  EXPECT_THAT(names(all(upwards)), testing::ElementsAre("B", "a", "ab", "b", "\xC3\xA9"));
}

TEST_P(RankIndexContract, RangesAreCutAtTheEnds) {
  for (int i = 1; i <= 25; ++i) apply(board(), {offer("p" + std::to_string(i), 100 - i)});
  EXPECT_THAT(names(entries(index_->range(board(), 24, 10))), testing::ElementsAre("p24", "p25"));
  EXPECT_THAT(entries(index_->range(board(), 26, 10)), testing::IsEmpty());
  EXPECT_EQ(index_->range(board(), 26, 10)->players, 25U);
  EXPECT_EQ(index_->range(board(), 3, 1)->entries.front().rank, 3U);
}

TEST_P(RankIndexContract, AroundIsCutAtTheEnds) {
  for (int i = 1; i <= 9; ++i) apply(board(), {offer("p" + std::to_string(i), 100 - i)});
  EXPECT_THAT(names(entries(index_->around(board(), player("p1"), 2))), testing::ElementsAre("p1", "p2", "p3"));
  EXPECT_THAT(names(entries(index_->around(board(), player("p5"), 1))), testing::ElementsAre("p4", "p5", "p6"));
  EXPECT_THAT(names(entries(index_->around(board(), player("p9"), 2))), testing::ElementsAre("p7", "p8", "p9"));
  EXPECT_THAT(names(entries(index_->around(board(), player("p9"), 0))), testing::ElementsAre("p9"));
  EXPECT_EQ(entries(index_->around(board(), player("p5"), 100)).size(), 9U);
}

TEST_P(RankIndexContract, ACursorGoesOnBehindItsPlaceWhetherOrNotAnybodyStandsThere) {
  for (const Order order : {Order::descending, Order::ascending}) {
    Board of = board(leaderboards::Rule::best, order);
    for (const char* const id : {"a", "b", "c", "d"}) apply(of, {offer(id, 50)});
    const auto before = all(of);
    const auto& second = before[1];
    const std::vector<Entry> rest(before.begin() + 2, before.end());
    EXPECT_EQ(entries(index_->range_after(of, second.player, second.standing, 10)), rest);
    EXPECT_EQ(entries(index_->range_after(of, second.player, second.standing, 1)), std::vector<Entry>{rest[0]});
    ASSERT_EQ(index_->erase(of, {&second.player, 1}).value(), 1U);
    EXPECT_EQ(names(entries(index_->range_after(of, second.player, second.standing, 10))), names(rest));
    EXPECT_THAT(entries(index_->range_after(of, rest[1].player, rest[1].standing, 10)), testing::IsEmpty());
    must(index_->drop(of));
  }
}

TEST_P(RankIndexContract, ErasingMovesThoseBelowUp) {
  apply(board(), {offer("a", 3), offer("b", 2), offer("c", 1)});
  const std::vector<PlayerId> gone = {player("a"), player("x"), player("a")};
  EXPECT_EQ(index_->erase(board(), gone).value(), 1U);
  EXPECT_EQ(rank(board(), "b"), 1U);
  EXPECT_EQ(rank(board(), "c"), 2U);
  EXPECT_EQ(rank(board(), "a"), std::nullopt);
  EXPECT_EQ(apply(board(), {offer("a", 1)}).front().previous_rank, std::nullopt);
}

TEST_P(RankIndexContract, LoadPutsItsContentInPlaceOfTheOld) {
  apply(board(), {offer("old", 1000), offer("a", 1)});
  std::vector<Offer> offers;
  for (int i = 0; i < 300; ++i) offers.push_back(offer("p" + std::to_string(i), i % 50, i % 7));
  load(board(), offers);
  EXPECT_EQ(rank(board(), "old"), std::nullopt);
  ModelBoard model(board());
  for (const Offer& each : offers) model.add(each.player.text(), each.standing.points, each.standing.achieved_at);
  EXPECT_EQ(all(board()), model.entries());
  apply(board(), {offer("late", 25, 3)});
  model.add("late", 25, Timestamp{3});
  EXPECT_EQ(all(board()), model.entries());
  load(board(), {});
  EXPECT_THAT(all(board()), testing::IsEmpty());
}

TEST_P(RankIndexContract, BoardsAreApart) {
  Board other = board();
  other.id.leaderboard = leaderboard("other");
  Board later = board();
  later.id.season.value = 13;
  apply(board(), {offer("a", 1)});
  apply(other, {offer("b", 1)});
  apply(later, {offer("c", 1)});
  must(index_->drop(other));
  EXPECT_THAT(names(all(board())), testing::ElementsAre("a"));
  EXPECT_THAT(names(all(other)), testing::IsEmpty());
  EXPECT_THAT(names(all(later)), testing::ElementsAre("c"));
}

TEST_P(RankIndexContract, TheVersionIsAnotherOneAfterEachChangeOnly) {
  std::vector<std::uint64_t> seen = {index_->version(board()).value()};
  const auto expect_new = [&] {
    const auto now = index_->version(board()).value();
    EXPECT_THAT(seen, testing::Not(testing::Contains(now)));
    seen.push_back(now);
  };
  apply(board(), {offer("a", 5)});
  expect_new();
  apply(board(), {offer("a", 4)});
  EXPECT_EQ(index_->version(board()).value(), seen.back());
  apply(board(), {offer("a", 6)});
  expect_new();
  const PlayerId absent = player("x");
  ASSERT_TRUE(index_->erase(board(), {&absent, 1}));
  EXPECT_EQ(index_->version(board()).value(), seen.back());
  const PlayerId present = player("a");
  ASSERT_TRUE(index_->erase(board(), {&present, 1}));
  expect_new();
  load(board(), {offer("b", 1)});
  expect_new();
  must(index_->drop(board()));
  apply(board(), {offer("b", 1)});
  expect_new();
}

TEST_P(RankIndexContract, RandomOffersAgreeWithSortingEverything) {
  SeededRandom random(20'261'012);
  for (const auto rule : {leaderboards::Rule::best, leaderboards::Rule::least, leaderboards::Rule::latest}) {
    for (const Order order : {Order::descending, Order::ascending}) {
      const Board of = board(rule, order);
      ModelBoard model(of);
      for (int step = 0; step < 60; ++step) {
        std::vector<Offer> offers;
        for (std::uint64_t i = 0; i < 1 + random.below(20); ++i) {
          offers.push_back(offer("p" + std::to_string(random.below(120)), static_cast<std::int64_t>(random.below(30)),
                                 static_cast<std::int64_t>(random.below(5))));
        }
        for (const Offer& each : offers) {
          model.add(each.player.text(), each.standing.points, each.standing.achieved_at);
        }
        const auto applied = apply(of, offers);
        const auto expected = model.entries();
        ASSERT_EQ(all(of), expected);
        for (std::size_t i = 0; i < offers.size(); ++i) {
          const auto& entry = expected.at(*applied[i].rank - 1);
          EXPECT_EQ(entry.player, offers[i].player);
        }
        const PlayerId someone = player("p" + std::to_string(random.below(120)));
        if (random.below(3) == 0) {
          EXPECT_EQ(index_->erase(of, {&someone, 1}).value(), model.standing(someone.text()) ? 1U : 0U);
          model.erase(someone.text());
          ASSERT_EQ(all(of), model.entries());
        }
      }
      must(index_->drop(of));
    }
  }
}

}  // namespace scoreline::test
