// The boards that a season has: its own, and those of the days and weeks that are kept.
//
// Pure functions; any thread. Cost: a few microseconds where there are days or weeks.
#pragma once

#include <vector>

#include "base/timestamp.h"
#include "leaderboards/definition.h"
#include "leaderboards/period.h"

namespace scoreline::leaderboards {

/// The board of a period of a season, whether or not it is kept.
Board board_of(const Definition& definition, const Season& season, const Period& period);

/// All boards of the season that there are at `now`: its own first, then the days and the weeks that it has a part of,
/// the latest first. A day begins to have one before any result can be on it (Calendar::keeps).
std::vector<Board> boards_of(const Definition& definition, const Season& season, Timestamp now);

/// Of those, the boards that an index keeps: the season's own is an archive once it is closed.
std::vector<Board> live_boards_of(const Definition& definition, const Season& season, Timestamp now);

/// Whether any result of the season can be on the board of a period: the two have a moment in common.
bool meets(const Season& season, const Span& span);

}  // namespace scoreline::leaderboards
