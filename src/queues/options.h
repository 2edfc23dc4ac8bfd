// What a queue may be set to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "queues/limits.h"
#include "queues/values.h"

namespace scoreline::queues {

/// What an answer promises.
enum class Durability : std::uint8_t {
  disk,    ///< it survives a power failure
  os,      ///< it survives the end of the process
  memory,  ///< it is gone with the process
};
std::string_view to_string(Durability durability);
std::optional<Durability> parse_durability(std::string_view text);

struct QueueOptions {
  Durability durability = Durability::disk;
  int max_attempts = 10;                     ///< 1..1000; a job may say its own
  int crash_limit = 3;                       ///< 0..1000; one lost lease more, and the job is dead
  std::chrono::milliseconds lease{30'000};   ///< when a take says none
  std::chrono::milliseconds backoff{1'000};  ///< after the first nack; twice as long after each further one
  std::chrono::milliseconds max_backoff{3'600'000};
  /// After a lost lease. Even without any, a job that lost its worker goes behind those that are ready.
  std::chrono::milliseconds crash_backoff{0};
  std::chrono::milliseconds dedup_for{0};  ///< an id stays taken so long after it is done
  std::chrono::milliseconds aging{0};      ///< a job gains one level each; 0: never
  std::size_t max_leased = 0;              ///< leased at once; 0: any number
  std::size_t reserved = 0;                ///< so many of max_leased only for urgent jobs
  int reserved_for = 0;                    ///< urgent: of this priority or a higher one (a smaller number)
  std::size_t max_dead = 10'000;           ///< the oldest ones are dropped over it, and counted
  std::chrono::milliseconds dead_for = std::chrono::hours{24 * 30};  ///< dead jobs are dropped after it, and counted
  std::size_t max_payload = kDefaultPayloadBytes;
  std::size_t max_jobs = 10'000'000;  ///< in the queue, whatever their state

  friend bool operator==(const QueueOptions&, const QueueOptions&) = default;
};

/// Errors: Code::invalid with the field as JSON writes it (`maxAttempts`).
Result<void> check(const QueueOptions& options);

/// Errors: Code::invalid (`id`, `priority`, `runAt`, `maxAttempts`), Code::too_large (`payload`).
Result<void> check(const NewJob& job, const QueueOptions& options);

/// Errors: Code::invalid, field `lease`.
Result<void> check_lease(std::chrono::milliseconds lease);
/// Errors: Code::invalid, field `delay`.
Result<void> check_delay(std::chrono::milliseconds delay);

}  // namespace scoreline::queues
