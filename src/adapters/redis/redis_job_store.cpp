#include "adapters/redis/redis_job_store.h"

#include <fmt/format.h>

#include <utility>

#include "adapters/redis/redis_job_codec.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/server_fitness.h"
#include "queues/specs.h"

namespace scoreline::redis {

using queues::EnqueueAnswer;
using queues::HeldJob;
using queues::JobSpec;
using queues::JobState;
using queues::QueueOptions;
using queues::StoredJob;
using queues::TakeSpec;
using queues::TakeTicket;

namespace {

/// More in one call would take Redis and the connection for too long.
constexpr std::size_t kPayloadsOfCall = 64 * 1024 * 1024;

/// The script knows what the queue says.
Result<void> check_jobs(const std::vector<JobSpec>& jobs) {
  QueueOptions widest;
  widest.max_payload = queues::kMaxPayloadBytes;
  if (auto right = check(jobs, widest); !right) return right;
  std::size_t bytes = 0;
  for (const JobSpec& job : jobs) bytes += job.payload.size();
  if (bytes <= kPayloadsOfCall) return {};
  return fail(Code::too_large, fmt::format("must be at most {} bytes of payload in one call", kPayloadsOfCall), "jobs");
}

Result<void> check_held(std::string_view queue, const std::vector<HeldJob>& jobs,
                        std::optional<std::chrono::milliseconds> delay = {},
                        std::optional<std::chrono::milliseconds> lease = {}) {
  return queues::check_queue_name(queue).and_then([&] { return check(jobs, delay, lease); });
}

std::string text_of(std::optional<std::chrono::milliseconds> span) {
  return span ? std::to_string(span->count()) : std::string();
}

Error lost_lease() {
  return Error{Code::conflict,
               "the lease is lost: it ran out, or the job was acked, given back or handed to another",
               "receipt",
               {}};
}

Result<std::optional<StoredJob>> one_of(const Reply& reply) {
  auto jobs = jobs_of(reply, 3);
  if (!jobs) return fail(std::move(jobs).error());
  return jobs->empty() ? std::nullopt : std::optional(std::move(jobs->front()));
}

}  // namespace

Result<std::unique_ptr<RedisJobStore>> RedisJobStore::open(Client& client, const JobStoreOptions& options,
                                                           const Clock& clock, Random& random) {
  const auto server = client.server_of(options.key_prefix);
  if (!server) return fail(server.error());
  if (const auto fit = check_server(*server, "queues"); !fit) return fail(fit.error());
  return std::unique_ptr<RedisJobStore>(new RedisJobStore(client, options, clock, random));
}

RedisJobStore::RedisJobStore(Client& client, const JobStoreOptions& options, const Clock& clock, Random& random)
    : client_(client),
      prefix_(options.key_prefix),
      clock_(clock),
      random_(random),
      lanes_(std::make_unique<JobLanes>(client, options.key_prefix, options.threads, clock, random)),
      schedules_(std::make_unique<JobSchedules>(client, *lanes_, options.key_prefix, clock)) {}

/// Lanes answer what still waits, and schedules wait for answers: so lanes end last, but are told first.
RedisJobStore::~RedisJobStore() { lanes_->stop(); }

void RedisJobStore::enqueue(std::string_view queue, std::vector<JobSpec> jobs, Done<std::vector<EnqueueAnswer>> done) {
  if (auto right = queues::check_queue_name(queue); !right) return done(fail(right.error()));
  if (auto right = check_jobs(jobs); !right) return done(fail(right.error()));
  queues::give_ids(jobs, clock_.now(), random_);
  Words ids;
  ids.reserve(jobs.size());
  Words words = words_of_jobs(jobs);
  for (JobSpec& job : jobs) ids.push_back(std::move(job.id));
  lanes_->call(queue, {&scripts().job_enqueue, std::move(words), true, false,
                       [ids = std::move(ids), done = std::move(done)](const Result<Reply>& reply) {
                         done(reply.and_then([&](const Reply& answer) { return enqueued_of(answer, ids); }));
                       }});
}

TakeTicket RedisJobStore::take(std::string_view queue, const TakeSpec& spec, Done<std::vector<StoredJob>> done) {
  auto right = queues::check_queue_name(queue).and_then([&] { return check(spec); });
  if (!right) {
    done(fail(std::move(right).error()));
    return {};
  }
  Taker taker{spec.max, spec.lease, std::nullopt, std::move(done)};
  if (spec.wait.count() > 0) taker.until = clock_.monotonic() + spec.wait;
  return lanes_->take(queue, std::move(taker));
}

void RedisJobStore::cancel(TakeTicket take) { lanes_->cancel(take); }

void RedisJobStore::poll_as(std::string_view queue, const char* which, Done<std::optional<StoredJob>> done) {
  if (auto right = queues::check_queue_name(queue); !right) return done(fail(right.error()));
  lanes_->call(queue, {&scripts().job_poll, {which}, true, false, [done = std::move(done)](const Result<Reply>& reply) {
                         done(reply.and_then([](const Reply& answer) { return one_of(answer); }));
                       }});
}

void RedisJobStore::poll(std::string_view queue, Done<std::optional<StoredJob>> done) {
  poll_as(queue, "first", std::move(done));
}

void RedisJobStore::poll_due(std::string_view queue, Done<std::optional<StoredJob>> done) {
  poll_as(queue, "due", std::move(done));
}

void RedisJobStore::ask(std::string_view queue, const Script& script, Words words, bool reads, Done<Reply> done) {
  if (auto right = queues::check_queue_name(queue); !right) return done(fail(right.error()));
  lanes_->call(queue, {&script, std::move(words), false, reads, std::move(done)});
}

void RedisJobStore::change_leases(std::string_view queue, Words words, const std::vector<HeldJob>& jobs,
                                  Done<std::vector<std::optional<std::int64_t>>> done) {
  words.push_back(std::to_string(random_.below(std::uint64_t{1} << 31)));
  for (const HeldJob& job : jobs) {
    words.push_back(job.id);
    words.push_back(bytes_of(job.receipt));
  }
  ask(queue, scripts().job_leases, std::move(words), false,
      [count = jobs.size(), done = std::move(done)](const Result<Reply>& reply) {
        if (!reply) return done(fail(reply.error()));
        if (reply->elements.size() != count) return done(strange_job_answer());
        std::vector<std::optional<std::int64_t>> answers(count);
        for (std::size_t i = 0; i < count; ++i) {
          if (reply->elements[i].integer >= 0) answers[i] = reply->elements[i].integer;
        }
        done(std::move(answers));
      });
}

void RedisJobStore::ack(std::string_view queue, std::vector<HeldJob> jobs, Done<std::vector<Result<void>>> done) {
  if (auto right = check_held(queue, jobs); !right) return done(fail(right.error()));
  change_leases(queue, {"ack", "", ""}, jobs, [done = std::move(done)](const auto& answers) {
    if (!answers) return done(fail(answers.error()));
    std::vector<Result<void>> results;
    for (const auto& answer : *answers) results.push_back(answer ? Result<void>() : fail(lost_lease()));
    done(std::move(results));
  });
}

void RedisJobStore::change_states(std::string_view queue, Words words, const std::vector<HeldJob>& jobs,
                                  Done<std::vector<Result<JobState>>> done) {
  change_leases(queue, std::move(words), jobs, [done = std::move(done)](const auto& answers) {
    if (!answers) return done(fail(answers.error()));
    std::vector<Result<JobState>> states;
    for (const auto& answer : *answers) {
      states.push_back(answer ? Result<JobState>(static_cast<JobState>(*answer)) : fail(lost_lease()));
    }
    done(std::move(states));
  });
}

void RedisJobStore::nack(std::string_view queue, std::vector<HeldJob> jobs,
                         std::optional<std::chrono::milliseconds> delay, std::string reason,
                         Done<std::vector<Result<JobState>>> done) {
  if (auto right = check_held(queue, jobs, delay); !right) return done(fail(right.error()));
  change_states(queue, {"nack", text_of(delay), std::string(queues::kept_reason(reason))}, jobs, std::move(done));
}

void RedisJobStore::extend(std::string_view queue, std::vector<HeldJob> jobs,
                           std::optional<std::chrono::milliseconds> lease, Done<std::vector<Result<Timestamp>>> done) {
  if (auto right = check_held(queue, jobs, {}, lease); !right) return done(fail(right.error()));
  change_leases(queue, {"extend", text_of(lease), ""}, jobs, [done = std::move(done)](const auto& answers) {
    if (!answers) return done(fail(answers.error()));
    std::vector<Result<Timestamp>> deadlines;
    for (const auto& answer : *answers) {
      deadlines.push_back(answer ? Result<Timestamp>(Timestamp{*answer}) : fail(lost_lease()));
    }
    done(std::move(deadlines));
  });
}

void RedisJobStore::release(std::string_view queue, std::vector<HeldJob> jobs,
                            std::optional<std::chrono::milliseconds> delay, Done<std::vector<Result<JobState>>> done) {
  if (auto right = check_held(queue, jobs, delay); !right) return done(fail(right.error()));
  change_states(queue, {"release", text_of(delay), ""}, jobs, std::move(done));
}

}  // namespace scoreline::redis
