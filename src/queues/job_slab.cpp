#include "queues/job_slab.h"

#include <algorithm>

namespace scoreline::queues {

void Job::set_bytes(std::string_view id, std::string_view payload) {
  std::unique_ptr<char[]> both(new char[id.size() + payload.size()]);
  std::copy(id.begin(), id.end(), both.get());
  std::copy(payload.begin(), payload.end(), both.get() + id.size());
  bytes = std::move(both);
  id_bytes = static_cast<std::uint8_t>(id.size());
  payload_bytes = static_cast<std::uint32_t>(payload.size());
}

JobRow Job::row() const {
  JobRow row;
  row.sequence = sequence;
  row.state = state;
  row.priority = priority;
  row.cause = cause;
  row.max_attempts = max_attempts;
  row.failures = failures;
  row.crashes = crashes;
  row.lease_ms = lease_ms;
  row.run_at = Timestamp{run_at};
  row.until = Timestamp{until};
  row.receipt = Receipt{receipt};
  row.id = id();
  row.payload = payload();
  if (reason) row.reason = *reason;
  return row;
}

Slot JobSlab::add() {
  if (!free_.empty()) {
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
  }
  if (used_ == chunks_.size() * kChunkJobs) chunks_.push_back(std::make_unique<Job[]>(kChunkJobs));
  return static_cast<Slot>(used_++);
}

void JobSlab::remove(Slot slot) {
  (*this)[slot] = Job{};
  free_.push_back(slot);
}

std::size_t JobSlab::memory_bytes() const {
  return chunks_.size() * kChunkJobs * sizeof(Job) + free_.capacity() * sizeof(Slot);
}

}  // namespace scoreline::queues
