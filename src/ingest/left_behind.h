// Results that a process recorded in a shared ledger, and did not live to show on the boards.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/error.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/shared_ledger.h"

namespace scoreline::ingest {

/// Has the boards show what processes that are gone left behind; returns of how many such processes. Beside everything
/// else: what is offered is absolute, so it does no harm that others are on the boards already. Cost: one query when
/// nobody is gone, else the results recorded since the first of them was last known to have shown everything. `follow`
/// is called when somebody is gone, behind all offers and before that is forgotten, with what the audit log has since.
using FollowForOthers = std::function<Result<void>(std::span<const leaderboards::AuditEntry>)>;
Result<std::size_t> show_left_behind(const leaderboards::Catalogue& catalogue, leaderboards::SharedLedger& ledger,
                                     leaderboards::RankIndex& index, Timestamp now, const FollowForOthers& follow);

}  // namespace scoreline::ingest
