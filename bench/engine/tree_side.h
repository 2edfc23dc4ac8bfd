// Our side of the engine benchmark: RankTree in this process, CPU time of this thread.
#pragma once

#include <cstdint>

#include "workload.h"

namespace scoreline::bench {

/// Memory is measured as growth of this process's resident set: call it before anything large is allocated.
Figures measure_tree(std::uint64_t members, int repetitions);

}  // namespace scoreline::bench
