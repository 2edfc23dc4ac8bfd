#include "leaderboards/definition.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/time_zone.h"
#include "leaderboards/criteria.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/season_schedule.h"

namespace scoreline::leaderboards {
namespace {

template <typename Word>
struct Named {
  std::string_view text;
  Word word;
};

constexpr std::array kRules = {Named<Rule>{"best", Rule::best}, Named<Rule>{"least", Rule::least},
                               Named<Rule>{"sum", Rule::sum}, Named<Rule>{"latest", Rule::latest}};
constexpr std::array kOrders = {Named<Order>{"desc", Order::descending}, Named<Order>{"asc", Order::ascending}};
constexpr std::array kTies = {Named<Ties>{"first", Ties::first}, Named<Ties>{"last", Ties::last},
                              Named<Ties>{"shared", Ties::shared}, Named<Ties>{"dense", Ties::dense}};
constexpr std::array kKeys = {Named<KeyKind>{"wide", KeyKind::wide}, Named<KeyKind>{"packed", KeyKind::packed}};

template <typename Word, std::size_t N>
std::string_view name_of(const std::array<Named<Word>, N>& words, Word word) {
  for (const auto& named : words) {
    if (named.word == word) return named.text;
  }
  return {};
}

template <typename Word, std::size_t N>
Result<Word> word_of(const std::array<Named<Word>, N>& words, std::string_view text, std::string field) {
  std::string expected;
  for (const auto& named : words) {
    if (named.text == text) return named.word;
    if (!expected.empty()) expected += ", ";
    expected += named.text;
  }
  return fail(Code::invalid, "must be one of " + expected, std::move(field));
}

Result<void> validate(const PeriodRules& rules) {
  if (const auto zone = TimeZone::find(rules.time_zone); !zone) {
    return fail(zone.error().code, zone.error().detail, "timeZone");
  }
  if (rules.keep_days < 1 || rules.keep_days > kMaxKeepDays) return fail(Code::invalid, "must be 1..366", "keepDays");
  if (rules.keep_weeks < 1 || rules.keep_weeks > kMaxKeepWeeks) {
    return fail(Code::invalid, "must be 1..104", "keepWeeks");
  }
  return {};
}

}  // namespace

Result<void> validate(const Definition& definition) {
  const auto invalid = [](std::string detail, std::string field) {
    return fail(Code::invalid, std::move(detail), std::move(field));
  };
  if (definition.scale < 0 || definition.scale > kMaxScale) return invalid("must be 0..9", "scale");
  if (definition.min_points > definition.max_points) return invalid("must not be above maxPoints", "minPoints");
  if (definition.key == KeyKind::packed && (definition.min_points < 0 || definition.min_points > kMaxPackedPoints)) {
    return invalid("must be 0.." + format_scaled(kMaxPackedPoints, definition.scale) + " with packed keys",
                   "minPoints");
  }
  if (definition.grace.count() < 0 || definition.grace > kMaxGrace) return invalid("must be 0..366 days", "grace");
  if (definition.top < 1 || definition.top > static_cast<int>(kMaxEntries)) return invalid("must be 1..1000", "top");
  if (const auto valid = validate_criteria(definition); !valid) return valid;
  if (const auto valid = validate(definition.periods); !valid) return valid;
  return validate(definition.schedule);
}

std::int64_t most_points(const Definition& definition) {
  if (definition.key == KeyKind::wide) return definition.max_points;
  return std::min(definition.max_points, kMaxPackedPoints);
}

Result<void> can_change(const Definition& from, const Definition& to) {
  const auto refuse = [](std::string field, std::string_view why) {
    return fail(Code::conflict, field + " cannot change while the leaderboard has results: " + std::string(why), field);
  };
  if (from.rule != to.rule) return refuse("rule", "the standings were made by it");
  if (from.order != to.order) return refuse("order", "the boards are sorted by it");
  if (from.scale != to.scale) return refuse("scale", "the points are kept in its units");
  if (from.ties != to.ties) return refuse("ties", "the boards are sorted by it");
  if (from.key != to.key) return refuse("key", "the boards are sorted by it");
  if (from.min_points != to.min_points) return refuse("minPoints", "results were taken by it");
  if (from.max_points != to.max_points) return refuse("maxPoints", "results were taken by it");
  if (from.criteria != to.criteria) return refuse("criteria", "the boards are sorted by them");
  const PeriodRules &before = from.periods, &after = to.periods;
  if (before.days != after.days || before.weeks != after.weeks) return refuse("periods", "the boards were made by it");
  const bool has_boards = before.days || before.weeks;
  if (has_boards && before.time_zone != after.time_zone) return refuse("timeZone", "the boards were made by it");
  if (before.weeks && before.week_start != after.week_start) return refuse("weekStart", "the boards were made by it");
  return {};
}

Result<void> add_period(PeriodRules& rules, std::string_view word) {
  if (word != "day" && word != "week") return fail(Code::invalid, "must hold only day and week", "periods");
  bool& has = word == "day" ? rules.days : rules.weeks;
  if (has) return fail(Code::invalid, "must hold " + std::string(word) + " once", "periods");
  has = true;
  return {};
}

std::string_view to_string(Rule rule) { return name_of(kRules, rule); }
std::string_view to_string(Order order) { return name_of(kOrders, order); }
std::string_view to_string(Ties ties) { return name_of(kTies, ties); }
std::string_view to_string(KeyKind key) { return name_of(kKeys, key); }

Result<Rule> parse_rule(std::string_view text) { return word_of(kRules, text, "rule"); }
Result<Order> parse_order(std::string_view text) { return word_of(kOrders, text, "order"); }
Result<Ties> parse_ties(std::string_view text) { return word_of(kTies, text, "ties"); }
Result<KeyKind> parse_key(std::string_view text) { return word_of(kKeys, text, "key"); }

std::string_view to_string(SeasonState state) {
  switch (state) {
    case SeasonState::open: return "open";
    case SeasonState::closing: return "closing";
    case SeasonState::closed: return "closed";
  }
  return {};
}

SeasonState state_at(const Season& season, Timestamp now) {
  if (season.state == SeasonState::open && season.end && *season.end <= now) return SeasonState::closing;
  return season.state;
}

bool is_due(const Definition& definition, const Season& season, Timestamp now) {
  return season.state == SeasonState::open && season.end && now.ms - season.end->ms >= definition.grace.count();
}

Result<void> validate(const Definition& definition, const Season& season) {
  const auto in_range = [](Timestamp at) { return at >= kMinTimestamp && at <= kMaxTimestamp; };
  for (const auto& [at, field] : {std::pair{season.start, "start"}, std::pair{season.end, "end"}}) {
    if (at && !in_range(*at)) {
      return fail(Code::invalid, "must be between 1600-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z", field);
    }
  }
  if (season.end && season.start && *season.end <= *season.start) {
    return fail(Code::invalid, "must be after the start", "end");
  }
  if (definition.key == KeyKind::packed && !season.start) {
    return fail(Code::invalid, "is needed with packed keys: they count seconds from it", "start");
  }
  return {};
}

Board board_of(const Definition& definition, const Season& season) {
  Board board{BoardId{definition.name, season.id}, definition.rule, definition.order, definition.ties, definition.key,
              season.start.value_or(Timestamp{})};
  board.extra_bits = criteria_bits(definition);
  if (board.has_criteria()) {
    board.least_points = definition.min_points;
    board.points_bits = points_bits(definition);
  }
  return board;
}

}  // namespace scoreline::leaderboards
