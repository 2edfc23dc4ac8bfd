// One call of a job queue, over HTTP or in this process.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/timestamp.h"
#include "cli/answerer.h"
#include "cli/commands.h"
#include "cli/json_members.h"
#include "http/json_text.h"
#include "http/raw_json.h"
#include "queues/limits.h"

namespace scoreline::cli {
namespace {

using Deed = QueueCommand::Deed;
using http::JsonDocument;
using http::JsonKind;
using http::JsonValue;
using http::Method;

/// Members of a JSON object, one after another.
class JsonMembers {
 public:
  JsonMembers& raw(std::string_view key, std::string_view json) {
    text_.append(text_.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(json);
    return *this;
  }
  JsonMembers& text(std::string_view key, std::string_view value) {
    std::string quoted;
    http::append_quoted(quoted, value);
    return raw(key, quoted);
  }
  JsonMembers& number(std::string_view key, std::int64_t value) { return raw(key, std::to_string(value)); }
  JsonMembers& text_if_any(std::string_view key, const std::optional<std::string>& value) {
    return value ? text(key, *value) : *this;
  }
  std::string object() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

/// Bytes that are JSON are sent as that, whatever else as they are.
JsonMembers& add_payload(JsonMembers& members, std::string_view payload) {
  if (http::is_json(payload)) return members.raw("payload", payload);
  return members.text("payloadBase64", to_base64(payload));
}

JsonMembers job_members(const QueueCommand& command) {
  JsonMembers job;
  if (!command.id.empty()) job.text("id", command.id);
  job.number("priority", command.priority).text_if_any("delay", command.delay);
  if (command.run_at) job.text("runAt", format_timestamp(*command.run_at));
  if (command.max_attempts) job.number("maxAttempts", *command.max_attempts);
  return job;
}

std::string path_of(const QueueCommand& command, std::string_view rest) {
  return fmt::format("/v1/queues/{}{}", http::percent_encode(command.queue), rest);
}

std::string path_of_job(const QueueCommand& command, std::string_view rest) {
  return path_of(command, "/jobs/" + http::percent_encode(command.id) + std::string(rest));
}

http::ClientRequest post(std::string target, const JsonMembers& members = {}) {
  return {.method = Method::post, .target = std::move(target), .body = members.object()};
}

http::ClientRequest push_request(const QueueCommand& command) {
  JsonMembers job = job_members(command);
  if (command.payload == "-") {
    add_payload(job, std::string(std::istreambuf_iterator<char>(std::cin), {}));
  } else if (!command.payload.empty()) {
    add_payload(job, command.payload);
  }
  return post(path_of(command, "/jobs"), job);
}

http::ClientRequest schedule_request(const QueueCommand& command) {
  JsonMembers schedule;
  schedule.text("cron", command.cron).text("timeZone", command.time_zone).number("priority", command.priority);
  if (!command.payload.empty()) schedule.raw("payload", command.payload);
  if (command.max_attempts) schedule.number("maxAttempts", *command.max_attempts);
  return {.method = Method::put,
          .target = path_of(command, "/schedules/" + http::percent_encode(command.schedule)),
          .body = schedule.object()};
}

http::ClientRequest request_of(const QueueCommand& command) {
  const auto lease = [&](std::string_view deed) {
    JsonMembers members;
    members.text("receipt", command.receipt).text_if_any("delay", command.delay);
    members.text_if_any("lease", command.lease).text_if_any("reason", command.reason);
    return post(path_of_job(command, deed), members);
  };
  const auto get = [](std::string target) { return http::ClientRequest{.target = std::move(target)}; };
  const auto drop = [](std::string target) {
    return http::ClientRequest{.method = Method::del, .target = std::move(target)};
  };
  switch (command.deed) {
    case Deed::push: return push_request(command);
    case Deed::take:
      return post(path_of(command, ":take"), JsonMembers()
                                                 .number("max", command.max)
                                                 .text_if_any("wait", command.wait)
                                                 .text_if_any("lease", command.lease));
    case Deed::poll: return post(path_of(command, ":poll"));
    case Deed::ack: return lease(":ack");
    case Deed::nack: return lease(":nack");
    case Deed::extend: return lease(":extend");
    case Deed::release: return lease(":release");
    case Deed::list:
      return get(path_of(command, fmt::format("/jobs?state={}&first={}&limit={}", http::percent_encode(command.state),
                                              command.first, command.limit)));
    case Deed::show: return get(path_of_job(command, ""));
    case Deed::peek: return get(path_of(command, ":peek"));
    case Deed::pause: return post(path_of(command, ":pause"));
    case Deed::resume: return post(path_of(command, ":resume"));
    case Deed::purge: return post(path_of(command, ":purge"), JsonMembers().text("state", command.state));
    case Deed::retry_dead:
      return post(command.id.empty() ? path_of(command, ":retry-dead") : path_of_job(command, ":retry"));
    case Deed::remove: return drop(path_of_job(command, ""));
    case Deed::schedule: return schedule_request(command);
    case Deed::schedules: return get(path_of(command, "/schedules"));
    case Deed::unschedule: return drop(path_of(command, "/schedules/" + http::percent_encode(command.schedule)));
    case Deed::stats:
    case Deed::set: break;
  }
  return get(path_of(command, ""));
}

Result<std::vector<std::string>> names_of_queues(Answerer& answerer) {
  const auto body = answerer.ask({.target = "/v1/queues"});
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  std::vector<std::string> names;
  each_of(document->root(), "queues", [&](JsonValue name) { names.emplace_back(name.text()); });
  return names;
}

JsonValue stats_of(const JsonDocument& queue) {
  JsonValue stats = queue.root();
  queue.root().each([&](JsonValue each) {
    if (each.key() == "stats") stats = each;
  });
  return stats;
}

Result<int> show_stats(const QueueCommand& command, Context& context, Answerer& answerer) {
  auto names =
      command.queue.empty() ? names_of_queues(answerer) : Result<std::vector<std::string>>(std::vector{command.queue});
  if (!names) return fail(std::move(names).error());
  if (!context.json) {
    context.out << fmt::format("{:<24} {:>10} {:>10} {:>8} {:>8} {:>12}\n", "queue", "ready", "delayed", "leased",
                               "dead", "oldest");
  }
  for (const std::string& name : *names) {
    const auto body = answerer.ask({.target = "/v1/queues/" + http::percent_encode(name)});
    if (!body) return fail(body.error());
    const auto document = JsonDocument::parse(*body);
    if (!document) return fail(document.error());
    if (context.json) {
      context.out << *body << '\n';
      continue;
    }
    const JsonValue stats = stats_of(*document);
    context.out << fmt::format("{:<24} {:>10} {:>10} {:>8} {:>8} {:>12}{}\n", name, member(stats, "ready"),
                               member(stats, "delayed"), member(stats, "leased"), member(stats, "dead"),
                               member(stats, "oldestReady"),
                               member(document->root(), "paused") == "true" ? "  paused" : "");
  }
  return 0;
}

/// Lines of standard input, a thousand jobs a call.
Result<int> push_lines(const QueueCommand& command, Context& context, Answerer& answerer) {
  std::uint64_t pushed = 0;
  std::string jobs;
  std::size_t count = 0;
  const auto send = [&]() -> Result<void> {
    if (count == 0) return {};
    const auto body = answerer.ask(post(path_of(command, "/jobs"), JsonMembers().raw("jobs", "[" + jobs + "]")));
    if (!body) return fail(body.error());
    pushed += count;
    jobs.clear();
    count = 0;
    return {};
  };
  constexpr std::size_t kMaxCallBytes = 1024 * 1024;
  for (std::string line; std::getline(std::cin, line);) {
    JsonMembers job = job_members(command);
    if (count > 0) jobs += ',';
    jobs += add_payload(job, line).object();
    if (++count < queues::kMaxJobs && jobs.size() < kMaxCallBytes) continue;
    if (const auto sent = send(); !sent) return fail(sent.error());
  }
  if (const auto sent = send(); !sent) return fail(sent.error());
  context.out << (context.json ? fmt::format("{{\"pushed\":{}}}\n", pushed) : fmt::format("{} jobs\n", pushed));
  return 0;
}

/// Those that are given in the place of what the queue has now.
Result<std::string> changed_options(const QueueCommand& command, const std::string& queue) {
  const auto document = JsonDocument::parse(queue);
  if (!document) return fail(document.error());
  JsonMembers options;
  document->root().each([&](JsonValue each) {
    if (each.key() != "options") return;
    each.each([&](JsonValue option) {
      std::string value(option.text());
      for (const std::string& given : command.options) {
        if (given.substr(0, given.find('=')) == option.key()) value = given.substr(given.find('=') + 1);
      }
      option.kind() == JsonKind::number ? options.raw(option.key(), value) : options.text(option.key(), value);
    });
  });
  return options.object();
}

Result<int> set_options(const QueueCommand& command, Context& context, Answerer& answerer) {
  for (const std::string& option : command.options) {
    if (option.find('=') == std::string::npos) return fail(Code::usage, "must be name=value", option);
  }
  auto body = answerer.ask(request_of(command));
  // One that is not there yet has the defaults.
  if (!body && body.error().code == Code::not_found && !command.options.empty()) {
    body = answerer.ask({.method = Method::put, .target = path_of(command, ""), .body = "{}"});
  }
  if (body && !command.options.empty()) {
    const auto options = changed_options(command, *body);
    if (!options) return fail(options.error());
    body = answerer.ask({.method = Method::put, .target = path_of(command, ""), .body = *options});
  }
  if (!body) return fail(std::move(body).error());
  context.out << *body << '\n';
  return 0;
}

}  // namespace

Result<int> run_queue(const QueueCommand& command, Context& context) {
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  if (command.deed == Deed::stats) return show_stats(command, context, **answerer);
  if (command.deed == Deed::set) return set_options(command, context, **answerer);
  if (command.deed == Deed::push && command.lines) return push_lines(command, context, **answerer);
  auto body = (*answerer)->ask(request_of(command));
  if (!body) return fail(std::move(body).error());
  context.out << *body << '\n';
  return 0;
}

}  // namespace scoreline::cli
