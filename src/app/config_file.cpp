#include "app/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/timestamp.h"
#include "leaderboards/criteria.h"

namespace scoreline::app {
namespace {

using leaderboards::Definition;
using leaderboards::WrittenCriterion;

// clang-format off
const std::vector<std::string_view> kDefinitionKeys = {"rule", "order", "scale", "ties", "key", "minPoints",
    "maxPoints", "grace", "top", "periods", "timeZone", "weekStart", "keepDays", "keepWeeks", "seasonCron",
    "seasonEvery", "seasonFrom", "criteria"};
const std::vector<std::string_view> kCriterionKeys = {"name", "order", "scale", "min", "max"};
// clang-format on

/// Reads the fields of one `[leaderboards.NAME]`; remembers the first error.
class DefinitionReader {
 public:
  DefinitionReader(std::string name, const toml::table& table) : path_("leaderboards." + name), table_(table) {}

  Result<Definition> read(leaderboards::LeaderboardName name) {
    Definition definition{.name = std::move(name)};
    for (const auto& [key, value] : table_) {
      if (std::ranges::find(kDefinitionKeys, key.str()) == kDefinitionKeys.end()) {
        refuse(key.str(), fmt::format("there is no such key; did you mean '{}'?", nearest(key.str(), kDefinitionKeys)));
      }
    }
    word("rule", definition.rule, leaderboards::parse_rule);
    word("ties", definition.ties, leaderboards::parse_ties);
    word("key", definition.key, leaderboards::parse_key);
    definition.top = whole("top", definition.top);
    duration("grace", definition.grace);
    calendar(definition.periods, definition.schedule);
    WrittenCriterion points{"points"};
    criterion(table_, "order", "scale", "minPoints", "maxPoints", points);
    const auto criteria = criteria_list();
    if (error_) return fail(std::move(*error_));
    if (auto set = leaderboards::set_criteria(definition, points, criteria); !set) {
      refuse(set.error().field, set.error().detail);
      return fail(std::move(*error_));
    }
    if (auto valid = leaderboards::validate(definition); !valid) {
      refuse(valid.error().field, valid.error().detail);
      return fail(std::move(*error_));
    }
    return definition;
  }

 private:
  void refuse(std::string_view key, std::string detail) {
    if (!error_) error_ = Error{Code::usage, std::move(detail), fmt::format("{}.{}", path_, key), std::nullopt};
  }

  void calendar(leaderboards::PeriodRules& rules, leaderboards::SeasonSchedule& schedule) {
    periods(rules);
    word("timeZone", rules.time_zone, as_is);
    word("weekStart", rules.week_start, leaderboards::parse_week_start);
    rules.keep_days = whole("keepDays", rules.keep_days);
    rules.keep_weeks = whole("keepWeeks", rules.keep_weeks);
    if (table_["seasonCron"]) word("seasonCron", schedule.cron.emplace(), as_is);
    if (table_["seasonEvery"]) duration("seasonEvery", schedule.every.emplace());
    if (table_["seasonFrom"]) word("seasonFrom", schedule.from.emplace(), parse_timestamp);
  }

  static Result<std::string> as_is(std::string_view text) { return std::string(text); }

  void periods(leaderboards::PeriodRules& rules) {
    const auto node = table_["periods"];
    if (!node) return;
    const auto* const words = node.as_array();
    if (words == nullptr) return refuse("periods", R"(must be an array, like ["day", "week"])");
    for (const auto& each : *words) {
      const auto added = leaderboards::add_period(rules, each.value_exact<std::string>().value_or(""));
      if (!added) return refuse("periods", added.error().detail);
    }
  }

  /// The fields of a criterion that has them under these keys of a table.
  void criterion(const toml::table& of, std::string_view order, std::string_view scale, std::string_view min,
                 std::string_view max, WrittenCriterion& into) {
    if (of[order]) word(of, order, into.order.emplace(), leaderboards::parse_order);
    if (of[scale]) into.scale = whole(of, scale, 0);
    decimal(of, min, into.min);
    decimal(of, max, into.max);
  }

  std::vector<WrittenCriterion> criteria_list() {
    std::vector<WrittenCriterion> criteria;
    const auto node = table_["criteria"];
    if (!node) return criteria;
    const auto* const tables = node.as_array();
    const auto wrong = [this] { refuse("criteria", R"(must be an array of tables, like [{name = "points"}])"); };
    if (tables == nullptr) {
      wrong();
      return criteria;
    }
    for (const auto& each : *tables) {
      const auto* const table = each.as_table();
      if (table == nullptr) {
        wrong();
        return criteria;
      }
      const std::string place = fmt::format("criteria[{}].", criteria.size());
      for (const auto& [key, value] : *table) {
        if (std::ranges::find(kCriterionKeys, key.str()) != kCriterionKeys.end()) continue;
        refuse(place + std::string(key.str()),
               fmt::format("there is no such key; did you mean '{}'?", nearest(key.str(), kCriterionKeys)));
      }
      place_ = place;
      WrittenCriterion& read = criteria.emplace_back();
      word(*table, "name", read.name, as_is);
      criterion(*table, "order", "scale", "min", "max", read);
      place_.clear();
    }
    return criteria;
  }

  template <typename Word>
  void word(std::string_view key, Word& into, Result<Word> (*parse)(std::string_view)) {
    word(table_, key, into, parse);
  }

  template <typename Word>
  void word(const toml::table& of, std::string_view key, Word& into, Result<Word> (*parse)(std::string_view)) {
    const auto node = of[key];
    if (!node) return;
    const auto text = node.value_exact<std::string>();
    if (!text) return refuse(place_ + std::string(key), "must be a word in quotes");
    const auto parsed = parse(*text);
    if (!parsed) return refuse(place_ + std::string(key), parsed.error().detail);
    into = *parsed;
  }

  int whole(std::string_view key, int otherwise) { return whole(table_, key, otherwise); }

  int whole(const toml::table& of, std::string_view key, int otherwise) {
    const auto node = of[key];
    if (!node) return otherwise;
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < -1'000'000 || *value > 1'000'000) {
      refuse(place_ + std::string(key), "must be a small whole number");
      return otherwise;
    }
    return static_cast<int>(*value);
  }

  void decimal(const toml::table& of, std::string_view key, std::optional<Decimal>& into) {
    const auto node = of[key];
    if (!node) return;
    Result<Decimal> value = fail(Code::usage, "must be a whole number, or a decimal one in quotes");
    if (const auto number = node.value_exact<std::int64_t>()) value = decimal_from(*number);
    if (const auto text = node.value_exact<std::string>()) value = parse_decimal(*text);
    if (!value) return refuse(place_ + std::string(key), value.error().detail);
    into = *value;
  }

  void duration(std::string_view key, std::chrono::milliseconds& into) {
    const auto node = table_[key];
    if (!node) return;
    const auto text = node.value_exact<std::string>();
    if (!text) return refuse(key, R"(must be a time in quotes, like "90s", "10m" or "1d")");
    const auto parsed = parse_duration(*text);
    if (!parsed) return refuse(key, parsed.error().detail);
    into = *parsed;
  }

  std::string path_;
  std::string place_;  // of the criterion that is being read, as errors name it
  const toml::table& table_;
  std::optional<Error> error_;
};

Result<std::vector<Definition>> read_definitions(const toml::node& node) {
  const auto* tables = node.as_table();
  if (tables == nullptr) return fail(Code::usage, "must be tables: [leaderboards.NAME]", "leaderboards");
  std::vector<Definition> definitions;
  for (const auto& [key, value] : *tables) {
    const std::string name(key.str());
    auto parsed = leaderboards::LeaderboardName::parse(name);
    if (!parsed) return fail(Code::usage, parsed.error().detail, "leaderboards." + name);
    const auto* table = value.as_table();
    if (table == nullptr)
      return fail(Code::usage, "must be a table: [leaderboards." + name + "]", "leaderboards." + name);
    auto definition = DefinitionReader(name, *table).read(std::move(*parsed));
    if (!definition) return fail(std::move(definition.error()));
    definitions.push_back(std::move(*definition));
  }
  return definitions;
}

/// Steps of inserting, dropping or changing one character (Levenshtein), without regard to case and punctuation.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) { return (x | 0x20) == (y | 0x20); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view key, const std::vector<std::string_view>& valid) {
  return *std::ranges::min_element(valid, {}, [key](std::string_view known) { return distance(key, known); });
}

namespace {

void append_criterion(std::string& out, const leaderboards::Criterion& criterion) {
  fmt::format_to(std::back_inserter(out), "{{name = \"{}\", order = \"{}\", scale = {}, min = \"{}\", max = \"{}\"}}",
                 criterion.name, to_string(criterion.order), criterion.scale,
                 format_scaled(criterion.min, criterion.scale), format_scaled(criterion.max, criterion.scale));
}

void append_criteria(std::string& out, const Definition& definition) {
  if (definition.criteria.empty()) return;
  out += "criteria = [{name = \"points\"}";
  for (const leaderboards::Criterion& criterion : definition.criteria) {
    out += ", ";
    append_criterion(out, criterion);
  }
  out += "]\n";
}

void append_calendar(std::string& out, const Definition& definition) {
  const leaderboards::PeriodRules& periods = definition.periods;
  const auto put = std::back_inserter(out);
  fmt::format_to(put, "periods = [{}{}{}]\ntimeZone = \"{}\"\nweekStart = \"{}\"\nkeepDays = {}\nkeepWeeks = {}\n",
                 periods.days ? "\"day\"" : "", periods.days && periods.weeks ? ", " : "",
                 periods.weeks ? "\"week\"" : "", periods.time_zone, to_string(periods.week_start), periods.keep_days,
                 periods.keep_weeks);
  const leaderboards::SeasonSchedule& schedule = definition.schedule;
  if (schedule.cron) fmt::format_to(put, "seasonCron = \"{}\"\n", *schedule.cron);
  if (schedule.every) fmt::format_to(put, "seasonEvery = \"{}\"\n", format_duration(*schedule.every));
  if (schedule.from) fmt::format_to(put, "seasonFrom = \"{}\"\n", format_timestamp(*schedule.from));
}

}  // namespace

Result<ConfigFile> read_config_file(std::string_view text, std::string_view name) try {
  const toml::table table = toml::parse(text, name);
  ConfigFile file;
  for (const auto& [key, value] : table) {
    const std::string known(key.str());
    if (known == "leaderboards") {
      auto definitions = read_definitions(value);
      if (!definitions) return fail(std::move(definitions.error()));
      file.leaderboards = std::move(*definitions);
    } else if (const auto string = value.value_exact<std::string>()) {
      file.values[known] = *string;
    } else if (const auto number = value.value_exact<std::int64_t>()) {
      file.values[known] = std::to_string(*number);
    } else if (const auto truth = value.value_exact<bool>()) {
      file.values[known] = *truth ? "true" : "false";
    } else {
      return fail(Code::usage, "must be text, a whole number, true or false", known);
    }
  }
  return file;
} catch (const toml::parse_error& error) {
  return fail(
      Code::usage,
      fmt::format("{}:{}:{}: {}", name, error.source().begin.line, error.source().begin.column, error.description()),
      "config");
}

void append_definition(std::string& out, const Definition& definition) {
  fmt::format_to(
      std::back_inserter(out),
      "\n[leaderboards.\"{}\"]\nrule = \"{}\"\norder = \"{}\"\nscale = {}\nties = \"{}\"\nkey = \"{}\"\n"
      "minPoints = \"{}\"\nmaxPoints = \"{}\"\ngrace = \"{}\"\ntop = {}\n",
      definition.name.text(), to_string(definition.rule), to_string(definition.order), definition.scale,
      to_string(definition.ties), to_string(definition.key), format_scaled(definition.min_points, definition.scale),
      format_scaled(definition.max_points, definition.scale), format_duration(definition.grace), definition.top);
  append_criteria(out, definition);
  append_calendar(out, definition);
}

}  // namespace scoreline::app
