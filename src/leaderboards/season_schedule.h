// When the seasons of a leaderboard begin and end by its definition. Pure functions.
//
// A schedule is a row of boundaries; each season runs from one to the next, and the next one begins as it ends.
//   seasonEvery: seasonFrom, seasonFrom + seasonEvery, and so on, to the millisecond, whatever clocks do.
//   seasonCron: what the clocks of timeZone show. A time that they skip (put forward) stands for the first instant
//   after the gap; one that they show twice (put back) counts once, the first time. None before seasonFrom.
#pragma once

#include <optional>

#include "base/error.h"
#include "base/timestamp.h"
#include "leaderboards/definition.h"

namespace scoreline::leaderboards {

/// Errors: Code::invalid, field `seasonCron`, `seasonEvery` or `seasonFrom`.
Result<void> validate(const SeasonSchedule& schedule);

/// The first boundary after `at`; nullopt without a schedule, or when it would lie beyond kMaxTimestamp.
std::optional<Timestamp> boundary_after(const Definition& definition, Timestamp at);
/// The last boundary at `at` or before; nullopt when there is none.
std::optional<Timestamp> boundary_until(const Definition& definition, Timestamp at);

/// The season that follows `last`, the latest one there is (nullopt: none yet), with the next id. It begins at the
/// first boundary at the end of `last` or later. When nobody opened seasons for so long that it would be over already,
/// grace and all, it is the one at `now` instead: seasons that nobody can play in are left out, and take no id. The
/// first season of all is the one at `now`, or the one to come. nullopt without a schedule, while `last` has no end, or
/// when there are no more ids.
std::optional<Season> next_season(const Definition& definition, const std::optional<Season>& last, Timestamp now);

}  // namespace scoreline::leaderboards
