// What many calls changed, as one batch: of each job, queue and schedule only what it has become in the end.
//
// Thread safety: pure functions.
// Cost: O(1) a change.
#pragma once

#include "queues/job_ledger.h"

namespace scoreline::queues {

/// Moves the changes of `later` behind those of `batch`.
void append(LedgerBatch& batch, LedgerBatch&& later);

/// The batch with each job, queue and schedule once. A job that came and went in between is not in it.
LedgerBatch folded(LedgerBatch&& batch);

}  // namespace scoreline::queues
