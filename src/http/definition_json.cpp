#include "http/definition_json.h"

#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/timestamp.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"

namespace scoreline::http {
namespace {

using leaderboards::Definition;
using leaderboards::Season;

constexpr std::string_view kDefinitionFields =
    "name, rule, order, scale, ties, key, minPoints, maxPoints, grace, top, periods, timeZone, weekStart, keepDays, "
    "keepWeeks, seasonCron, seasonEvery, seasonFrom";
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

/// Points wait until the scale is known, wherever it stands in the object.
struct Bounds {
  std::optional<Decimal> least;
  std::optional<Decimal> most;
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

std::optional<Error> read_member(JsonValue member, Definition& definition, Bounds& bounds, bool& has_order) {
  const std::string_view key = member.key();
  if (key == "rule") return read_word(member, leaderboards::parse_rule, definition.rule);
  if (key == "order") {
    has_order = true;
    return read_word(member, leaderboards::parse_order, definition.order);
  }
  if (key == "ties") return read_word(member, leaderboards::parse_ties, definition.ties);
  if (key == "key") return read_word(member, leaderboards::parse_key, definition.key);
  if (key == "grace") return read_word(member, parse_duration, definition.grace);
  if (key == "scale") return read_small(member, definition.scale);
  if (key == "top") return read_small(member, definition.top);
  if (key == "minPoints") return read_bound(member, bounds.least);
  if (key == "maxPoints") return read_bound(member, bounds.most);
  if (key == "name") {
    const auto name = read_string(member);
    if (!name) return name.error();
    if (*name == definition.name.text()) return std::nullopt;
    return Error{Code::invalid, "must be the name in the path", "name", {}};
  }
  return read_calendar_member(member, definition);
}

std::optional<Error> apply_bound(const std::optional<Decimal>& bound, int scale, std::string_view field,
                                 std::int64_t& target) {
  if (!bound) return std::nullopt;
  const auto scaled = to_scaled(*bound, scale);
  if (!scaled) return with_field(scaled.error(), field);
  target = *scaled;
  return std::nullopt;
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

}  // namespace

Result<Definition> read_definition(std::string_view body, std::string_view name) {
  auto parsed_name = leaderboards::LeaderboardName::parse(name);
  if (!parsed_name) return fail(std::move(parsed_name.error()));
  const auto document = parse_object(body);
  if (!document) return fail(document.error());
  Definition definition{std::move(*parsed_name)};
  Bounds bounds;
  bool has_order = false;
  std::optional<Error> error;
  document->root().each([&](JsonValue member) {
    if (!error) error = read_member(member, definition, bounds, has_order);
  });
  if (!error && (definition.scale < 0 || definition.scale > kMaxScale)) {
    error = Error{Code::invalid, "must be 0 to " + std::to_string(kMaxScale), "scale", {}};
  }
  if (!error) error = apply_bound(bounds.least, definition.scale, "minPoints", definition.min_points);
  if (!error) error = apply_bound(bounds.most, definition.scale, "maxPoints", definition.max_points);
  if (error) return fail(std::move(*error));
  if (!has_order) definition.order = leaderboards::default_order(definition.rule);
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
