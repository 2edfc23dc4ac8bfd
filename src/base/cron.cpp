#include "base/cron.h"

#include <charconv>
#include <chrono>
#include <string>

namespace scoreline {
namespace {

struct Field {
  std::string_view name;
  unsigned least;
  unsigned most;
  std::string_view names;  // three letters each, of `least` and on
};

enum : std::size_t { kMinute, kHour, kMonthDay, kMonth, kWeekDay };
constexpr Field kFieldsInOrder[] = {
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of the month", 1, 31, ""},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"day of the week", 0, 7, "sunmontuewedthufrisat"},
};

struct Macro {
  std::string_view name;
  std::string_view meaning;
};
constexpr Macro kMacros[] = {{"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                             {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
                             {"@annually", "0 0 1 1 *"}};

constexpr std::size_t kMaxCronBytes = 200;
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int32_t kMinutesAnHour = 60;
constexpr std::int32_t kMinutesADay = 24 * kMinutesAnHour;
/// A February 29th on one day of the week is forty years away at most, over a year like 1900.
constexpr std::int32_t kDaysToLookAt = 41 * 366;

std::int64_t floor_div(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = text.find(at);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> value_of(const Field& field, std::string_view text) {
  if (text.size() == 3) {
    std::string lower;
    for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (std::size_t at = 0; at + 3 <= field.names.size(); at += 3) {
      if (field.names.substr(at, 3) == lower) return static_cast<unsigned>(at / 3) + field.least;
    }
  }
  const auto value = number(text);
  if (!value || *value < field.least || *value > field.most) return std::nullopt;
  return value;
}

/// `*`, `3`, `1-5`, each perhaps with `/2`; 3/2 means from 3 on.
std::optional<std::uint64_t> parse_part(const Field& field, std::string_view text) {
  const bool has_step = text.find('/') != std::string_view::npos;
  const std::string_view range = cut(text, '/');
  const auto step = has_step ? number(text) : 1;
  if (!step || *step == 0) return std::nullopt;
  unsigned from = field.least;
  unsigned to = field.most;
  if (range != "*") {
    std::string_view rest = range;
    const bool has_end = range.find('-') != std::string_view::npos;
    const auto first = value_of(field, cut(rest, '-'));
    const auto last = has_end ? value_of(field, rest) : (has_step ? field.most : first);
    if (!first || !last || *last < *first) return std::nullopt;
    from = *first;
    to = *last;
  }
  std::uint64_t bits = 0;
  for (unsigned value = from; value <= to; value += *step) {
    bits |= std::uint64_t{1} << value;
    if (*step > to) break;
  }
  return bits;
}

bool has(std::uint64_t bits, unsigned value) { return ((bits >> value) & 1U) != 0; }

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  for (const Macro& macro : kMacros) {
    if (macro.name == text) text = macro.meaning;
  }
  if (text.size() > kMaxCronBytes) return fail(Code::invalid, "must have at most 200 characters");
  Cron cron;
  std::array<bool, kFields> open{};
  std::string_view rest = text;
  std::size_t found = 0;
  while (!rest.empty()) {
    std::string_view word = cut(rest, ' ');
    if (word.empty()) continue;
    if (found == kFields)
      return fail(Code::invalid, "must have five fields: minute, hour, day, month, day of the week");
    const Field& field = kFieldsInOrder[found];
    open[found] = word.front() == '*';
    while (true) {
      const bool is_last = word.find(',') == std::string_view::npos;
      const auto bits = parse_part(field, cut(word, ','));
      if (!bits) {
        return fail(Code::invalid, "its " + std::string(field.name) + " must be *, or numbers " +
                                       std::to_string(field.least) + ".." + std::to_string(field.most) +
                                       ", ranges, steps or lists of them");
      }
      cron.allowed_[found] |= *bits;
      if (is_last) break;
    }
    ++found;
  }
  if (found != kFields) {
    return fail(Code::invalid, "must have five fields: minute, hour, day, month, day of the week");
  }
  if (has(cron.allowed_[kWeekDay], 7)) cron.allowed_[kWeekDay] |= 1U;  // Sunday is both
  cron.either_day_ = !open[kMonthDay] && !open[kWeekDay];
  if (!cron.next_day(0)) return fail(Code::invalid, "names a day that no year has");
  return cron;
}

bool Cron::names_day(std::int32_t day) const {
  const std::chrono::sys_days date{std::chrono::days(day)};
  const std::chrono::year_month_day parts(date);
  if (!has(allowed_[kMonth], static_cast<unsigned>(parts.month()))) return false;
  const bool by_date = has(allowed_[kMonthDay], static_cast<unsigned>(parts.day()));
  const bool by_week = has(allowed_[kWeekDay], std::chrono::weekday(date).c_encoding());
  return either_day_ ? by_date || by_week : by_date && by_week;
}

std::optional<std::int32_t> Cron::minute_of_day(std::int32_t from) const {
  for (std::int32_t minute = from; minute < kMinutesADay; ++minute) {
    if (has(allowed_[kHour], static_cast<unsigned>(minute / kMinutesAnHour)) &&
        has(allowed_[kMinute], static_cast<unsigned>(minute % kMinutesAnHour))) {
      return minute;
    }
  }
  return std::nullopt;
}

std::optional<std::int32_t> Cron::next_day(std::int32_t from) const {
  for (std::int32_t day = from; day < from + kDaysToLookAt; ++day) {
    if (names_day(day)) return day;
  }
  return std::nullopt;
}

LocalTime Cron::next(LocalTime from) const {
  const std::int64_t first_minute = -floor_div(-from.ms, kMinuteMs);  // rounded up
  const auto day = static_cast<std::int32_t>(floor_div(first_minute, kMinutesADay));
  const auto at = [](std::int32_t on, std::int32_t minute) {
    return LocalTime{(std::int64_t{on} * kMinutesADay + minute) * kMinuteMs};
  };
  if (names_day(day)) {
    const auto minute = minute_of_day(static_cast<std::int32_t>(first_minute - std::int64_t{day} * kMinutesADay));
    if (minute) return at(day, *minute);
  }
  const auto later = next_day(day + 1);
  SCORELINE_CHECK(later.has_value());  // parse saw one
  return at(*later, *minute_of_day(0));
}

}  // namespace scoreline
