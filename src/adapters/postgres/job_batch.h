// A batch of changes of jobs as the calls of one pipeline. The same batch again changes nothing.
#pragma once

#include <span>
#include <vector>

#include "adapters/postgres/session.h"
#include "queues/job_ledger.h"

namespace scoreline::postgres {

/// In parts of a thousand rows or a MiB, each a call.
std::vector<Call> calls_of(const queues::LedgerBatch& batch);

// What load() reads; the views live as long as `rows`.

Call read_queues_call();
queues::QueueRecord queue_of(const Rows& rows, int row, queues::QueueOptions options);
std::string_view options_text_of(const Rows& rows, int row);
Call read_schedules_call();
queues::ScheduleRecord schedule_of(const Rows& rows, int row);
/// Opens the cursor `jobs_cursor`.
Call open_jobs_call();
/// Rows as those of the cursor.
Call find_jobs_call(queues::QueueNumber queue, std::span<const std::uint64_t> sequences);
queues::QueueNumber queue_number_of(const Rows& rows, int row);
queues::JobRow job_of(const Rows& rows, int row);

}  // namespace scoreline::postgres
