// Commands about queues and jobs: each is one request, and its answer is what is printed.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "base/base64.h"
#include "cli/commands.h"
#include "cli/json_members.h"
#include "http/json_text.h"
#include "http/raw_json.h"
#include "queues/limits.h"

namespace scoreline::cli {
namespace {

using Deed = QueueCommand::Deed;

/// Members of an object, one behind the other.
class Body {
 public:
  Body& text(std::string_view key, std::string_view value) {
    begin(key);
    http::append_quoted(text_, value);
    return *this;
  }
  Body& text_if(std::string_view key, const std::optional<std::string>& value) {
    return value ? text(key, *value) : *this;
  }
  Body& json(std::string_view key, std::string_view value) {
    begin(key);
    text_ += value;
    return *this;
  }
  template <typename Number>
  Body& number(std::string_view key, const std::optional<Number>& value) {
    return value ? json(key, fmt::format("{}", *value)) : *this;
  }
  std::string take() { return text_.empty() ? "{}" : std::move(text_) + "}"; }

 private:
  void begin(std::string_view key) {
    text_ += text_.empty() ? "{" : ",";
    http::append_quoted(text_, key);
    text_ += ':';
  }
  std::string text_;
};

/// Errors: not_found, when standard input cannot be read.
Result<std::string> payload_of(const std::string& given) {
  if (given != "-") return given;
  std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  if (std::cin.bad()) return fail(Code::storage_failed, "standard input cannot be read to its end", "PAYLOAD");
  return bytes;
}

std::string job_of(const QueueCommand& command, const std::optional<std::string>& payload) {
  Body body;
  if (!command.id.empty()) body.text("id", command.id);
  if (payload) {
    http::is_json(*payload) ? body.json("payload", *payload) : body.text("payloadBase64", to_base64(*payload));
  }
  body.number("priority", command.priority).number("maxAttempts", command.max_attempts).text_if("delay", command.delay);
  if (command.run_at) body.text("runAt", format_timestamp(*command.run_at));
  return body.take();
}

Result<std::string> job_of(const QueueCommand& command) {
  if (!command.payload) return job_of(command, std::nullopt);
  return payload_of(*command.payload).map([&](const std::string& payload) { return job_of(command, payload); });
}

std::string path_of_queue(const std::string& queue) { return "/v1/queues/" + http::percent_encode(queue); }
std::string path_of_job(const QueueCommand& command) {
  return path_of_queue(command.queue) + "/jobs/" + http::percent_encode(command.id);
}

http::ClientRequest post(std::string target, std::string body = {}) {
  return {.method = http::Method::post, .target = std::move(target), .body = std::move(body)};
}
http::ClientRequest get(std::string target) { return {.target = std::move(target)}; }
http::ClientRequest put(std::string target, std::string body) {
  return {.method = http::Method::put, .target = std::move(target), .body = std::move(body)};
}
http::ClientRequest remove(std::string target) { return {.method = http::Method::del, .target = std::move(target)}; }

std::string path_of_schedule(const QueueCommand& command) {
  return path_of_queue(command.queue) + "/schedules/" + http::percent_encode(command.schedule);
}

std::string schedule_of(const QueueCommand& command) {
  Body body;
  body.text("cron", command.cron).text("timeZone", command.time_zone);
  if (command.payload) body.json("payload", *command.payload);
  return body.number("priority", command.priority).number("maxAttempts", command.max_attempts).take();
}

/// What is done to a job that is held.
http::ClientRequest on_lease(const QueueCommand& command, std::string_view deed) {
  Body body;
  body.text("receipt", command.receipt).text_if("delay", command.delay).text_if("lease", command.lease);
  if (!command.reason.empty()) body.text("reason", command.reason);
  return post(fmt::format("{}:{}", path_of_job(command), deed), body.take());
}

/// Numbers are written as such, everything else as a string.
void append_value(Body& body, const std::string& name, const std::string& value) {
  const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  number ? body.json(name, value) : body.text(name, value);
}

/// The options as they are, with those that were given in their places.
Result<std::string> options_with(const QueueCommand& command, Answerer& answerer) {
  Body body;
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(command.options, [&](const auto& option) { return option.first == name; });
  };
  const auto answer = answerer.ask(get(path_of_queue(command.queue)));
  if (!answer && answer.error().code != Code::not_found) return fail(answer.error());
  if (answer) {
    const auto document = http::JsonDocument::parse(*answer);
    if (!document) return fail(document.error());
    document->root().each([&](http::JsonValue member) {
      if (member.key() != "options") return;
      member.each([&](http::JsonValue option) {
        if (given(option.key())) return;
        option.kind() == http::JsonKind::string ? body.text(option.key(), option.text())
                                                : body.json(option.key(), option.text());
      });
    });
  }
  for (const auto& [name, value] : command.options) append_value(body, name, value);
  return body.take();
}

Result<http::ClientRequest> request_of(const QueueCommand& command, Answerer& answerer) {
  const std::string queue = path_of_queue(command.queue);
  switch (command.deed) {
    case Deed::list: return get("/v1/queues");
    case Deed::stats: return get(queue);
    case Deed::set:
      return options_with(command, answerer).map([&](std::string body) { return put(queue, std::move(body)); });
    case Deed::push:
      return job_of(command).map([&](std::string body) { return post(queue + "/jobs", std::move(body)); });
    case Deed::take: {
      Body body;
      body.number("max", command.max).text_if("wait", command.wait).text_if("lease", command.lease);
      return post(queue + ":take", body.take());
    }
    case Deed::poll: return post(queue + ":poll");
    case Deed::poll_due: return post(queue + ":poll-due");
    case Deed::ack: return on_lease(command, "ack");
    case Deed::nack: return on_lease(command, "nack");
    case Deed::extend: return on_lease(command, "extend");
    case Deed::release: return on_lease(command, "release");
    case Deed::peek: return get(queue + ":peek");
    case Deed::jobs:
      return get(fmt::format("{}/jobs?state={}&first={}&limit={}", queue, command.state, command.first, command.limit));
    case Deed::show: return get(path_of_job(command));
    case Deed::remove: return remove(path_of_job(command));
    case Deed::pause: return post(queue + ":pause");
    case Deed::resume: return post(queue + ":resume");
    case Deed::purge: return post(queue + ":purge", Body().text("state", command.state).take());
    case Deed::retry_dead: return post(command.id.empty() ? queue + ":retry-dead" : path_of_job(command) + ":retry");
    case Deed::schedules: return get(queue + "/schedules");
    case Deed::schedule: return put(path_of_schedule(command), schedule_of(command));
    case Deed::unschedule: return remove(path_of_schedule(command));
  }
  return fail(Code::internal, "no such command");
}

/// Lines of standard input, many a call.
Result<int> push_lines(const QueueCommand& command, Context& context, Answerer& answerer) {
  constexpr std::size_t kMaxCallBytes = 1024 * 1024;
  std::uint64_t pushed = 0;
  std::size_t count = 0;
  std::string jobs;
  const auto send = [&]() -> Result<void> {
    if (count == 0) return {};
    const auto body =
        answerer.ask(post(path_of_queue(command.queue) + "/jobs", R"({"jobs":[)" + std::exchange(jobs, {}) + "]}"));
    if (!body) {
      Error error = body.error();
      error.detail += fmt::format(" (the first {} lines are in)", pushed);
      return fail(std::move(error));
    }
    pushed += std::exchange(count, 0);
    return {};
  };
  for (std::string line; std::getline(std::cin, line);) {
    if (count > 0) jobs += ',';
    jobs += job_of(command, line);
    if (++count < queues::kMaxJobs && jobs.size() < kMaxCallBytes) continue;
    if (const auto sent = send(); !sent) return fail(sent.error());
  }
  if (const auto sent = send(); !sent) return fail(sent.error());
  context.out << fmt::format("{{\"pushed\":{}}}\n", pushed);
  return 0;
}

}  // namespace

Result<int> run_queue(const QueueCommand& command, Context& context) {
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  if (command.lines) return push_lines(command, context, **answerer);
  const auto request = request_of(command, **answerer);
  if (!request) return fail(request.error());
  const auto body = (*answerer)->ask(*request);
  if (!body) return fail(body.error());
  context.out << *body;
  if (!body->empty() && body->back() != '\n') context.out << '\n';
  return 0;
}

}  // namespace scoreline::cli
