// What every rank index must do about order: ties, criteria, and the reads by points, by rank and backwards.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "contract/rank_index/rank_index_contract.h"

namespace scoreline::test {

class RankIndexOrderContract : public RankIndexContract {
 protected:
  using By = leaderboards::By;
  using KeyKind = leaderboards::KeyKind;
  using Rule = leaderboards::Rule;
  using Ties = leaderboards::Ties;

  static Board with(Ties ties, Order order = Order::descending, KeyKind key = KeyKind::wide) {
    Board made = board(Rule::best, order);
    made.ties = ties;
    made.key = key;
    return made;
  }
  /// Points 0..2^20-1 and criteria of 60 bits: all 128 bits of a key.
  static Board with_criteria(Ties ties, Order order = Order::descending, Rule rule = Rule::best) {
    Board made = with(ties, order);
    made.rule = rule;
    made.least_points = 0;
    made.points_bits = 20;
    made.extra_bits = 60;
    return made;
  }
  std::vector<std::uint64_t> ranks(const std::vector<Entry>& of) {
    std::vector<std::uint64_t> numbers;
    for (const Entry& entry : of) numbers.push_back(entry.rank);
    return numbers;
  }
  static Offer offer_with(std::string id, std::int64_t points, std::uint64_t extra, std::int64_t ms = 0) {
    return {player(std::move(id)), {points, Timestamp{ms}, extra}};
  }

  /// Every read against the board as the model has it.
  void expect_same(const Board& of, const ModelBoard& model, SeededRandom& random) {
    const auto expected = model.entries();
    ASSERT_EQ(all(of), expected);
    if (expected.empty()) return;
    const bool down = of.order == Order::descending;
    const auto is_above = [&](std::int64_t a, std::int64_t b) { return down ? a > b : a < b; };
    const auto pick = random.below(expected.size());
    const Entry& entry = expected[pick];

    const auto place = index_->place_of(of, entry.player).value();
    ASSERT_TRUE(place);
    EXPECT_EQ(place->entry, entry);
    std::uint64_t above = 0;
    while (expected[above].rank != entry.rank) ++above;
    EXPECT_EQ(place->above, above);

    const auto friends = index_->ranks_of(of, std::vector<PlayerId>{entry.player, player("nobody")}).value();
    EXPECT_EQ(friends[0], entry);
    EXPECT_EQ(friends[1], std::nullopt);

    const auto around = index_->around(of, entry.player, 2).value();
    const std::size_t first = pick - std::min<std::size_t>(pick, 2);
    EXPECT_EQ(around.first_position, first + 1);
    EXPECT_EQ(around.entries,
              std::vector<Entry>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                 expected.begin() + static_cast<std::ptrdiff_t>(std::min(pick + 3, expected.size()))));

    const auto at = expected.begin() + static_cast<std::ptrdiff_t>(pick);
    const auto before = index_->range_before(of, entry.player, entry.standing, 3).value();
    EXPECT_EQ(before.entries, std::vector<Entry>(at - std::min<std::ptrdiff_t>(3, at - expected.begin()), at));
    const auto after = index_->range_after(of, entry.player, entry.standing, 3).value();
    EXPECT_EQ(after.entries, std::vector<Entry>(at + 1, at + 1 + std::min<std::ptrdiff_t>(3, expected.end() - at - 1)));

    const std::vector<std::int64_t> points = {entry.standing.points, entry.standing.points + 1,
                                              entry.standing.points - 1, std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min()};
    const auto counts = index_->counts_above(of, points).value();
    EXPECT_EQ(counts.players, expected.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto better = std::count_if(expected.begin(), expected.end(),
                                        [&](const Entry& e) { return is_above(e.standing.points, points[i]); });
      EXPECT_EQ(counts.above.at(i), static_cast<std::uint64_t>(better)) << points[i];
    }

    const std::int64_t low = entry.standing.points;
    const std::int64_t high = low + static_cast<std::int64_t>(random.below(5));
    std::vector<Entry> within;
    std::copy_if(expected.begin(), expected.end(), std::back_inserter(within),
                 [&](const Entry& e) { return e.standing.points >= low && e.standing.points <= high; });
    const auto found = index_->range_by_points(of, {low, high}, 1'000).value();
    EXPECT_EQ(found.count, within.size());
    EXPECT_EQ(found.page.entries, within);
    EXPECT_EQ(index_->range_by_points(of, {low, high}, 1).value().page.entries, std::vector<Entry>{within.front()});

    const std::vector<std::uint64_t> numbers = {pick + 1, 1, expected.size(), expected.size() + 1};
    for (const By by : {By::position, By::rank}) {
      const auto there = index_->entries_at(of, numbers, by).value();
      EXPECT_EQ(there.players, expected.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::optional<Entry> right;
        if (numbers[i] <= expected.size()) right = expected[numbers[i] - 1];
        if (by == By::rank && of.ties == Ties::dense) {
          const auto of_rank =
              std::find_if(expected.begin(), expected.end(), [&](const Entry& e) { return e.rank == numbers[i]; });
          right = of_rank == expected.end() ? std::nullopt : std::optional(*of_rank);
        }
        EXPECT_EQ(there.entries.at(i), right) << numbers[i];
      }
    }
  }

  /// Offers, erasures, loads and a drop, each step held to the model.
  void work_at_random(const Board& of, SeededRandom& random, std::int64_t base, int steps) {
    ModelBoard model(of);
    const auto some_offer = [&] {
      const std::uint64_t extra = of.has_criteria() ? random.below(3) << (random.below(2) * 40) : 0;
      return offer_with("p" + std::to_string(random.below(40)), base + static_cast<std::int64_t>(random.below(9)),
                        extra, static_cast<std::int64_t>(random.below(5)) * 1'000);
    };
    const auto add = [&](const Offer& each) {
      model.add(each.player.text(), each.standing.points, each.standing.achieved_at, each.standing.extra);
    };
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const auto before = model.entries();
      std::vector<Offer> offers;
      for (std::uint64_t i = 0; i < 1 + random.below(12); ++i) offers.push_back(some_offer());
      if (random.below(8) == 0) {
        load(of, {});
        model = ModelBoard(of);
        std::map<std::string, Offer> one_each;
        for (const Offer& each : offers) one_each.insert_or_assign(each.player.text(), each);
        std::vector<Offer> loaded;
        for (const auto& [name, each] : one_each) loaded.push_back(each);
        load(of, loaded);
        for (const Offer& each : loaded) add(each);
      } else {
        const auto applied = apply(of, offers);
        for (const Offer& each : offers) add(each);
        const auto now = model.entries();
        const auto rank_in = [](const std::vector<Entry>& entries, const PlayerId& who) {
          const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.player == who; });
          return at == entries.end() ? std::nullopt : std::optional(at->rank);
        };
        for (std::size_t i = 0; i < offers.size(); ++i) {
          EXPECT_EQ(applied[i].rank, rank_in(now, offers[i].player));
          EXPECT_EQ(applied[i].previous_rank, rank_in(before, offers[i].player));
        }
      }
      if (random.below(3) == 0) {
        const PlayerId gone = player("p" + std::to_string(random.below(40)));
        ASSERT_TRUE(index_->erase(of, {&gone, 1}));
        model.erase(gone.text());
      }
      expect_same(of, model, random);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    must(index_->drop(of));
  }
};

TEST_P(RankIndexOrderContract, EqualsShareARankAndSoManyAreLeftOut) {
  const Board shared = with(Ties::shared);
  const auto applied = apply(shared, {offer("a", 9, 1), offer("b", 7, 2), offer("c", 7, 1), offer("d", 5)});
  EXPECT_THAT(names(all(shared)), testing::ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(ranks(all(shared)), testing::ElementsAre(1, 2, 2, 4));
  EXPECT_EQ(applied[1].rank, 2U);
  EXPECT_THAT(ranks(entries(index_->range(shared, 3, 2))), testing::ElementsAre(2, 4));
}

TEST_P(RankIndexOrderContract, DenseRanksLeaveNoneOutAndCloseUpWhenTheLastOfAValueGoes) {
  const Board dense = with(Ties::dense);
  apply(dense, {offer("a", 9), offer("b", 7), offer("c", 7), offer("d", 5)});
  EXPECT_THAT(ranks(all(dense)), testing::ElementsAre(1, 2, 2, 3));
  const auto behind = index_->place_of(dense, player("d")).value();
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->entry.rank, 3U);
  EXPECT_EQ(behind->above, 3U);
  const auto moved = apply(dense, {offer("b", 9), offer("c", 9)});
  EXPECT_EQ(moved[0].previous_rank, 2U);
  EXPECT_EQ(moved[0].rank, 1U);
  EXPECT_THAT(ranks(all(dense)), testing::ElementsAre(1, 1, 1, 2));
  const PlayerId last = player("d");
  ASSERT_EQ(index_->erase(dense, {&last, 1}).value(), 1U);
  EXPECT_THAT(ranks(all(dense)), testing::ElementsAre(1, 1, 1));
}

// C05
TEST_P(RankIndexOrderContract, DenseRanksOfNoPointsAreRanksToo) {
  const Board dense = with(Ties::dense);
  apply(dense, {offer("a", 0), offer("b", 0)});
  EXPECT_THAT(ranks(all(dense)), testing::ElementsAre(1, 1));
}

TEST_P(RankIndexOrderContract, AWorseResultNeverLeavesHalfItsCriteriaBehind) {
  const Board of = with_criteria(Ties::first);
  apply(of, {offer_with("a", 100, 7, 5)});
  EXPECT_FALSE(apply(of, {offer_with("a", 99, 9'000, 1)}).front().changed);
  EXPECT_FALSE(apply(of, {offer_with("a", 100, 6, 1)}).front().changed);
  EXPECT_EQ(all(of).front().standing, (Standing{100, Timestamp{5}, 7}));
  EXPECT_TRUE(apply(of, {offer_with("a", 100, 8, 9)}).front().changed);
  EXPECT_EQ(all(of).front().standing, (Standing{100, Timestamp{9}, 8}));
  EXPECT_TRUE(apply(of, {offer_with("a", 101, 0, 10)}).front().changed);
  EXPECT_EQ(all(of).front().standing, (Standing{101, Timestamp{10}, 0}));
}

TEST_P(RankIndexOrderContract, CriteriaBeyondTheirBitsChangeNothing) {
  const Board of = with_criteria(Ties::first);
  const std::vector<Offer> offers = {offer_with("a", 1, std::uint64_t{1} << 60)};
  const auto applied = index_->apply(of, offers, Ranks::skip);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().field, "criteria");
}

TEST_P(RankIndexOrderContract, EveryReadAgreesWithSortingEverything) {
  SeededRandom random(20'261'203);
  for (const Ties ties : {Ties::first, Ties::last, Ties::shared, Ties::dense}) {
    for (const Order order : {Order::descending, Order::ascending}) {
      for (const KeyKind key : {KeyKind::wide, KeyKind::packed}) {
        SCOPED_TRACE(std::string(to_string(ties)) + " " + std::string(to_string(order)) + " " +
                     std::string(to_string(key)));
        work_at_random(with(ties, order, key), random, 0, 25);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(RankIndexOrderContract, PointsThatNoDoubleHoldsAreReadExactlyToo) {
  SeededRandom random(20'261'204);
  for (const Ties ties : {Ties::first, Ties::shared, Ties::dense}) {
    for (const Order order : {Order::descending, Order::ascending}) {
      for (const std::int64_t base :
           {(std::int64_t{1} << 53) - 4, -(std::int64_t{1} << 53) - 4, std::numeric_limits<std::int64_t>::max() - 20}) {
        SCOPED_TRACE(std::string(to_string(ties)) + " " + std::to_string(base));
        work_at_random(with(ties, order), random, base, 12);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(RankIndexOrderContract, CriteriaAgreeWithSortingEverything) {
  SeededRandom random(20'261'205);
  for (const Rule rule : {Rule::best, Rule::least, Rule::latest}) {
    for (const Ties ties : {Ties::first, Ties::last, Ties::shared, Ties::dense}) {
      for (const Order order : {Order::descending, Order::ascending}) {
        SCOPED_TRACE(std::string(to_string(rule)) + " " + std::string(to_string(ties)) + " " +
                     std::string(to_string(order)));
        work_at_random(with_criteria(ties, order, rule), random, 1'048'565, 12);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace scoreline::test
