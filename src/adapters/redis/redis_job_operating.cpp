// Looking into queues on Redis, and what their operator does to them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/redis/redis_job_codec.h"
#include "adapters/redis/redis_job_store.h"
#include "adapters/redis/scripts.h"
#include "queues/option_fields.h"
#include "queues/specs.h"

namespace scoreline::redis {

using queues::Durability;
using queues::JobPosition;
using queues::JobState;
using queues::ListSpec;
using queues::QueueOptions;
using queues::QueueStats;
using queues::StoredJob;

namespace {

/// Jobs of one step of a purge or of a retry of all: so that nobody waits long behind it.
constexpr std::size_t kSweepStep = 500;

}  // namespace

Result<std::vector<std::string>> RedisJobStore::names() const {
  const std::string key = prefix_ + ":names";
  const Command all{key, {"SMEMBERS", key}};
  const auto members = client_.run(std::span(&all, 1));
  if (!members) return fail(members.error());
  if (members->front().kind == Reply::Kind::error) return fail(job_error_of(members->front().text));
  std::vector<std::string> names;
  std::vector<Command> asked;
  for (const Reply& member : members->front().elements) {
    names.push_back(member.text);
    const std::string queue = queue_keys(prefix_, member.text).front();
    asked.push_back({queue, {"EXISTS", queue}});
  }
  // A name is written down before its queue comes into being.
  const auto there = client_.run(std::span<const Command>(asked));
  if (!there) return fail(there.error());
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((*there)[i].integer == 1) found.push_back(std::move(names[i]));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void RedisJobStore::queues(Done<std::vector<std::string>> done) {
  lanes_->run([this, done] { done(names()); }, [done](const Error& error) { done(fail(error)); });
}

/// What the server does with what it has answered. Where it does not tell (managed ones may not), the least that is
/// possible.
Durability RedisJobStore::durability_of(std::string_view queue) const {
  const std::string key = queue_keys(prefix_, queue).front();
  const Command persistence{key, {"INFO", "persistence"}}, policy{key, {"CONFIG", "GET", "appendfsync"}};
  const auto info = client_.run(std::span(&persistence, 1));
  if (!info || info->front().text.find("aof_enabled:1") == std::string::npos) return Durability::memory;
  const auto synced = client_.run(std::span(&policy, 1));
  if (!synced || synced->front().elements.size() != 2) return Durability::os;
  return synced->front().elements[1].text == "always" ? Durability::disk : Durability::os;
}

void RedisJobStore::options(std::string_view queue, Done<QueueOptions> done) {
  ask(queue, scripts().job_operate, {"options"}, true,
      [this, queue = std::string(queue), done = std::move(done)](const Result<Reply>& reply) {
        auto options = reply.and_then([](const Reply& text) { return queues::parse_options(text.text); });
        if (options) options->durability = durability_of(queue);
        done(std::move(options));
      });
}

void RedisJobStore::set_options(std::string_view queue, const QueueOptions& options, Done<void> done) {
  auto right = queues::check_queue_name(queue).and_then([&] { return check(options); });
  if (!right) return done(fail(std::move(right).error()));
  lanes_->call(queue, {&scripts().job_operate,
                       {"set", queues::format_options(options)},
                       true,
                       false,
                       [done = std::move(done)](const Result<Reply>& reply) { done(reply.map([](const Reply&) {})); }});
}

void RedisJobStore::set_paused(std::string_view queue, bool paused, Done<void> done) {
  if (auto right = queues::check_queue_name(queue); !right) return done(fail(right.error()));
  lanes_->call(queue, {&scripts().job_operate,
                       {paused ? "pause" : "resume"},
                       true,
                       false,
                       [done = std::move(done)](const Result<Reply>& reply) { done(reply.map([](const Reply&) {})); }});
}

void RedisJobStore::put_schedule(std::string_view queue, const queues::Schedule& schedule, Done<void> done) {
  QueueOptions widest;
  widest.max_payload = queues::kMaxPayloadBytes;
  auto right = queues::check_queue_name(queue).and_then([&] { return check(schedule, widest); });
  if (!right) return done(fail(std::move(right).error()));
  auto answer = [done](const Result<Reply>& reply) {
    done(reply.and_then([](const Reply& kept) -> Result<void> {
      if (kept.integer == 1) return {};
      return fail(Code::too_many, fmt::format("a queue has {} schedules at most", queues::kMaxSchedules), "name");
    }));
  };
  JobCall call{&scripts().job_schedule,
               {"put", schedule.name, definition_of(schedule), std::to_string(queues::kMaxSchedules)},
               true,
               false,
               std::move(answer)};
  lanes_->run(
      [this, queue = std::string(queue), call = std::move(call)] {
        if (auto known = schedules_->look_after(queue); !known) return call.done(fail(known.error()));
        lanes_->call(queue, call);
      },
      [done](const Error& error) { done(fail(error)); });
}

void RedisJobStore::drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) {
  ask(queue, scripts().job_schedule, {"drop", std::string(name)}, false,
      [done = std::move(done)](const Result<Reply>& reply) {
        done(reply.map([](const Reply& answer) { return answer.integer == 1; }));
      });
}

void RedisJobStore::schedules(std::string_view queue, Done<std::vector<queues::ScheduleState>> done) {
  ask(queue, scripts().job_schedule, {"all"}, true, [done = std::move(done)](const Result<Reply>& reply) {
    const auto kept = reply.and_then([](const Reply& answer) { return schedules_of(answer); });
    if (!kept) return done(fail(kept.error()));
    std::vector<queues::ScheduleState> states;
    for (const KeptSchedule& each : kept->all) {
      const auto last = each.ticked ? std::optional(each.last) : std::nullopt;
      states.push_back({each.schedule, last, ticks(each.schedule, each.last, kept->now).next});
    }
    done(std::move(states));
  });
}

void RedisJobStore::stats(std::string_view queue, Done<QueueStats> done) {
  ask(queue, scripts().job_look, {"stats"}, true, [done = std::move(done)](const Result<Reply>& reply) {
    done(reply.and_then([](const Reply& answer) { return stats_of(answer); }));
  });
}

void RedisJobStore::look(std::string_view queue, Words words, Done<std::optional<StoredJob>> done) {
  ask(queue, scripts().job_look, std::move(words), true, [done = std::move(done)](const Result<Reply>& reply) {
    if (!reply) return done(fail(reply.error()));
    auto jobs = jobs_of(*reply, 3);
    if (!jobs) return done(fail(std::move(jobs).error()));
    done(jobs->empty() ? std::nullopt : std::optional(std::move(jobs->front())));
  });
}

void RedisJobStore::find(std::string_view queue, std::string_view id, Done<std::optional<StoredJob>> done) {
  look(queue, {"find", std::string(id)}, std::move(done));
}

void RedisJobStore::peek(std::string_view queue, Done<std::optional<StoredJob>> done) {
  look(queue, {"peek", ""}, std::move(done));
}

void RedisJobStore::list(std::string_view queue, const ListSpec& spec, Done<std::vector<StoredJob>> done) {
  if (auto right = check(spec); !right) return done(fail(right.error()));
  // No queue has so many: more would not fit into the numbers of a script.
  const std::size_t first = std::min(spec.first, queues::kMaxJobsInQueue);
  ask(queue, scripts().job_list,
      {std::string(to_string(spec.state)), std::to_string(first), std::to_string(spec.count)}, true,
      [done = std::move(done)](const Result<Reply>& reply) {
        done(reply.and_then([](const Reply& answer) { return jobs_of(answer, 2); }));
      });
}

void RedisJobStore::position(std::string_view queue, std::string_view id, Done<std::optional<JobPosition>> done) {
  ask(queue, scripts().job_look, {"position", std::string(id)}, true,
      [done = std::move(done)](const Result<Reply>& reply) {
        done(reply.and_then([](const Reply& answer) { return position_of(answer); }));
      });
}

void RedisJobStore::sweep(std::string queue, Words words, std::uint64_t done_before, std::optional<std::uint64_t> left,
                          Done<std::uint64_t> done) {
  const std::uint64_t step = std::min<std::uint64_t>(kSweepStep, left.value_or(kSweepStep));
  Words step_words = words;
  step_words.push_back(std::to_string(step));
  auto next = [this, queue, words = std::move(words), done_before, left,
               done = std::move(done)](const Result<Reply>& reply) {
    if (!reply) return done(fail(reply.error()));
    if (reply->elements.size() != 2) return done(strange_job_answer());
    const auto swept = static_cast<std::uint64_t>(reply->elements[0].integer);
    // Jobs that come in meanwhile are not swept for ever.
    const std::uint64_t before = left.value_or(swept + static_cast<std::uint64_t>(reply->elements[1].integer));
    const std::uint64_t rest = before - std::min(before, swept);
    if (swept == 0 || rest == 0) return done(done_before + swept);
    sweep(queue, words, done_before + swept, rest, done);
  };
  ask(queue, scripts().job_purge, std::move(step_words), false, std::move(next));
}

void RedisJobStore::purge(std::string_view queue, JobState state, Done<std::uint64_t> done) {
  sweep(std::string(queue), {"purge", std::string(to_string(state))}, 0, std::nullopt, std::move(done));
}

void RedisJobStore::remove(std::string_view queue, std::string_view id, Done<bool> done) {
  ask(queue, scripts().job_operate, {"remove", std::string(id)}, false,
      [done = std::move(done)](const Result<Reply>& reply) {
        done(reply.map([](const Reply& answer) { return answer.integer == 1; }));
      });
}

void RedisJobStore::retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) {
  if (!id) return sweep(std::string(queue), {"retry", "dead"}, 0, std::nullopt, std::move(done));
  ask(queue, scripts().job_operate, {"retry", *id}, false, [done = std::move(done)](const Result<Reply>& reply) {
    done(reply.and_then([](const Reply& answer) -> Result<std::uint64_t> {
      if (answer.integer == 0) return fail(Code::not_found, "there is no such job", "id");
      if (answer.integer < 0) return fail(Code::conflict, "the job is not dead", "id");
      return 1;
    }));
  });
}

}  // namespace scoreline::redis
