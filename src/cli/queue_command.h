// What a command about job queues was told.
//
// Thread safety: plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/timestamp.h"

namespace scoreline::cli {

/// One call about a queue, its jobs, or those that somebody holds.
struct QueueCommand {
  enum class Deed : std::uint8_t {
    list,
    stats,
    set,
    push,
    take,
    poll,
    poll_due,
    ack,
    nack,
    extend,
    release,
    peek,
    jobs,
    show,
    remove,
    pause,
    resume,
    purge,
    retry_dead,
    schedules,
    schedule,
    unschedule,
  };
  Deed deed = Deed::list;
  std::string queue;                    ///< all but list
  std::string id;                       ///< of one job; empty: push makes one, retry_dead means all
  std::string receipt;                  ///< ack, nack, extend, release
  std::optional<std::string> payload;   ///< push, schedule; `-`: standard input; absent: null
  bool lines = false;                   ///< push: each line of standard input is the payload of a job
  std::optional<int> priority;          ///< push, schedule
  std::optional<int> max_attempts;      ///< push, schedule
  std::optional<Timestamp> run_at;      ///< push
  std::optional<std::string> delay;     ///< push, nack, release
  std::optional<std::string> lease;     ///< take, extend
  std::optional<std::string> wait;      ///< take
  std::optional<std::size_t> max;       ///< take
  std::string reason;                   ///< nack
  std::string state = "ready";          ///< jobs, purge
  std::size_t first = 0;                ///< jobs
  std::size_t limit = 100;              ///< jobs
  std::string schedule;                 ///< its name: schedule, unschedule
  std::string cron, time_zone = "UTC";  ///< schedule
  std::vector<std::pair<std::string, std::string>> options;  ///< set: names and values
};

/// Runs a program for each job.
struct QueueWorkCommand {
  std::string queue;
  std::vector<std::string> command;  ///< the program and its arguments
  std::size_t concurrency = 1;
  std::chrono::milliseconds lease{30'000};
};

}  // namespace scoreline::cli
