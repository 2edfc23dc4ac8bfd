#include "leaderboards/definition.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

Definition plain() { return test::with_rule("speed", Rule::best); }

TEST(DefinitionTest, DefaultsAreTheDocumentedOnes) {
  const Definition definition = plain();
  EXPECT_TRUE(validate(definition));
  EXPECT_EQ(definition.rule, Rule::best);
  EXPECT_EQ(definition.order, Order::descending);
  EXPECT_EQ(definition.scale, 0);
  EXPECT_EQ(definition.ties, Ties::first);
  EXPECT_EQ(definition.key, KeyKind::wide);
  EXPECT_EQ(definition.min_points, 0);
  EXPECT_EQ(definition.max_points, INT64_MAX);
  EXPECT_EQ(definition.grace, std::chrono::minutes{10});
  EXPECT_EQ(definition.top, 100);
}

TEST(DefinitionTest, LeastIsReadUpwardsUnlessSaidOtherwise) {
  EXPECT_EQ(default_order(Rule::least), Order::ascending);
  EXPECT_EQ(default_order(Rule::best), Order::descending);
  EXPECT_EQ(default_order(Rule::sum), Order::descending);
  EXPECT_EQ(default_order(Rule::latest), Order::descending);
}

TEST(DefinitionTest, EveryValueOutOfRangeNamesItsField) {
  using Change = std::function<void(Definition&)>;
  const std::vector<std::pair<std::string, Change>> bad = {
      {"scale", [](Definition& d) { d.scale = -1; }},
      {"scale", [](Definition& d) { d.scale = 10; }},
      {"minPoints", [](Definition& d) { d.min_points = 2, d.max_points = 1; }},
      {"minPoints", [](Definition& d) { d.min_points = -1, d.key = KeyKind::packed; }},
      {"minPoints", [](Definition& d) { d.min_points = 2'097'152, d.key = KeyKind::packed; }},
      {"grace", [](Definition& d) { d.grace = std::chrono::milliseconds{-1}; }},
      {"grace", [](Definition& d) { d.grace = kMaxGrace + std::chrono::milliseconds{1}; }},
      {"top", [](Definition& d) { d.top = 0; }},
      {"top", [](Definition& d) { d.top = 1001; }},
      {"timeZone", [](Definition& d) { d.periods.time_zone = "Europe/Atlantis"; }},
      {"keepDays", [](Definition& d) { d.periods.keep_days = 0; }},
      {"keepDays", [](Definition& d) { d.periods.keep_days = 367; }},
      {"keepWeeks", [](Definition& d) { d.periods.keep_weeks = 0; }},
      {"keepWeeks", [](Definition& d) { d.periods.keep_weeks = 105; }},
      {"seasonCron", [](Definition& d) { d.schedule.cron = "nonsense"; }},
  };
  for (const auto& [field, change] : bad) {
    Definition definition = plain();
    change(definition);
    const auto valid = validate(definition);
    ASSERT_FALSE(valid) << field;
    EXPECT_EQ(valid.error().code, Code::invalid);
    EXPECT_EQ(valid.error().field, field);
  }
}

TEST(DefinitionTest, OnlyTopAndGraceChangeUnderResults) {
  using Change = std::function<void(Definition&)>;
  const std::vector<std::pair<std::string, Change>> refused = {
      {"rule", [](Definition& d) { d.rule = Rule::sum; }},
      {"order", [](Definition& d) { d.order = Order::ascending; }},
      {"scale", [](Definition& d) { d.scale = 2; }},
      {"ties", [](Definition& d) { d.ties = Ties::last; }},
      {"key", [](Definition& d) { d.key = KeyKind::packed; }},
      {"minPoints", [](Definition& d) { d.min_points = -5; }},
      {"maxPoints", [](Definition& d) { d.max_points = 5; }},
      {"periods", [](Definition& d) { d.periods.days = true; }},
      {"periods", [](Definition& d) { d.periods.weeks = true; }},
  };
  for (const auto& [field, change] : refused) {
    Definition to = plain();
    change(to);
    const auto allowed = can_change(plain(), to);
    ASSERT_FALSE(allowed) << field;
    EXPECT_EQ(allowed.error().code, Code::conflict);
    EXPECT_EQ(allowed.error().field, field);
  }
  Definition to = plain();
  to.top = 10;
  to.grace = std::chrono::minutes{1};
  to.schedule.cron = "@daily";
  to.periods.time_zone = "Europe/Berlin";  // without boards of days and weeks it moves none
  to.periods.week_start = Weekday::sunday;
  EXPECT_TRUE(can_change(plain(), to));
}

TEST(DefinitionTest, DaysAndWeeksStayAsTheyAreUnderResultsButForHowManyAreKept) {
  Definition from = plain();
  from.periods.days = true;
  Definition to = from;
  to.periods.week_start = Weekday::sunday;  // no boards of weeks
  to.periods.keep_days = 7;
  EXPECT_TRUE(can_change(from, to));
  to.periods.time_zone = "Europe/Berlin";
  EXPECT_EQ(can_change(from, to).error().field, "timeZone");
  from.periods.weeks = true;
  to = from;
  to.periods.keep_weeks = 1;
  EXPECT_TRUE(can_change(from, to));
  to.periods.week_start = Weekday::sunday;
  EXPECT_EQ(can_change(from, to).error().field, "weekStart");
  to = from;
  to.periods.days = false;
  EXPECT_EQ(can_change(from, to).error().field, "periods");
}

TEST(DefinitionTest, WordsReadBackAsThemselves) {
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    EXPECT_EQ(parse_rule(to_string(rule)).value(), rule);
  }
  for (const Order order : {Order::descending, Order::ascending}) {
    EXPECT_EQ(parse_order(to_string(order)).value(), order);
  }
  for (const Ties ties : {Ties::first, Ties::last, Ties::shared, Ties::dense})
    EXPECT_EQ(parse_ties(to_string(ties)).value(), ties);
  for (const KeyKind key : {KeyKind::wide, KeyKind::packed}) EXPECT_EQ(parse_key(to_string(key)).value(), key);
  EXPECT_EQ(to_string(Order::descending), "desc");
}

TEST(DefinitionTest, AnUnknownWordIsAnsweredWithTheKnownOnes) {
  const auto rule = parse_rule("highest");
  ASSERT_FALSE(rule);
  EXPECT_EQ(rule.error().field, "rule");
  EXPECT_EQ(rule.error().detail, "must be one of best, least, sum, latest");
  EXPECT_EQ(parse_order("down").error().field, "order");
  EXPECT_EQ(parse_ties("coin").error().field, "ties");
  EXPECT_EQ(parse_key("").error().field, "key");
}

TEST(SeasonTest, EndsAfterItStarts) {
  const Timestamp start = test::at("2026-10-01T00:00:00Z");
  EXPECT_TRUE(validate(plain(), Season{SeasonId{1}, start, Timestamp{start.ms + 1}}));
  EXPECT_EQ(validate(plain(), Season{SeasonId{1}, start, start}).error().field, "end");
  EXPECT_EQ(validate(plain(), Season{SeasonId{1}, Timestamp{INT64_MIN}, {}}).error().field, "start");
  EXPECT_TRUE(validate(plain(), Season{SeasonId{1}, {}, {}}));
}

TEST(SeasonTest, PackedKeysNeedAStart) {
  Definition packed = plain();
  packed.key = KeyKind::packed;
  EXPECT_EQ(validate(packed, Season{SeasonId{1}, {}, {}}).error().field, "start");
  EXPECT_TRUE(validate(packed, Season{SeasonId{1}, test::at("2026-10-01T00:00:00Z"), {}}));
}

}  // namespace
}  // namespace scoreline::leaderboards
