// A job as a value of its own, for as long as whoever has it likes.
#pragma once

#include <chrono>
#include <string>

#include "queues/values.h"

namespace scoreline::queues {

/// The fields are those of JobRow.
struct StoredJob {
  std::uint64_t sequence = 0;
  JobState state = JobState::ready;
  std::uint8_t priority = kDefaultPriority;
  DeadCause cause = DeadCause::none;
  std::uint16_t max_attempts = 0;
  std::uint16_t failures = 0;
  std::uint16_t crashes = 0;
  std::uint32_t lease_ms = 0;
  Timestamp run_at;
  Timestamp until;
  Receipt receipt;
  std::string id;
  std::string payload;
  std::string reason;

  friend bool operator==(const StoredJob&, const StoredJob&) = default;

  int attempt() const { return row().attempt(); }
  /// Views of this.
  JobRow row() const {
    return {sequence, state,  priority, cause,   max_attempts, failures, crashes,
            lease_ms, run_at, until,    receipt, id,           payload,  reason};
  }
};

inline StoredJob stored(const JobRow& row) {
  return {row.sequence,
          row.state,
          row.priority,
          row.cause,
          row.max_attempts,
          row.failures,
          row.crashes,
          row.lease_ms,
          row.run_at,
          row.until,
          row.receipt,
          std::string(row.id),
          std::string(row.payload),
          std::string(row.reason)};
}

}  // namespace scoreline::queues
