// One queue of the embedded store, with those that wait at it.
//
// Thread safety: `lock` guards all the rest but `index`.
// Invariant: while takes wait there is nothing that the first of them could have, but for what time has brought since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "queues/job_ledger.h"
#include "queues/queue.h"
#include "queues/recorder.h"
#include "queues/waiting_takes.h"

namespace scoreline::queues {

struct ServedSchedule {
  ScheduleRecord record;
  std::optional<Timestamp> ticked;  ///< the last tick that was put in
  std::optional<Timestamp> next;    ///< when to look at it again; nullopt: never
};

/// Of a queue and its schedules, what the ledger has.
struct KeptRecords {
  std::optional<QueueRecord> queue;
  std::map<std::string, ServedSchedule, std::less<>> schedules;
};

struct ServedQueue {
  std::size_t index = 0;  ///< among those of the store
  std::mutex lock;

  bool there = false;  ///< it has come into being
  QueueRecord record;  ///< as it is now; its number is 0 without a ledger
  KeptRecords kept;
  std::map<std::string, ServedSchedule, std::less<>> schedules;
  Recorder recorder;
  std::unique_ptr<Queue> queue;
  WaitingTakes waiting;
  std::uint64_t last_added = 0;  ///< its last changes, as the committer numbers them
  /// It is being set to durability `memory`: what has been added since, and must leave the ledger, too.
  std::optional<std::vector<std::uint64_t>> added_while_leaving;
  std::uint64_t takes_so_far = 0;
  std::optional<Monotonic> called_at;  ///< for when the agenda has it
};

}  // namespace scoreline::queues
