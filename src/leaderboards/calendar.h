// The days and weeks of a leaderboard: which instants each has, in the leaderboard's time zone, and how long its board
// is kept.
//
// Invariants: every instant is in exactly one day and one week; the span of a week is that of its seven days. A day
// begins when clocks reach its midnight first: one that they skip begins after the gap, and an hour that is shown twice
// around midnight belongs to the day that began first. So days have 23 hours, 25, or any other length; a date that a
// zone left out (2011-12-30 in Pacific/Apia) has an empty span. Thread safety: as a plain value. Cost: about a
// microsecond a question; none allocates.
#pragma once

#include <chrono>
#include <vector>

#include "base/limits.h"
#include "base/time_zone.h"
#include "base/timestamp.h"
#include "leaderboards/definition.h"
#include "leaderboards/period.h"

namespace scoreline::leaderboards {

/// Results may be five minutes ahead, and a shared index must have the empty board before the first of them.
inline constexpr std::chrono::milliseconds kBoardsAhead = 2 * kMaxClockSkew;

class Calendar {
 public:
  /// `rules` of a definition that passed validate.
  explicit Calendar(const PeriodRules& rules);

  Period day_of(Timestamp at) const;
  Period week_of(Timestamp at) const;
  Span span_of(const Period& period) const;

  /// Whether there are boards of this kind.
  bool has(Period::Kind kind) const;
  /// When the board of a period goes. Never before its period is over.
  Timestamp kept_until(const Period& period) const;
  /// Whether the leaderboard has a board of the period at `now`: not one of a kind that it has not, nor one that has
  /// gone, nor one that begins more than kBoardsAhead later.
  bool keeps(const Period& period, Timestamp now) const;
  /// All that it keeps at `now`, but the season: the days and then the weeks, the latest first.
  std::vector<Period> kept(Timestamp now) const;

 private:
  Timestamp start_of(std::int32_t day) const;

  TimeZone zone_;
  bool days_;
  bool weeks_;
  Weekday week_start_;
  int keep_days_;
  int keep_weeks_;
};

}  // namespace scoreline::leaderboards
