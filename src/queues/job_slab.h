// Where the jobs of one queue lie: numbered slots, so that lines and tables hold four bytes instead of a pointer.
//
// Thread safety: none. Slots do not move; the number of a job that has gone is used again.
// Cost: O(1). Memory: 80 bytes a job, and one allocation for its id and payload together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "queues/line.h"
#include "queues/values.h"

namespace scoreline::queues {

struct Job {
  std::uint64_t sequence = 0;
  std::int64_t run_at = 0;  ///< ms
  std::int64_t at = 0;      ///< its key in the line that it stands in: ms; leased: ns of monotonic time
  std::int64_t until = 0;   ///< ms; see JobRow
  std::uint64_t receipt = 0;
  std::unique_ptr<char[]> bytes;  ///< id, then payload
  std::unique_ptr<std::string> reason;
  std::uint32_t hash = 0;  ///< of the id
  std::uint32_t payload_bytes = 0;
  std::uint32_t lease_ms = 0;
  std::uint16_t max_attempts = 0;
  std::uint16_t failures = 0;
  std::uint16_t crashes = 0;
  std::uint8_t id_bytes = 0;
  std::uint8_t priority = 0;
  JobState state = JobState::ready;
  DeadCause cause = DeadCause::none;

  std::string_view id() const { return {bytes.get(), id_bytes}; }
  std::string_view payload() const { return {bytes.get() + id_bytes, payload_bytes}; }
  void set_bytes(std::string_view id, std::string_view payload);
  Line::Key key() const { return {at, sequence}; }
  JobRow row() const;
};

class JobSlab {
 public:
  Slot add();
  /// Frees what the job holds.
  void remove(Slot slot);
  Job& operator[](Slot slot) { return chunks_[slot / kChunkJobs][slot % kChunkJobs]; }
  const Job& operator[](Slot slot) const { return chunks_[slot / kChunkJobs][slot % kChunkJobs]; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kChunkJobs = 1024;
  std::vector<std::unique_ptr<Job[]>> chunks_;
  std::vector<Slot> free_;
  std::size_t used_ = 0;  // slots that were ever given out
};

}  // namespace scoreline::queues
