// Schedules of queues on Redis: what is kept of them, and the thread of a process that puts their jobs in.
//
// A tick is put in by one script, which compares the last tick first: so it is put in once, however many processes
// look.
//
// Thread safety: any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_job_lanes.h"
#include "queues/job_store.h"

namespace scoreline::redis {

/// What job_schedule.lua keeps of a schedule, its name apart.
std::string definition_of(const queues::Schedule& schedule);

struct KeptSchedule {
  queues::Schedule schedule;
  Timestamp last;       ///< its last tick, or when it was made
  bool ticked = false;  ///< it was a tick
};
struct KeptSchedules {
  Timestamp now;                  ///< by the server
  std::vector<KeptSchedule> all;  ///< by name
};
Result<KeptSchedules> schedules_of(const Reply& reply);

class JobSchedules {
 public:
  JobSchedules(Client& client, JobLanes& lanes, std::string prefix, const Clock& clock);
  ~JobSchedules();
  JobSchedules(const JobSchedules&) = delete;
  JobSchedules& operator=(const JobSchedules&) = delete;

  /// From now on all processes look after the queue's schedules.
  Result<void> look_after(std::string_view queue);

 private:
  void keep();
  bool sleep(std::chrono::milliseconds span);
  std::chrono::milliseconds look();
  std::chrono::milliseconds look_at(const std::string& queue);
  void tick(const std::string& queue, const KeptSchedule& kept, Timestamp tick);
  Result<Reply> ask(const std::string& queue, std::vector<std::string> words);

  Client& client_;
  JobLanes& lanes_;
  const std::string key_;  // the names of queues that have schedules (set)
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;     // the last member: it begins when all else is there
};

}  // namespace scoreline::redis
