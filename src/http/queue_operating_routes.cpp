// Looking into queues, and what an operator does to them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/limits.h"
#include "http/job_call.h"
#include "http/job_json.h"
#include "http/json_text.h"
#include "http/queue_json.h"
#include "http/queue_routes.h"

namespace scoreline::http {
namespace {

using queues::JobPosition;
using queues::JobState;
using queues::JobStore;
using queues::ListSpec;
using queues::QueueOptions;
using queues::QueueStats;
using queues::ScheduleState;
using queues::StoredJob;

std::string queue_json(const std::string& name, const QueueOptions& options, const QueueStats& stats) {
  std::string out = R"({"name":)";
  append_quoted(out, name);
  out += stats.paused ? R"(,"paused":true,"options":)" : R"(,"paused":false,"options":)";
  append_options(out, options);
  out += R"(,"stats":)";
  append_stats(out, stats);
  return out += '}';
}

std::string count_json(std::string_view what, std::uint64_t count) {
  std::string out = R"({")";
  out.append(what).append(R"(":)");
  append_number(out, count);
  return out += '}';
}

/// Answers with the queue as it is now.
void tell_queue(JobStore& store, const std::string& name, const std::shared_ptr<Responder>& open) {
  store.options(name, [&store, name, open](const Result<QueueOptions>& options) {
    if (!options) return open->send(problem(options.error()));
    store.stats(name, [name, open, options = *options](const Result<QueueStats>& stats) {
      open->send(stats ? json(queue_json(name, options, *stats)) : problem(stats.error()));
    });
  });
}

/// What changes a queue, then answers with it.
template <typename Change>
void change_queue(const Call& call, const Result<JobStore*>& store, Responder responder, Change change) {
  if (!store) return responder.send(problem(store.error()));
  auto open = std::make_shared<Responder>(std::move(responder));
  const std::string name(call.params[0]);
  change(**store, name, [&jobs = **store, name, open](const Result<void>& changed) {
    if (!changed) return open->send(problem(changed.error()));
    tell_queue(jobs, name, open);
  });
}

void set_paused(const Call& call, Responder responder, bool paused) {
  change_queue(call, jobs_without_body(call), std::move(responder),
               [paused](JobStore& store, const std::string& name, auto done) { store.set_paused(name, paused, done); });
}

std::string job_json(const StoredJob& job, const std::optional<JobPosition>& position) {
  std::string out;
  append_job(out, job, Payloads::show);
  if (!position) return out;
  out.back() = ',';
  out += R"("ahead":)";
  append_number(out, position->ahead);
  if (position->estimated_wait) {
    out.append(R"(,"estimatedWait":")").append(format_duration(*position->estimated_wait)).append("\"");
  }
  return out += '}';
}

Error no_such_job() { return {Code::not_found, "there is no such job", "id", {}}; }

std::string jobs_json(const std::vector<StoredJob>& jobs) {
  std::string out = R"({"jobs":[)";
  for (const StoredJob& job : jobs) {
    if (&job != jobs.data()) out += ',';
    append_job(out, job, Payloads::leave_out);
  }
  return out += "]}";
}

Result<ListSpec> read_list(const Call& call) {
  ListSpec spec;
  const std::string_view state = call.target.parameter("state").value_or("ready");
  const auto parsed = queues::parse_job_state(state);
  if (!parsed) return fail(Code::invalid, "must be ready, delayed, leased, dead or done", "state");
  spec.state = *parsed;
  const auto first = call.target.whole_number("first", 0, 0, queues::kMaxJobsInQueue);
  if (!first) return fail(first.error());
  const auto limit = call.target.whole_number("limit", 100, 1, queues::kMaxJobs);
  if (!limit) return fail(limit.error());
  spec.first = *first;
  spec.count = *limit;
  return spec;
}

}  // namespace

void list_queues(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  (*store)->queues(answer_with_json<std::vector<std::string>>(std::move(responder), [](const auto& names) {
    std::string out = R"({"queues":[)";
    for (const std::string& name : names) {
      if (&name != names.data()) out += ',';
      append_quoted(out, name);
    }
    return out + "]}";
  }));
}

void show_queue(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  tell_queue(**store, std::string(call.params[0]), std::make_shared<Responder>(std::move(responder)));
}

void put_queue(const Call& call, Responder responder) {
  const auto options = read_options(call.request);
  if (!options) return responder.send(problem(options.error()));
  change_queue(call, jobs_of(call), std::move(responder),
               [&](JobStore& store, const std::string& name, auto done) { store.set_options(name, *options, done); });
}

void pause_queue(const Call& call, Responder responder) { set_paused(call, std::move(responder), true); }
void resume_queue(const Call& call, Responder responder) { set_paused(call, std::move(responder), false); }

void purge_queue(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  const auto state = read_state(call.request);
  if (!state) return responder.send(problem(state.error()));
  (*store)->purge(call.params[0], *state,
                  answer_with_json<std::uint64_t>(std::move(responder),
                                                  [](std::uint64_t count) { return count_json("purged", count); }));
}

void retry_dead_jobs(const Call& call, Responder responder) {
  const auto store = jobs_without_body(call);
  if (!store) return responder.send(problem(store.error()));
  (*store)->retry_dead(call.params[0], std::nullopt,
                       answer_with_json<std::uint64_t>(
                           std::move(responder), [](std::uint64_t count) { return count_json("retried", count); }));
}

void retry_dead_job(const Call& call, Responder responder) {
  const auto store = jobs_without_body(call);
  if (!store) return responder.send(problem(store.error()));
  (*store)->retry_dead(call.params[0], std::string(call.params[1]),
                       answer_with_json<std::uint64_t>(
                           std::move(responder), [](std::uint64_t count) { return count_json("retried", count); }));
}

void list_jobs(const Call& call, Responder responder) {
  const auto store = jobs_of(call, {"state", "first", "limit"});
  if (!store) return responder.send(problem(store.error()));
  const auto spec = read_list(call);
  if (!spec) return responder.send(problem(spec.error()));
  (*store)->list(call.params[0], *spec, answer_with_json<std::vector<StoredJob>>(std::move(responder), jobs_json));
}

void show_job(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  JobStore& jobs = **store;
  auto open = std::make_shared<Responder>(std::move(responder));
  const std::string queue(call.params[0]), id(call.params[1]);
  jobs.find(queue, id, [&jobs, queue, id, open](const Result<std::optional<StoredJob>>& job) {
    if (!job) return open->send(problem(job.error()));
    if (!*job) return open->send(problem(no_such_job()));
    if ((*job)->state != JobState::ready) return open->send(json(job_json(**job, std::nullopt)));
    jobs.position(queue, id, [open, found = **job](const Result<std::optional<JobPosition>>& position) {
      open->send(json(job_json(found, position.value_or(std::nullopt))));
    });
  });
}

void remove_job(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  auto open = std::make_shared<Responder>(std::move(responder));
  (*store)->remove(call.params[0], call.params[1], [open](const Result<bool>& removed) {
    if (!removed) return open->send(problem(removed.error()));
    open->send(*removed ? json(R"({"removed":true})") : problem(no_such_job()));
  });
}

void peek_job(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  (*store)->peek(call.params[0], answer_with_json<std::optional<StoredJob>>(std::move(responder), [](const auto& job) {
                   return R"({"job":)" + (job ? job_json(*job, std::nullopt) : "null") + "}";
                 }));
}

void list_schedules(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  (*store)->schedules(call.params[0],
                      answer_with_json<std::vector<ScheduleState>>(std::move(responder), [](const auto& states) {
                        std::string out = R"({"schedules":[)";
                        for (const ScheduleState& state : states) {
                          if (&state != states.data()) out += ',';
                          append_schedule(out, state);
                        }
                        return out + "]}";
                      }));
}

void put_schedule(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  const auto schedule = read_schedule(call.request, call.params[1]);
  if (!schedule) return responder.send(problem(schedule.error()));
  (*store)->put_schedule(call.params[0], *schedule,
                         answer_with_json<void>(std::move(responder), [name = schedule->name] {
                           std::string out = R"({"name":)";
                           append_quoted(out, name);
                           return out + "}";
                         }));
}

void drop_schedule(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  auto open = std::make_shared<Responder>(std::move(responder));
  (*store)->drop_schedule(call.params[0], call.params[1], [open](const Result<bool>& dropped) {
    if (!dropped) return open->send(problem(dropped.error()));
    open->send(*dropped ? json(R"({"dropped":true})")
                        : problem(Error{Code::not_found, "there is no such schedule", "name", {}}));
  });
}

}  // namespace scoreline::http
