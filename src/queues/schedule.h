// A schedule of a queue: a cron expression that puts a job in at each of its times.
//
// One job a tick, however many processes run: a store keeps the last tick of each schedule with its jobs, and lets a
// tick in once. Who was away at one or more ticks makes up for the last of them, not for all.
//
// Thread safety: pure functions and plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/timestamp.h"
#include "queues/limits.h"
#include "queues/options.h"

namespace scoreline::queues {

/// Names are those of queues (1..64 characters of a-z, 0-9, `.`, `_`, `-`).
struct Schedule {
  std::string name;
  std::string cron;               ///< base/cron.h
  std::string time_zone = "UTC";  ///< of the IANA database
  std::string payload = {};
  int priority = kDefaultPriority;
  std::optional<int> max_attempts = {};  ///< absent: as the queue says

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Errors: Code::invalid (`name`, `cron`, `timeZone`, `priority`, `maxAttempts`), Code::too_large (`payload`).
Result<void> check(const Schedule& schedule, const QueueOptions& options);

/// What a schedule does at a moment.
struct Ticks {
  std::optional<Timestamp> due;   ///< the last tick that has passed since `last`: put its job in
  std::optional<Timestamp> next;  ///< the first one that has not; nullopt: none before the year 10000
};

/// `last`: the tick that was put in last, or when the schedule was made. `schedule` is checked.
Ticks ticks(const Schedule& schedule, Timestamp last, Timestamp now);

/// The id of a tick's job: `NAME@2026-12-03T10:00:00Z`. While it lives, nobody can put the tick in again.
std::string tick_id(const Schedule& schedule, Timestamp tick);

}  // namespace scoreline::queues
