#include "http/queue_json.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/base64.h"
#include "base/duration.h"
#include "http/job_json.h"
#include "http/json_object.h"
#include "http/json_text.h"
#include "queues/option_fields.h"

namespace scoreline::http {
namespace {

using queues::Durability;
using queues::QueueOptions;
using queues::Schedule;

std::optional<Error> read_option(JsonValue member, Durability& durability) {
  const auto text = read_string(member);
  if (!text) return text.error();
  const auto parsed = queues::parse_durability(*text);
  if (!parsed) return Error{Code::invalid, "must be disk, os or memory", std::string(member.key()), {}};
  durability = *parsed;
  return std::nullopt;
}

std::optional<Error> read_option(JsonValue member, std::chrono::milliseconds& span) {
  return take_into(read_duration(member), span);
}

template <typename Number>
std::optional<Error> read_option(JsonValue member, Number& number) {
  const auto value = read_integer(member);
  if (!value) return value.error();
  const auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
  if (*value < 0 || *value > most) {
    return Error{Code::invalid, fmt::format("must be 0..{}", most), std::string(member.key()), {}};
  }
  number = static_cast<Number>(*value);
  return std::nullopt;
}

void append_option(std::string& out, Durability durability) {
  out.append("\"").append(to_string(durability)).append("\"");
}
void append_option(std::string& out, std::chrono::milliseconds span) {
  out.append("\"").append(format_duration(span)).append("\"");
}
template <typename Number>
void append_option(std::string& out, Number number) {
  append_number(out, number);
}

std::string names_of_options() {
  std::string names;
  const QueueOptions options;
  queues::visit_option_fields(
      options, [&](std::string_view name, const auto&) { names.append(names.empty() ? "" : ", ").append(name); });
  return names;
}

}  // namespace

Result<QueueOptions> read_options(const Request& request) {
  QueueOptions options;
  const auto wrong = read_body_members(request, {}, [&](JsonValue member) {
    std::optional<Error> error = unknown_field(member.key(), names_of_options());
    queues::visit_option_fields(options, [&](std::string_view name, auto& option) {
      if (name == member.key()) error = read_option(member, option);
    });
    return error;
  });
  if (wrong) return fail(*wrong);
  return options;
}

void append_options(std::string& out, const QueueOptions& options) {
  out += '{';
  queues::visit_option_fields(options, [&](std::string_view name, const auto& option) {
    out.append(out.back() == '{' ? "\"" : ",\"").append(name).append("\":");
    append_option(out, option);
  });
  out += '}';
}

void append_stats(std::string& out, const queues::QueueStats& stats) {
  const auto count = [&out](std::string_view name, std::uint64_t value) {
    out.append(out.back() == '{' ? "\"" : ",\"").append(name).append("\":");
    append_number(out, value);
  };
  out += '{';
  count("ready", stats.ready);
  count("delayed", stats.delayed);
  count("leased", stats.leased);
  count("dead", stats.dead);
  count("done", stats.done);
  out += R"(,"oldestReady":)";
  append_option(out, stats.oldest_ready);
  count("enqueued", stats.enqueued);
  count("duplicates", stats.duplicates);
  count("taken", stats.taken);
  count("acked", stats.acked);
  count("nacked", stats.nacked);
  count("crashed", stats.crashed);
  count("died", stats.died);
  count("deadEvicted", stats.dead_evicted);
  count("deadExpired", stats.dead_expired);
  out += fmt::format(R"(,"enqueuedPerSecond":{:.3f},"takenPerSecond":{:.3f})", stats.enqueued_per_second,
                     stats.taken_per_second);
  count("memoryBytes", stats.memory_bytes);
  out += '}';
}

Result<Schedule> read_schedule(const Request& request, std::string_view name) {
  Schedule schedule{std::string(name), {}, "UTC", "null", queues::kDefaultPriority, {}};
  const auto wrong = read_body_members(request, "payload", [&](JsonValue member) -> std::optional<Error> {
    const std::string_view key = member.key();
    if (key == "payload") {
      schedule.payload = member.text();
      return std::nullopt;
    }
    if (key == "cron" || key == "timeZone") {
      const auto text = read_string(member);
      if (!text) return text.error();
      (key == "cron" ? schedule.cron : schedule.time_zone) = *text;
      return std::nullopt;
    }
    if (key == "priority") return read_option(member, schedule.priority);
    if (key == "maxAttempts") return read_option(member, schedule.max_attempts.emplace());
    return unknown_field(key, "cron, timeZone, payload, priority, maxAttempts");
  });
  if (wrong) return fail(*wrong);
  if (schedule.cron.empty()) return fail(missing_field("cron", "a cron expression, like 0 3 * * *"));
  return schedule;
}

void append_schedule(std::string& out, const queues::ScheduleState& state) {
  const Schedule& schedule = state.schedule;
  out += R"({"name":)";
  append_quoted(out, schedule.name);
  out += R"(,"cron":)";
  append_quoted(out, schedule.cron);
  out += R"(,"timeZone":)";
  append_quoted(out, schedule.time_zone);
  out += R"(,"priority":)";
  append_number(out, schedule.priority);
  if (schedule.max_attempts) {
    out += R"(,"maxAttempts":)";
    append_number(out, *schedule.max_attempts);
  }
  out += ',';
  append_payload(out, schedule.payload);
  if (state.last) {
    out += R"(,"last":)";
    append_time(out, *state.last);
  }
  out += R"(,"next":)";
  state.next ? append_time(out, *state.next) : static_cast<void>(out += "null");
  out += '}';
}

}  // namespace scoreline::http
