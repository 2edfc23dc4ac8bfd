// Jobs, options and counts as the scripts of lua/ take and give them. Read with care: the server is another program.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "queues/job_store.h"

namespace scoreline::redis {

/// The keys of a queue, in the order that the scripts have them; all share one hash tag: `queue:{NAME}`,
/// `queue:{NAME}:ready` … They are in one slot of a cluster.
std::vector<std::string> queue_keys(std::string_view prefix, std::string_view queue);
/// What stands between the braces; empty when `key` is none of a queue.
std::string_view queue_of_key(std::string_view key);

/// What an error reply means for the caller.
Error job_error_of(std::string_view reply);
/// An answer that no script of ours gives.
tl::unexpected<Error> strange_job_answer();

/// Eight bytes.
std::string bytes_of(queues::Receipt receipt);

/// Five words a job, as job_enqueue.lua takes them.
std::vector<std::string> words_of_jobs(const std::vector<queues::JobSpec>& jobs);

/// `stride` words a job: id, record and, of three, payload.
Result<std::vector<queues::StoredJob>> jobs_of(const Reply& reply, std::size_t stride);
Result<std::vector<queues::EnqueueAnswer>> enqueued_of(const Reply& reply, const std::vector<std::string>& ids);
Result<queues::QueueStats> stats_of(const Reply& reply);
Result<std::optional<queues::JobPosition>> position_of(const Reply& reply);

}  // namespace scoreline::redis
