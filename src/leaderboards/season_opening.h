// Opening a season where several processes share one index.
#pragma once

#include "base/error.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/definition.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Opens `season` so that its boards, those of days and weeks too, can be written at once. Writer only.
///
/// On a shared index a board must be loaded before it takes results, and an empty one may only be loaded while there
/// are no results of its season anywhere. Nobody appends such a result before the ledger has the season, and the load
/// that begins here keeps every other process from opening it: so the empty board comes first, and is right.
///
/// Errors: as Catalogue::open_season; not_ready while another process is opening it.
Result<void> open_season(Catalogue& catalogue, RankIndex& index, const LeaderboardName& leaderboard,
                         const Season& season, Timestamp now);

}  // namespace scoreline::leaderboards
