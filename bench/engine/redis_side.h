// The other side of the engine benchmark: a redis-server of its own, over a Unix socket.
//
// What is measured is the CPU time of its main thread, as the kernel counts it (/proc/PID/task/PID/schedstat), for
// deep pipelines of commands, less that of as many ECHOs with as many request bytes: reading, parsing, dispatching and
// sending are taken off, the work on the sorted set stays. Redis's own `INFO commandstats` measures the same from
// inside. The smaller of the two counts, so that neither method's noise speaks against Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workload.h"

namespace scoreline::bench {

/// None when `program` cannot be started.
std::optional<Figures> measure_redis(const std::string& program, std::uint64_t members, int repetitions);

}  // namespace scoreline::bench
