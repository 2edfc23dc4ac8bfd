#include "queues/options.h"

#include <fmt/format.h>

namespace scoreline::queues {
namespace {

template <typename Number>
Result<void> in_range(Number value, Number low, Number high, std::string_view field) {
  if (value >= low && value <= high) return {};
  return fail(Code::invalid, fmt::format("must be {}..{}", low, high), std::string(field));
}

Result<void> check_span(std::chrono::milliseconds value, std::string_view field) {
  if (value.count() >= 0 && value <= kMaxDelay) return {};
  return fail(Code::invalid, "must be 0..3660d", std::string(field));
}

}  // namespace

std::string_view to_string(Durability durability) {
  switch (durability) {
    case Durability::disk: return "disk";
    case Durability::os: return "os";
    case Durability::memory: return "memory";
  }
  return "disk";
}

std::optional<Durability> parse_durability(std::string_view text) {
  for (const Durability durability : {Durability::disk, Durability::os, Durability::memory}) {
    if (to_string(durability) == text) return durability;
  }
  return std::nullopt;
}

Result<void> check_lease(std::chrono::milliseconds lease) {
  if (lease >= kMinLease && lease <= kMaxLease) return {};
  return fail(Code::invalid, "must be 1ms..24h", "lease");
}

Result<void> check_delay(std::chrono::milliseconds delay) { return check_span(delay, "delay"); }

Result<void> check(const QueueOptions& options) {
  if (auto ok = in_range(options.max_attempts, 1, kMaxAttempts, "maxAttempts"); !ok) return ok;
  if (auto ok = in_range(options.crash_limit, 0, kMaxAttempts, "crashLimit"); !ok) return ok;
  if (auto ok = check_lease(options.lease); !ok) return ok;
  if (auto ok = check_span(options.backoff, "backoff"); !ok) return ok;
  if (auto ok = check_span(options.max_backoff, "maxBackoff"); !ok) return ok;
  if (auto ok = check_span(options.crash_backoff, "crashBackoff"); !ok) return ok;
  if (auto ok = check_span(options.dedup_for, "dedupFor"); !ok) return ok;
  if (auto ok = check_span(options.aging, "aging"); !ok) return ok;
  if (auto ok = check_span(options.dead_for, "deadFor"); !ok) return ok;
  if (auto ok = in_range(options.max_leased, std::size_t{0}, kMaxJobsInQueue, "maxLeased"); !ok) return ok;
  if (options.reserved > 0 && options.reserved >= options.max_leased) {
    return fail(Code::invalid, "must be less than maxLeased", "reserved");
  }
  if (auto ok = in_range(options.reserved_for, 0, kPriorities - 1, "reservedFor"); !ok) return ok;
  if (auto ok = in_range(options.max_dead, std::size_t{0}, kMaxJobsInQueue, "maxDead"); !ok) return ok;
  if (auto ok = in_range(options.max_payload, std::size_t{0}, kMaxPayloadBytes, "maxPayload"); !ok) return ok;
  return in_range(options.max_jobs, std::size_t{1}, kMaxJobsInQueue, "maxJobs");
}

Result<void> check(const NewJob& job, const QueueOptions& options) {
  if (auto ok = check_job_id(job.id); !ok) return ok;
  if (job.priority < 0 || job.priority >= kPriorities) return fail(Code::invalid, "priority must be 0..9", "priority");
  if (job.payload.size() > options.max_payload) {
    return fail(Code::too_large, fmt::format("must be at most {} bytes", options.max_payload), "payload");
  }
  if (job.run_at && (*job.run_at < kMinTimestamp || *job.run_at > kMaxTimestamp)) {
    return fail(Code::invalid, "must lie in the years 1600..9999", "runAt");
  }
  return job.max_attempts ? in_range(*job.max_attempts, 1, kMaxAttempts, "maxAttempts") : Result<void>{};
}

}  // namespace scoreline::queues
