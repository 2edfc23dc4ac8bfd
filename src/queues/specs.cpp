#include "queues/specs.h"

#include <fmt/format.h>

#include "base/uuid.h"

namespace scoreline::queues {
namespace {

Result<void> check_one(const JobSpec& job, const QueueOptions& options) {
  if (job.delay && job.run_at) return fail(Code::invalid, "give either a delay or runAt, not both", "delay");
  if (job.delay) {
    if (auto ok = check_delay(*job.delay); !ok) return ok;
  }
  // An id that is still to be given is a good one.
  const std::string_view id = job.id.empty() ? std::string_view("id") : std::string_view(job.id);
  return check(NewJob{id, job.payload, job.priority, job.run_at, job.max_attempts}, options);
}

}  // namespace

Result<void> check_count(std::size_t jobs) {
  if (jobs == 0) return fail(Code::invalid, "must have at least one job", "jobs");
  if (jobs > kMaxJobs) return fail(Code::too_many, fmt::format("must be at most {} jobs", kMaxJobs), "jobs");
  return {};
}

Result<void> check(std::span<const JobSpec> jobs, const QueueOptions& options) {
  if (auto ok = check_count(jobs.size()); !ok) return ok;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto ok = check_one(jobs[i], options); !ok) {
      Error error = ok.error();
      if (jobs.size() > 1) error.field = fmt::format("jobs[{}].{}", i, error.field);
      return fail(std::move(error));
    }
  }
  return {};
}

void give_ids(std::span<JobSpec> jobs, Timestamp now, Random& random) {
  for (JobSpec& job : jobs) {
    if (job.id.empty()) job.id = format_uuid(new_uuid_v7(now, random));
  }
}

NewJob new_job(const JobSpec& job, Timestamp now) {
  NewJob made{job.id, job.payload, job.priority, job.run_at, job.max_attempts};
  if (job.delay) made.run_at = Timestamp{now.ms + job.delay->count()};
  return made;
}

Result<void> check(const TakeSpec& take) {
  if (take.max < 1 || take.max > kMaxJobs) return fail(Code::invalid, fmt::format("must be 1..{}", kMaxJobs), "max");
  if (take.wait.count() < 0 || take.wait > kMaxWait) return fail(Code::invalid, "must be 0..10m", "wait");
  return take.lease ? check_lease(*take.lease) : Result<void>{};
}

Result<void> check(const ListSpec& list) {
  if (list.count >= 1 && list.count <= kMaxJobs) return {};
  return fail(Code::invalid, fmt::format("must be 1..{}", kMaxJobs), "limit");
}

Result<void> check(std::span<const HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
                   std::optional<std::chrono::milliseconds> lease) {
  if (auto ok = check_count(jobs.size()); !ok) return ok;
  if (delay) {
    if (auto ok = check_delay(*delay); !ok) return ok;
  }
  return lease ? check_lease(*lease) : Result<void>{};
}

std::string_view kept_reason(std::string_view reason) {
  if (reason.size() <= kMaxReasonBytes) return reason;
  std::size_t end = kMaxReasonBytes;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(reason[at]) & 0xC0) == 0x80; };
  while (end > kMaxReasonBytes - 3 && continues(end)) --end;
  return reason.substr(0, end);
}

Error no_such_queue(std::string_view queue) {
  return {Code::not_found, fmt::format("there is no queue \"{}\"", queue), "queue", std::nullopt};
}

}  // namespace scoreline::queues
