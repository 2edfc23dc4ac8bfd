// What callers of a JobStore say is checked here, so that every store refuses the same with the same words.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "queues/job_store.h"

namespace scoreline::queues {

/// 1..kMaxJobs jobs in one call. Errors: Code::invalid and Code::too_many, field `jobs`.
Result<void> check_count(std::size_t jobs);

/// The ids may be empty still. Errors: as check(NewJob) and check_delay(); `delay` beside `runAt` is Code::invalid,
/// field `delay`. With several jobs the field says which: `jobs[2].priority`.
Result<void> check(std::span<const JobSpec> jobs, const QueueOptions& options);

/// Gives a UUIDv7 to each job that has no id.
void give_ids(std::span<JobSpec> jobs, Timestamp now, Random& random);

/// `job` is checked and has an id. Views of it.
NewJob new_job(const JobSpec& job, Timestamp now);

/// Errors: Code::invalid, fields `max`, `lease`, `wait`.
Result<void> check(const TakeSpec& take);

/// Errors: Code::invalid, field `limit`.
Result<void> check(const ListSpec& list);

/// Errors: those of check_count, and Code::invalid, field `delay` or `lease`.
Result<void> check(std::span<const HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
                   std::optional<std::chrono::milliseconds> lease);

/// What is kept of a reason: its first kMaxReasonBytes bytes, cut between characters where it is UTF-8.
std::string_view kept_reason(std::string_view reason);

/// What calls answer for a queue that is not there.
Error no_such_queue(std::string_view queue);

}  // namespace scoreline::queues
