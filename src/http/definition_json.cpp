#include "http/definition_json.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/timestamp.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"
#include "leaderboards/criteria.h"

namespace scoreline::http {
namespace {

using leaderboards::Definition;
using leaderboards::Season;
using leaderboards::WrittenCriterion;

constexpr std::string_view kDefinitionFields =
    "name, rule, order, scale, ties, key, minPoints, maxPoints, grace, top, periods, timeZone, weekStart, keepDays, "
    "keepWeeks, seasonCron, seasonEvery, seasonFrom, criteria";
constexpr std::string_view kCriterionFields = "name, order, scale, min, max";
constexpr std::string_view kSeasonFields = "id, start, end";

Error with_field(Error error, std::string_view field) {
  error.field = std::string(field);
  return error;
}

/// A member that is a word, through one of the parsers of the leaderboards room.
template <typename Value>
std::optional<Error> read_word(JsonValue member, Result<Value> (*parse)(std::string_view), Value& target) {
  const auto text = read_string(member);
  if (!text) return text.error();
  const auto value = parse(*text);
  if (!value) return with_field(value.error(), member.key());
  target = *value;
  return std::nullopt;
}

std::optional<Error> read_small(JsonValue member, int& target) {
  const auto value = read_integer(member);
  if (!value) return value.error();
  // Out of an int's range is out of any range that validate() knows.
  target = *value < -1 || *value > 1'000'000 ? -1 : static_cast<int>(*value);
  return std::nullopt;
}

/// What is known of points and criteria when the whole object has been read: bounds wait for their scale, wherever it
/// stands.
struct Written {
  WrittenCriterion points;
  std::vector<WrittenCriterion> criteria;
};

std::optional<Error> read_bound(JsonValue member, std::optional<Decimal>& target) {
  const auto value = read_decimal(member);
  if (!value) return value.error();
  target = *value;
  return std::nullopt;
}

std::optional<Error> read_time(JsonValue member, std::optional<Timestamp>& target) {
  if (member.kind() == JsonKind::null) return std::nullopt;
  const auto value = read_timestamp(member);
  if (!value) return value.error();
  target = *value;
  return std::nullopt;
}

std::optional<Error> read_periods(JsonValue member, leaderboards::PeriodRules& rules) {
  if (member.kind() != JsonKind::array) {
    return Error{Code::invalid, "must be an array, not " + std::string(to_string(member.kind())), "periods", {}};
  }
  std::optional<Error> error;
  member.each([&](JsonValue each) {
    if (error) return;
    const auto added = leaderboards::add_period(rules, each.kind() == JsonKind::string ? each.text() : "");
    if (!added) error = added.error();
  });
  return error;
}

/// A member of the calendar: the periods, and when seasons begin.
std::optional<Error> read_calendar_member(JsonValue member, Definition& definition) {
  const std::string_view key = member.key();
  leaderboards::PeriodRules& periods = definition.periods;
  leaderboards::SeasonSchedule& schedule = definition.schedule;
  if (key == "periods") return read_periods(member, periods);
  if (key == "weekStart") return read_word(member, leaderboards::parse_week_start, periods.week_start);
  if (key == "keepDays") return read_small(member, periods.keep_days);
  if (key == "keepWeeks") return read_small(member, periods.keep_weeks);
  if (key == "seasonFrom") return read_time(member, schedule.from);
  if (key != "timeZone" && key != "seasonCron" && key != "seasonEvery") return unknown_field(key, kDefinitionFields);
  if (key != "timeZone" && member.kind() == JsonKind::null) return std::nullopt;
  if (key == "seasonEvery") return read_word(member, parse_duration, schedule.every.emplace());
  const auto text = read_string(member);
  if (!text) return text.error();
  (key == "timeZone" ? periods.time_zone : schedule.cron.emplace()) = *text;
  return std::nullopt;
}

std::optional<Error> read_criterion_member(JsonValue member, WrittenCriterion& criterion) {
  const std::string_view key = member.key();
  if (key == "order") return read_word(member, leaderboards::parse_order, criterion.order.emplace());
  if (key == "scale") return read_small(member, criterion.scale.emplace());
  if (key == "min") return read_bound(member, criterion.min);
  if (key == "max") return read_bound(member, criterion.max);
  if (key != "name") return unknown_field(key, kCriterionFields);
  const auto name = read_string(member);
  if (!name) return name.error();
  criterion.name = *name;
  return std::nullopt;
}

std::optional<Error> read_criteria(JsonValue member, std::vector<WrittenCriterion>& criteria) {
  if (member.kind() != JsonKind::array) {
    return Error{Code::invalid, "must be an array, not " + std::string(to_string(member.kind())), "criteria", {}};
  }
  if (member.size() > kMaxCriteria) {
    return Error{Code::invalid, "may be 4 at most, the points among them", "criteria", {}};
  }
  std::optional<Error> error;
  member.each([&](JsonValue each) {
    if (error) return;
    const std::string place = "criteria[" + std::to_string(criteria.size()) + "]";
    WrittenCriterion& criterion = criteria.emplace_back();
    if (each.kind() != JsonKind::object) {
      error = Error{Code::invalid, "must be an object, not " + std::string(to_string(each.kind())), place, {}};
      return;
    }
    each.each([&](JsonValue part) {
      if (error) return;
      error = read_criterion_member(part, criterion);
      if (error) error->field = place + "." + error->field;
    });
  });
  return error;
}

std::optional<Error> read_member(JsonValue member, Definition& definition, Written& written) {
  const std::string_view key = member.key();
  if (key == "rule") return read_word(member, leaderboards::parse_rule, definition.rule);
  if (key == "order") return read_word(member, leaderboards::parse_order, written.points.order.emplace());
  if (key == "ties") return read_word(member, leaderboards::parse_ties, definition.ties);
  if (key == "key") return read_word(member, leaderboards::parse_key, definition.key);
  if (key == "grace") return read_word(member, parse_duration, definition.grace);
  if (key == "scale") return read_small(member, written.points.scale.emplace());
  if (key == "top") return read_small(member, definition.top);
  if (key == "minPoints") return read_bound(member, written.points.min);
  if (key == "maxPoints") return read_bound(member, written.points.max);
  if (key == "criteria") return read_criteria(member, written.criteria);
  if (key == "name") {
    const auto name = read_string(member);
    if (!name) return name.error();
    if (*name == definition.name.text()) return std::nullopt;
    return Error{Code::invalid, "must be the name in the path", "name", {}};
  }
  return read_calendar_member(member, definition);
}

Result<JsonDocument> parse_object(std::string_view body) {
  auto document = JsonDocument::parse(body);
  if (document && document->root().kind() != JsonKind::object) {
    return fail(Code::invalid, "the body must be an object, not " + std::string(to_string(document->root().kind())));
  }
  return document;
}

void append_time(std::string& out, const std::optional<Timestamp>& at) {
  if (!at) {
    out += "null";
    return;
  }
  out += '"';
  append_timestamp(out, *at);
  out += '"';
}

void append_word(std::string& out, std::string_view key, std::string_view word) {
  out += ",\"";
  out += key;
  out += "\":\"";
  out += word;
  out += '"';
}

void append_calendar(std::string& out, const Definition& definition) {
  const leaderboards::PeriodRules& periods = definition.periods;
  out += R"(,"periods":[)";
  if (periods.days) out += R"("day")";
  if (periods.days && periods.weeks) out += ',';
  if (periods.weeks) out += R"("week")";
  out += ']';
  append_word(out, "timeZone", periods.time_zone);
  append_word(out, "weekStart", to_string(periods.week_start));
  out += R"(,"keepDays":)";
  append_number(out, periods.keep_days);
  out += R"(,"keepWeeks":)";
  append_number(out, periods.keep_weeks);
  const leaderboards::SeasonSchedule& schedule = definition.schedule;
  if (schedule.cron) append_word(out, "seasonCron", *schedule.cron);
  if (schedule.every) append_word(out, "seasonEvery", format_duration(*schedule.every));
  if (!schedule.from) return;
  out += R"(,"seasonFrom":)";
  append_time(out, schedule.from);
}

/// One of the criteria; `name` needs no escapes.
void append_criterion(std::string& out, const leaderboards::Criterion& criterion) {
  out += R"({"name":")";
  out += criterion.name;
  out += '"';
  append_word(out, "order", to_string(criterion.order));
  out += R"(,"scale":)";
  append_number(out, criterion.scale);
  out += R"(,"min":)";
  append_scaled(out, criterion.min, criterion.scale);
  out += R"(,"max":)";
  append_scaled(out, criterion.max, criterion.scale);
  out += '}';
}

/// The points among them, as they are written; nothing where they are the only one.
void append_criteria_list(std::string& out, const Definition& definition) {
  if (definition.criteria.empty()) return;
  out += R"(,"criteria":[)";
  append_criterion(out, {"points", definition.order, definition.scale, definition.min_points, definition.max_points});
  for (const leaderboards::Criterion& criterion : definition.criteria) {
    out += ',';
    append_criterion(out, criterion);
  }
  out += ']';
}

}  // namespace

Result<Definition> read_definition(std::string_view body, std::string_view name) {
  auto parsed_name = leaderboards::LeaderboardName::parse(name);
  if (!parsed_name) return fail(std::move(parsed_name.error()));
  const auto document = parse_object(body);
  if (!document) return fail(document.error());
  Definition definition{std::move(*parsed_name)};
  Written written;
  std::optional<Error> error;
  document->root().each([&](JsonValue member) {
    if (!error) error = read_member(member, definition, written);
  });
  if (error) return fail(std::move(*error));
  if (auto set = set_criteria(definition, written.points, written.criteria); !set) return fail(std::move(set.error()));
  if (auto valid = validate(definition); !valid) return fail(std::move(valid.error()));
  return definition;
}

void append_definition(std::string& out, const Definition& definition) {
  out += R"({"name":")";
  out += definition.name.text();
  out += '"';
  append_word(out, "rule", to_string(definition.rule));
  append_word(out, "order", to_string(definition.order));
  out += R"(,"scale":)";
  append_number(out, definition.scale);
  append_word(out, "ties", to_string(definition.ties));
  append_word(out, "key", to_string(definition.key));
  out += R"(,"minPoints":)";
  append_scaled(out, definition.min_points, definition.scale);
  out += R"(,"maxPoints":)";
  append_scaled(out, definition.max_points, definition.scale);
  append_word(out, "grace", format_duration(definition.grace));
  out += R"(,"top":)";
  append_number(out, definition.top);
  append_criteria_list(out, definition);
  append_calendar(out, definition);
  out += '}';
}

Result<Season> read_season(std::string_view body) {
  const auto document = parse_object(body);
  if (!document) return fail(document.error());
  std::optional<leaderboards::SeasonId> id;
  std::optional<Timestamp> start;
  std::optional<Timestamp> end;
  std::optional<Error> error;
  document->root().each([&](JsonValue member) {
    if (error) return;
    if (member.key() == "id") {
      const auto value = read_integer(member);
      const auto season = value ? leaderboards::SeasonId::from(*value) : fail(value.error());
      if (season) {
        id = *season;
      } else {
        error = with_field(season.error(), "id");
      }
    } else if (member.key() == "start") {
      error = read_time(member, start);
    } else if (member.key() == "end") {
      error = read_time(member, end);
    } else {
      error = unknown_field(member.key(), kSeasonFields);
    }
  });
  if (!error && !id) error = missing_field("id", "the number of the season");
  if (error) return fail(std::move(*error));
  return Season{*id, start, end};
}

void append_season(std::string& out, const Season& season, Timestamp now) {
  out += R"({"id":)";
  append_number(out, season.id.value);
  out += R"(,"start":)";
  append_time(out, season.start);
  out += R"(,"end":)";
  append_time(out, season.end);
  append_word(out, "state", to_string(state_at(season, now)));
  if (season.state == leaderboards::SeasonState::closed) {
    out += R"(,"players":)";
    append_number(out, season.players);
  }
  out += '}';
}

}  // namespace scoreline::http
