// The words of job queues: what is put in, what a job is at any moment, and what is said about it.
//
// Views (std::string_view) of a JobRow live until the next call that changes its queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "queues/limits.h"

namespace scoreline::queues {

/// Both readings of the clock at one moment. Wall time is for what is stored (run_at), monotonic time for how long a
/// lease lasts while the process lives.
struct Instant {
  Timestamp wall;
  Monotonic steady;
};

inline Instant instant_of(const Clock& clock) { return {clock.now(), clock.monotonic()}; }

/// 1..64 characters of a-z, 0-9, `.`, `_`, `-`, beginning with a letter or digit. Errors: Code::invalid, field `queue`.
Result<void> check_queue_name(std::string_view name);

/// 1..128 bytes of UTF-8 without control characters. Errors: Code::invalid, field `id`.
Result<void> check_job_id(std::string_view id);

enum class JobState : std::uint8_t {
  ready,
  delayed,  ///< its run_at lies in the future
  leased,   ///< a worker holds it until a deadline
  dead,     ///< out of attempts, or lost by too many workers
  done,     ///< gone, but its id is taken still (the dedup window)
};
std::string_view to_string(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);

enum class DeadCause : std::uint8_t {
  none,
  failed,      ///< nacked as often as it may be tried
  crash_loop,  ///< lost with its worker more often than the crash limit
};
std::string_view to_string(DeadCause cause);

/// Says which lease of a job somebody holds: 64 random bits, never 0, so that a receipt that was handed out and then
/// forgotten in a crash cannot come again.
struct Receipt {
  std::uint64_t bits = 0;
  friend constexpr auto operator<=>(Receipt, Receipt) = default;
};
/// 16 hexadecimal digits.
std::string format_receipt(Receipt receipt);
/// Errors: Code::invalid, field `receipt`.
Result<Receipt> parse_receipt(std::string_view text);

/// What a caller puts in. Without run_at, or with one that has passed, it is ready at once.
struct NewJob {
  std::string_view id;
  std::string_view payload;
  int priority = kDefaultPriority;
  std::optional<Timestamp> run_at;
  std::optional<int> max_attempts;  ///< absent: as the queue says
};

/// All of a job, as it is now. A ledger keeps exactly this.
struct JobRow {
  std::uint64_t sequence = 0;  ///< of its queue; says which was enqueued first
  JobState state = JobState::ready;
  std::uint8_t priority = kDefaultPriority;
  DeadCause cause = DeadCause::none;
  std::uint16_t max_attempts = 0;
  std::uint16_t failures = 0;  ///< nacks so far
  std::uint16_t crashes = 0;   ///< leases that ran out so far
  std::uint32_t lease_ms = 0;  ///< leased: for how long, as taken or extended last
  Timestamp run_at;            ///< from when it stands in the order, and its place there
  Timestamp until;             ///< leased: the deadline; dead: since when; done: until when its id is taken
  Receipt receipt;             ///< leased
  std::string_view id;
  std::string_view payload;
  std::string_view reason;  ///< of the last nack

  /// Which delivery this is, or would be next: from 1.
  int attempt() const { return failures + crashes + 1; }
};

enum class EnqueueOutcome : std::uint8_t { enqueued, duplicate };

struct Enqueued {
  EnqueueOutcome outcome = EnqueueOutcome::enqueued;
  JobState state = JobState::ready;  ///< of the job that has this id now
  friend bool operator==(const Enqueued&, const Enqueued&) = default;
};

/// Where a job stands in the order.
struct JobPosition {
  std::uint64_t ahead = 0;  ///< jobs that would be taken before it, by what is known now
  /// `ahead` over the rate of takes of the last minute; absent while nothing is taken.
  std::optional<std::chrono::milliseconds> estimated_wait;
};

struct QueueStats {
  std::uint64_t ready = 0, delayed = 0, leased = 0, dead = 0, done = 0;
  std::chrono::milliseconds oldest_ready{0};  ///< for how long the oldest ready job has been ready
  bool paused = false;
  /// Since this process began.
  std::uint64_t enqueued = 0, duplicates = 0, taken = 0, acked = 0, nacked = 0, crashed = 0, died = 0;
  /// Dead jobs that were dropped: because there were too many, because they were too old.
  std::uint64_t dead_evicted = 0, dead_expired = 0;
  double enqueued_per_second = 0, taken_per_second = 0;  ///< of about the last minute
  std::uint64_t memory_bytes = 0;                        ///< all of the queue, payloads too
};

}  // namespace scoreline::queues
