// A cron expression: minute, hour, day of the month, month, day of the week.
//
// Fields: `*`, numbers, names (jan, mon), ranges `1-5`, steps `*/15`, lists of these; Sunday is 0 and 7. When both days
// are named, either will do, as crontab(5) has it. `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly` stand for
// theirs. Thread safety: as a plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/time_zone.h"

namespace scoreline {

class Cron {
 public:
  /// Errors: Code::invalid, naming the part; `field` is left to the caller. Also when it names a day that no year has.
  static Result<Cron> parse(std::string_view text);

  /// The first time on the clock, at `from` or later, that it names. O(days between).
  LocalTime next(LocalTime from) const;

 private:
  static constexpr std::size_t kFields = 5;
  bool names_day(std::int32_t day) const;
  /// The first minute of the day, from this one on, that it names.
  std::optional<std::int32_t> minute_of_day(std::int32_t from) const;
  std::optional<std::int32_t> next_day(std::int32_t from) const;

  std::array<std::uint64_t, kFields> allowed_{};  // bit n: the number n
  bool either_day_ = false;
};

}  // namespace scoreline
