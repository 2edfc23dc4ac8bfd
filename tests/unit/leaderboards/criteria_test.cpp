#include "leaderboards/criteria.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/rules.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Points, win rate, fewer matches.
Definition arena() {
  Definition definition = test::with_rule("arena", Rule::best);
  definition.min_points = 0;
  definition.max_points = 1'000'000;
  definition.criteria = {{"winRate", Order::descending, 2, 0, 10'000}, {"matches", Order::ascending, 0, 1, 5'000}};
  return definition;
}

CriterionValue value(std::string name, std::string text) { return {std::move(name), parse_decimal(text).value()}; }

std::uint64_t packed(const Definition& definition, const std::string& win_rate, const std::string& matches) {
  return pack_criteria(definition, std::vector{value("winRate", win_rate), value("matches", matches)}).value();
}

TEST(Criteria, AreOneNumberInTheOrderOfThePoints) {
  const Definition definition = arena();
  EXPECT_EQ(points_bits(definition), 20);
  EXPECT_EQ(criteria_bits(definition), 14 + 13);
  EXPECT_EQ(packed(definition, "0", "5000"), 0u);
  EXPECT_EQ(packed(definition, "0", "4999"), 1u);
  EXPECT_EQ(packed(definition, "61.5", "40"), (std::uint64_t{6'150} << 13) + 4'960);
  EXPECT_EQ(pack_criteria(definition, std::vector{value("matches", "40"), value("winRate", "61.5")}).value(),
            packed(definition, "61.5", "40"));
  std::string json, columns, fields;
  append_criteria(json, definition, packed(definition, "61.5", "40"));
  EXPECT_EQ(json, R"({"winRate":61.5,"matches":40})");
  append_criteria_columns(columns, definition);
  EXPECT_EQ(columns, ",criteria.winRate,criteria.matches");
  append_criteria_fields(fields, definition, packed(definition, "100", "1"));
  EXPECT_EQ(fields, ",100,1");
}

TEST(Criteria, OfAnAscendingBoardCountTheOtherWay) {
  Definition definition = arena();
  definition.order = Order::ascending;
  EXPECT_EQ(packed(definition, "100", "1"), 0u);
  EXPECT_EQ(packed(definition, "99.99", "1"), std::uint64_t{1} << 13);
  EXPECT_EQ(unpack_criteria(definition, packed(definition, "61.5", "40")), (CriteriaValues{6'150, 40, 0}));
}

TEST(Criteria, ThereAreNoneOnMostLeaderboards) {
  const Definition definition = test::with_rule("main", Rule::best);
  EXPECT_EQ(criteria_bits(definition), 0);
  EXPECT_EQ(pack_criteria(definition, {}).value(), 0u);
  EXPECT_FALSE(board_of(definition, {{1}, std::nullopt, std::nullopt}).has_criteria());
  EXPECT_EQ(pack_criteria(definition, std::vector{value("winRate", "1")}).error().field, "criteria");
}

TEST(Criteria, BadValuesAreNamedWithWhatWouldBeRight) {
  struct Bad {
    std::vector<CriterionValue> values;
    std::string field;
    std::string detail;
  };
  const Bad bad[] = {
      {{}, "criteria.winRate", "is missing: a number of 0..100"},
      {{value("winRate", "50")}, "criteria.matches", "is missing: a number of 1..5000"},
      {{value("winRate", "50"), value("matches", "0")}, "criteria.matches", "must be 1..5000"},
      {{value("winRate", "100.01"), value("matches", "1")}, "criteria.winRate", "must be 0..100"},
      {{value("winRate", "-0.01"), value("matches", "1")}, "criteria.winRate", "must be 0..100"},
      {{value("winRate", "1.001"), value("matches", "1")},
       "criteria.winRate",
       "must have at most 2 digits after the point"},
      {{value("winRate", "1"), value("matches", "1.5")}, "criteria.matches", "must be a whole number"},
      {{value("winRate", "1"), value("matches", "1"), value("kills", "1")},
       "criteria.kills",
       "is no criterion of this leaderboard; there are winRate, matches"},
      {{value("winRate", "1"), value("matches", "1"), value("winRate", "1")}, "criteria.winRate", "is given twice"},
  };
  for (const Bad& each : bad) {
    const auto packed = pack_criteria(arena(), each.values);
    ASSERT_FALSE(packed) << each.field;
    EXPECT_EQ(packed.error().code, Code::invalid);
    EXPECT_EQ(packed.error().field, each.field);
    EXPECT_EQ(packed.error().detail, each.detail);
  }
}

TEST(Criteria, BadDefinitionsAreNamed) {
  struct Bad {
    void (*spoil)(Definition&);
    std::string field;
  };
  const Bad bad[] = {
      {[](Definition& d) { d.rule = Rule::sum; }, "criteria"},
      {[](Definition& d) { d.key = KeyKind::packed; }, "criteria"},
      {[](Definition& d) {
         d.criteria.resize(4, {"x", Order::descending, 0, 0, 1});
       },
       "criteria"},
      {[](Definition& d) { d.criteria[0].name = "points"; }, "criteria[1].name"},
      {[](Definition& d) { d.criteria[0].name.clear(); }, "criteria[1].name"},
      {[](Definition& d) { d.criteria[0].name = "win rate"; }, "criteria[1].name"},
      {[](Definition& d) { d.criteria[0].name = "1st"; }, "criteria[1].name"},
      {[](Definition& d) { d.criteria[0].name = std::string(33, 'a'); }, "criteria[1].name"},
      {[](Definition& d) { d.criteria[1].name = "winRate"; }, "criteria[2].name"},
      {[](Definition& d) { d.criteria[1].scale = 10; }, "criteria[2].scale"},
      {[](Definition& d) { d.criteria[1].max = d.criteria[1].min; }, "criteria[2].max"},
      {[](Definition& d) { d.max_points = kMost; }, "criteria"},
      {[](Definition& d) {
         d.criteria[1] = {"matches", Order::ascending, 0, kLeast, kMost};
       },
       "criteria"},
  };
  ASSERT_TRUE(validate(arena()));
  for (const Bad& each : bad) {
    Definition definition = arena();
    each.spoil(definition);
    if (definition.key == KeyKind::packed) definition.max_points = 100;
    const auto valid = validate(definition);
    ASSERT_FALSE(valid) << each.field;
    EXPECT_EQ(valid.error().code, Code::invalid);
    EXPECT_EQ(valid.error().field, each.field) << valid.error().detail;
  }
}

TEST(Criteria, WhatDoesNotFitAKeyIsRefusedWithTheSum) {
  Definition definition = arena();
  definition.max_points = kMost;
  EXPECT_EQ(validate(definition).error().detail,
            "need too wide a key: 63 bits of points (0..9223372036854775807) + 14 of winRate (0..100) + 13 of matches "
            "(1..5000) + 48 of time = 138 of at most 128. Narrow a range: of the points by minPoints and maxPoints");
  definition.max_points = (std::int64_t{1} << 53) - 1;
  EXPECT_TRUE(validate(definition));  // 53 + 27 + 48 = 128
  definition.max_points += 1;
  EXPECT_FALSE(validate(definition));
  definition = arena();
  definition.max_points = 1;
  definition.criteria = {{"whole", Order::ascending, 0, kLeast, kMost}};
  EXPECT_TRUE(validate(definition));  // 64 bits after the points, the most there can be
  definition.criteria.push_back({"one", Order::ascending, 0, 0, 1});
  EXPECT_EQ(validate(definition).error().field, "criteria");
}

TEST(Criteria, AreWrittenWithThePointsFirst) {
  Definition definition = test::with_rule("arena", Rule::best);
  const auto set = [&](const WrittenCriterion& points, const std::vector<WrittenCriterion>& list) {
    definition = test::with_rule("arena", Rule::best);
    return set_criteria(definition, points, list);
  };
  const auto number = [](const char* text) { return parse_decimal(text).value(); };
  const WrittenCriterion win_rate{"winRate", {}, 2, {}, number("100")};
  ASSERT_TRUE(set({"points"}, {{"points", Order::ascending, 1, number("-5"), number("99.5")}, win_rate}));
  EXPECT_EQ(definition.order, Order::ascending);
  EXPECT_EQ(definition.scale, 1);
  EXPECT_EQ(definition.min_points, -50);
  EXPECT_EQ(definition.max_points, 995);
  EXPECT_EQ(definition.criteria, (std::vector<Criterion>{{"winRate", Order::descending, 2, 0, 10'000}}));
  ASSERT_TRUE(set({"points", {}, {}, {}, number("7")}, {{"points"}}));
  EXPECT_EQ(definition.max_points, 7);
  EXPECT_TRUE(definition.criteria.empty());

  EXPECT_EQ(set({"points"}, {win_rate}).error().field, "criteria[0].name");
  EXPECT_EQ(set({"points", Order::descending}, {{"points", Order::ascending}}).error().field, "criteria[0].order");
  EXPECT_EQ(set({"points", {}, {}, {}, number("7")}, {{"points", {}, {}, {}, number("8")}}).error().field,
            "criteria[0].max");
  EXPECT_EQ(set({"points"}, {{"points"}, {"winRate"}}).error().field, "criteria[1].max");
  EXPECT_EQ(set({"points"}, {{"points"}, {"winRate", {}, 0, {}, number("0.5")}}).error().field, "criteria[1].max");
  EXPECT_EQ(set({"points"}, {{"points"}, {"winRate", {}, 10, {}, number("5")}}).error().field, "criteria[1].scale");
  EXPECT_EQ(set({"points"}, std::vector<WrittenCriterion>(5, {"points"})).error().field, "criteria");
}

/// Any definition that fits, with ranges from one bit to dozens and ends anywhere.
Definition random_definition(Random& random) {
  Definition definition = test::with_rule("any", random.below(2) == 0 ? Rule::best : Rule::least);
  definition.order = random.below(2) == 0 ? Order::descending : Order::ascending;
  definition.min_points = static_cast<std::int64_t>(random.below(2'000)) - 1'000;
  definition.max_points = definition.min_points + static_cast<std::int64_t>(random.below(1 << 14));
  const std::size_t count = 1 + random.below(kMaxCriteria - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto width = static_cast<std::int64_t>(1 + random.below(std::uint64_t{1} << (1 + random.below(60 / count))));
    const std::int64_t min =
        random.below(3) == 0 ? kLeast : static_cast<std::int64_t>(random.bits() >> 2) - (kMost / 2);
    definition.criteria.push_back({std::string(1, static_cast<char>('a' + i)),
                                   random.below(2) == 0 ? Order::descending : Order::ascending, 0, min, min + width});
  }
  return definition;
}

/// A value of the range, mostly one of a few, so that there are equals.
std::int64_t random_value(Random& random, std::int64_t min, std::int64_t max) {
  const auto width = static_cast<std::uint64_t>(max - min);
  switch (random.below(4)) {
    case 0: return min;
    case 1: return max;
    case 2: return min + static_cast<std::int64_t>(width / 2);
    default: return min + static_cast<std::int64_t>(random.below(width + 1));
  }
}

struct Row {
  std::int64_t points;
  CriteriaValues values;
  std::int64_t ms;
};

TEST(Criteria, SortedByTheKeyIsSortedByEachInTurn) {
  SeededRandom random(20'261'203);
  for (int round = 0; round < 200; ++round) {
    const Definition definition = random_definition(random);
    ASSERT_TRUE(validate(definition)) << validate(definition).error().detail;
    const Board board = board_of(definition, {{1}, std::nullopt, std::nullopt});
    const RankKeyCodec codec(board);
    std::vector<std::pair<ordered::RankKey, Row>> rows;
    for (int i = 0; i < 50; ++i) {
      Row row{random_value(random, definition.min_points, definition.max_points), {}, 0};
      row.ms = static_cast<std::int64_t>(random.below(3)) * 1'000;
      std::vector<CriterionValue> values;
      for (std::size_t c = 0; c < definition.criteria.size(); ++c) {
        const Criterion& criterion = definition.criteria[c];
        row.values[c] = random_value(random, criterion.min, criterion.max);
        values.push_back({criterion.name, decimal_from(row.values[c])});
      }
      const auto extra = pack_criteria(definition, values);
      ASSERT_TRUE(extra) << extra.error().detail;
      EXPECT_EQ(unpack_criteria(definition, *extra), row.values);
      const Standing standing{row.points, Timestamp{row.ms}, *extra};
      const auto key = codec.encode(standing);
      ASSERT_TRUE(key) << key.error().detail;
      EXPECT_EQ(codec.decode(*key), standing);
      rows.emplace_back(*key, row);
    }
    const bool descending = definition.order == Order::descending;
    std::ranges::stable_sort(
        rows, [&](const auto& a, const auto& b) { return descending ? b.first < a.first : a.first < b.first; });
    const auto ranks_above = [&](const Row& a, const Row& b) {
      if (a.points != b.points) return (a.points > b.points) == descending;
      for (std::size_t c = 0; c < definition.criteria.size(); ++c) {
        if (a.values[c] == b.values[c]) continue;
        return (a.values[c] > b.values[c]) == (definition.criteria[c].order == Order::descending);
      }
      return a.ms < b.ms;
    };
    EXPECT_TRUE(
        std::ranges::is_sorted(rows, [&](const auto& a, const auto& b) { return ranks_above(a.second, b.second); }))
        << "round " << round;
  }
}

}  // namespace
}  // namespace scoreline::leaderboards
