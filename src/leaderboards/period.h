// Which results of a season a board takes: all of them, or those of one day or one week.
//
// Plain values and their names; calendar.h says which instants a day or week has.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/timestamp.h"

namespace scoreline::leaderboards {

enum class Weekday : std::uint8_t { monday, tuesday, wednesday, thursday, friday, saturday, sunday };

std::string_view to_string(Weekday day);  ///< `monday`
/// Errors: Code::invalid, field `weekStart`.
Result<Weekday> parse_week_start(std::string_view text);

struct Period {
  enum class Kind : std::uint8_t { season, day, week };

  Kind kind = Kind::season;
  std::int32_t first_day = 0;  ///< its first local date, in days since 1970-01-01; 0 for a season

  friend constexpr auto operator<=>(const Period&, const Period&) = default;
};

/// A stretch of time, without its end.
struct Span {
  Timestamp from = kMinTimestamp;
  Timestamp until{kMaxTimestamp.ms + 1};

  constexpr bool contains(Timestamp at) const { return from <= at && at < until; }
  constexpr bool is_empty() const { return until <= from; }
  friend constexpr bool operator==(const Span&, const Span&) = default;
};

/// The date of a day, `2026-10-12`; the year and number of a week, `2026-W41`; nothing for a season. A week is named by
/// the ISO week that its fourth day lies in: weeks that begin on a Monday have exactly their ISO names.
std::string date_text(const Period& period);

/// `season`, `day:2026-10-12`, `week:2026-W41`.
std::string to_string(const Period& period);

/// Reads what to_string writes, of weeks that begin on `week_start`. Errors: Code::invalid, field `period`, also for a
/// day or week that its year does not have (day:2026-02-30, week:2025-W53).
Result<Period> parse_period(std::string_view text, Weekday week_start);

/// The first day of the week that a local date lies in.
std::int32_t first_day_of_week(std::int32_t day, Weekday week_start);

}  // namespace scoreline::leaderboards
