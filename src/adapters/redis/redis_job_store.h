// Jobs of several processes on one Redis or Valkey (a server, sentinels, a cluster) that they share.
//
// Each call is one script, which does all of it or nothing, by the server's own clock. What the scripts keep, and how
// the order stays exact, stands at the top of lua/job_queue.lua. Leases and delays go by the wall clock of the server:
// one that is set moves them.
//
// What an answer promises is what that Redis promises: with `appendonly yes` and `appendfsync always` it is on disk;
// with `appendonly yes` alone it survives the end of the server's process, but not a power failure; without, a restart
// loses what came since the last snapshot; a failover may lose what the replica had not got yet. The `durability` of a
// queue cannot be set here: options() shows what the server does.
//
// Sent again after unknown_outcome: an enqueue with an id of the caller's is answered as a duplicate when it was done,
// as long as its job is there (set dedupFor, and it is so after that too); one without an id may put a second job in.
// An ack, nack or release that was done is answered with conflict. What a take leased and nobody was told of comes back
// when its lease runs out, and counts as lost.
//
// A server without memory (maxmemory) answers storage_full to what puts something in, whole; jobs can be worked off.
//
// Within a process takes are served first come, first served; between processes by who looks first. Counts and rates of
// stats() are those of all processes together, since the queue came into being.
//
// Thread safety: any thread. Answers come on threads of the store.
// Cost: a round trip, which calls of one queue that wait share. A job takes about 450 bytes of the server beyond its id
// and payload. A take answers with at most 8 MiB of payloads, and one job more.
// Errors besides the port's: usage when the server evicts keys or is older than 6.2 (open).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_job_lanes.h"
#include "adapters/redis/redis_job_schedules.h"
#include "base/clock.h"
#include "base/random.h"
#include "queues/job_store.h"

namespace scoreline::redis {

struct JobStoreOptions {
  std::string key_prefix = "queue";
  std::size_t threads = 4;  ///< that many queues wait for an answer at once
};

class RedisJobStore final : public queues::JobStore {
 public:
  template <typename T>
  using Done = queues::JobStore::Done<T>;

  /// All references outlive the store. `clock` is that of waiting and of new ids; jobs go by the server's. Errors:
  /// usage; those of Client when the server cannot be reached.
  static Result<std::unique_ptr<RedisJobStore>> open(Client& client, const JobStoreOptions& options, const Clock& clock,
                                                     Random& random);
  ~RedisJobStore() override;

  void enqueue(std::string_view queue, std::vector<queues::JobSpec> jobs,
               Done<std::vector<queues::EnqueueAnswer>> done) override;
  queues::TakeTicket take(std::string_view queue, const queues::TakeSpec& spec,
                          Done<std::vector<queues::StoredJob>> done) override;
  void cancel(queues::TakeTicket take) override;
  void poll(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void poll_due(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void ack(std::string_view queue, std::vector<queues::HeldJob> jobs, Done<std::vector<Result<void>>> done) override;
  void nack(std::string_view queue, std::vector<queues::HeldJob> jobs, std::optional<std::chrono::milliseconds> delay,
            std::string reason, Done<std::vector<Result<queues::JobState>>> done) override;
  void extend(std::string_view queue, std::vector<queues::HeldJob> jobs, std::optional<std::chrono::milliseconds> lease,
              Done<std::vector<Result<Timestamp>>> done) override;
  void release(std::string_view queue, std::vector<queues::HeldJob> jobs,
               std::optional<std::chrono::milliseconds> delay,
               Done<std::vector<Result<queues::JobState>>> done) override;
  void put_schedule(std::string_view queue, const queues::Schedule& schedule, Done<void> done) override;
  void drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) override;
  void schedules(std::string_view queue, Done<std::vector<queues::ScheduleState>> done) override;
  void queues(Done<std::vector<std::string>> done) override;
  void options(std::string_view queue, Done<queues::QueueOptions> done) override;
  void set_options(std::string_view queue, const queues::QueueOptions& options, Done<void> done) override;
  void set_paused(std::string_view queue, bool paused, Done<void> done) override;
  void stats(std::string_view queue, Done<queues::QueueStats> done) override;
  void find(std::string_view queue, std::string_view id, Done<std::optional<queues::StoredJob>> done) override;
  void peek(std::string_view queue, Done<std::optional<queues::StoredJob>> done) override;
  void list(std::string_view queue, const queues::ListSpec& spec, Done<std::vector<queues::StoredJob>> done) override;
  void position(std::string_view queue, std::string_view id, Done<std::optional<queues::JobPosition>> done) override;
  void purge(std::string_view queue, queues::JobState state, Done<std::uint64_t> done) override;
  void remove(std::string_view queue, std::string_view id, Done<bool> done) override;
  void retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) override;

 private:
  RedisJobStore(Client& client, const JobStoreOptions& options, const Clock& clock, Random& random);

  using Words = std::vector<std::string>;
  /// A call that only looks, or one on what is there.
  void ask(std::string_view queue, const Script& script, Words words, bool reads, Done<Reply> done);
  void poll_as(std::string_view queue, const char* which, Done<std::optional<queues::StoredJob>> done);
  void look(std::string_view queue, Words words, Done<std::optional<queues::StoredJob>> done);
  void change_leases(std::string_view queue, Words words, const std::vector<queues::HeldJob>& jobs,
                     Done<std::vector<std::optional<std::int64_t>>> done);
  void change_states(std::string_view queue, Words words, const std::vector<queues::HeldJob>& jobs,
                     Done<std::vector<Result<queues::JobState>>> done);
  /// Steps of a bounded number of jobs until all that were there at first are done with; how many.
  void sweep(std::string queue, Words words, std::uint64_t done_before, std::optional<std::uint64_t> left,
             Done<std::uint64_t> done);
  Result<std::vector<std::string>> names() const;
  queues::Durability durability_of(std::string_view queue) const;

  Client& client_;
  const std::string prefix_;
  const Clock& clock_;
  Random& random_;
  std::unique_ptr<JobLanes> lanes_;
  std::unique_ptr<JobSchedules> schedules_;
};

}  // namespace scoreline::redis
