// The Lua scripts of lua/, each put together with the parts it begins with, by embed_scripts.cmake.
#pragma once

#include "adapters/redis/client.h"

namespace scoreline::redis {

struct Scripts {
  Script apply;
  Script around;
  Script begin_load;
  Script counts_above;
  Script drop;
  Script entries_at;
  Script erase;
  Script finish_load;
  Script load;
  Script places;
  Script range;
  Script range_after;
  Script range_before;
  Script range_by_points;
  Script state;
};

const Scripts& scripts();

}  // namespace scoreline::redis
