// Queues in JSON: what they are set to, what they count, their schedules.
//
// Thread safety: pure functions. Errors of readers: as job_json.h.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "http/message.h"
#include "queues/job_store.h"

namespace scoreline::http {

/// What is not named has its default; durations as `30s`.
Result<queues::QueueOptions> read_options(const Request& request);
void append_options(std::string& out, const queues::QueueOptions& options);
void append_stats(std::string& out, const queues::QueueStats& stats);

/// `{"cron":…,"timeZone":…,"payload":…,"priority":…,"maxAttempts":…}`.
Result<queues::Schedule> read_schedule(const Request& request, std::string_view name);
void append_schedule(std::string& out, const queues::ScheduleState& state);

}  // namespace scoreline::http
