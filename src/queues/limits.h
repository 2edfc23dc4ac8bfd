// Limits on every input of job queues; over one of them the answer is an error that names it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace scoreline::queues {

inline constexpr int kPriorities = 10;  ///< 0..9; 0 goes first
inline constexpr int kDefaultPriority = 5;
inline constexpr std::size_t kMaxQueueNameBytes = 64;
inline constexpr std::size_t kMaxJobIdBytes = 128;
inline constexpr std::size_t kMaxReasonBytes = 1'000;
/// Of one job: what a queue may be set to, and what it is set to at first.
inline constexpr std::size_t kMaxPayloadBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kDefaultPayloadBytes = 256 * 1024;
inline constexpr std::size_t kMaxQueues = 10'000;
inline constexpr std::size_t kMaxSchedules = 100;  ///< of one queue
/// Jobs of one enqueueMany, one take, one page of a list.
inline constexpr std::size_t kMaxJobs = 1'000;
/// Jobs that one queue holds, whatever their state; its slots are numbered in 32 bits.
inline constexpr std::size_t kMaxJobsInQueue = 100'000'000;
/// How long one take waits at most, and how many takes of a process may wait at once.
inline constexpr std::chrono::milliseconds kMaxWait = std::chrono::minutes{10};
inline constexpr std::size_t kMaxWaitingTakes = 100'000;
/// Of changes that wait for the ledger; over it nothing more is put in.
inline constexpr std::size_t kMaxUnkeptBytes = 256 * 1024 * 1024;
inline constexpr int kMaxAttempts = 1'000;  ///< and of the crash limit
inline constexpr std::chrono::milliseconds kMinLease{1};
inline constexpr std::chrono::milliseconds kMaxLease = std::chrono::hours{24};
/// Of delays, of backoff, aging, dedup windows and retention.
inline constexpr std::chrono::milliseconds kMaxDelay = std::chrono::hours{24 * 3'660};

/// Steps of upkeep (leases that ended, ids that are free again) that a call does beside its own work.
inline constexpr std::size_t kUpkeepSteps = 64;

}  // namespace scoreline::queues
