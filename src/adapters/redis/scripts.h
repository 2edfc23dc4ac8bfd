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
  Script job_enqueue;
  Script job_leases;
  Script job_list;
  Script job_look;
  Script job_operate;
  Script job_poll;
  Script job_purge;
  Script job_register;
  Script job_schedule;
  Script job_take;
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
