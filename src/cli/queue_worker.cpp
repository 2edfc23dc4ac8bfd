#include "cli/queue_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/duration.h"
#include "cli/json_members.h"
#include "http/json_text.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestWait{2'000};
/// With the shortest lease, of a second, a third of it and this are well within it.
constexpr milliseconds kShortestDeadline{250};
/// How soon a signal, or the time to extend, is noticed while a program runs.
constexpr milliseconds kLook{100};
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{10'000};

milliseconds wait_of(milliseconds lease) { return std::min(kLongestWait, lease / 8); }

/// Whether the same call may go well later.
bool is_worth_trying_again(Code code) {
  switch (code) {
    case Code::not_ready:
    case Code::overloaded:
    case Code::unknown_outcome:
    case Code::storage_failed:
    case Code::storage_full:
    case Code::timed_out:
    case Code::internal: return true;
    default: return false;
  }
}

bool is_lost(Code code) { return code == Code::conflict || code == Code::not_found; }

}  // namespace

void Shift::tell(const Error& error) {
  const std::lock_guard lock(mutex);
  tell_error(context.err, error, context.json);
}

void Shift::give_up(const Error& error) {
  const std::lock_guard lock(mutex);
  if (!end) end = error;
  Stop no = Stop::no;
  stop.compare_exchange_strong(no, Stop::drain);
}

milliseconds QueueWorker::answer_deadline(milliseconds lease) {
  return wait_of(lease) + std::max(kShortestDeadline, lease / 8);
}

void QueueWorker::run() {
  while (shift_.stop == Shift::Stop::no) {
    auto job = take();
    if (!job && !is_worth_trying_again(job.error().code)) return shift_.give_up(job.error());
    if (!job) {
      if (pause_.count() == 0) shift_.tell(job.error());
      pause();
      continue;
    }
    pause_ = milliseconds{0};
    if (*job) work_on(**std::move(job));
  }
}

Result<std::optional<QueueWorker::Job>> QueueWorker::take() {
  const milliseconds lease = shift_.command.lease;
  // The lease begins when the answer does, so a moment before the question is early enough.
  const Monotonic asked = now();
  http::ClientRequest request;
  request.method = http::Method::post;
  request.target = fmt::format("/v1/queues/{}:take", http::percent_encode(shift_.command.queue));
  request.body =
      fmt::format(R"({{"wait":"{}","lease":"{}"}})", format_duration(wait_of(lease)), format_duration(lease));
  const auto body = answerer_.ask(request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body, "payload");
  if (!document) return fail(Code::not_ready, "the answer is not one of Scoreline", "server");
  std::optional<Job> job;
  each_of(document->root(), "jobs", [&](http::JsonValue taken) {
    job = Job{member(taken, "id"),      member(taken, "payload"), member(taken, "priority"),
              member(taken, "attempt"), member(taken, "receipt"), asked + lease};
    if (taken.has("payloadBase64")) job->payload = from_base64(member(taken, "payloadBase64")).value_or(std::string());
  });
  return job;
}

void QueueWorker::work_on(Job job) {
  if (shift_.stop != Shift::Stop::no) return give_back(job);
  next_extension_ = now() + shift_.command.lease / 3;
  auto process = JobProcess::start(shift_.command.command, std::move(job.payload),
                                   {{"SCORELINE_QUEUE", shift_.command.queue},
                                    {"SCORELINE_JOB_ID", job.id},
                                    {"SCORELINE_JOB_ATTEMPT", job.attempt},
                                    {"SCORELINE_JOB_PRIORITY", job.priority}});
  if (!process) {
    give_back(job);
    return shift_.give_up(process.error());
  }
  const auto ended = watch(**process, job);
  if (ended) return settle(job, *ended);
  process->reset();  // whoever gets the job next must not meet this program
  if (shift_.stop == Shift::Stop::drop) return give_back(job);
  ++shift_.lost;
  shift_.tell({Code::conflict, fmt::format("the lease of job {} is lost; its program was ended", job.id), {}, {}});
}

std::optional<JobProcess::Ended> QueueWorker::watch(JobProcess& process, Job& job) {
  while (true) {
    if (auto ended = process.wait_for(kLook)) return ended;
    if (shift_.stop == Shift::Stop::drop || now() >= job.until) return std::nullopt;
    if (now() >= next_extension_ && !extend(job)) return std::nullopt;
  }
}

bool QueueWorker::extend(Job& job) {
  const milliseconds lease = shift_.command.lease;
  const Monotonic asked = now();
  // Too late to learn the answer in time: the lease is left to run out.
  if (asked + answer_deadline(lease) > job.until) return true;
  const auto body = ask(job, "extend", fmt::format(R"(,"lease":"{}")", format_duration(lease)));
  if (!body && is_lost(body.error().code)) return false;
  if (body) job.until = asked + lease;
  next_extension_ = now() + (body ? lease / 3 : std::min<milliseconds>(lease / 10, milliseconds{1'000}));
  return true;
}

void QueueWorker::settle(const Job& job, const JobProcess::Ended& ended) {
  std::string reason;
  if (!ended.succeeded) {
    reason = R"(,"reason":)";
    http::append_quoted(reason, ended.reason);
  }
  bool may_be_settled = false;  // by a call whose answer was lost
  while (true) {
    const auto body = ask(job, ended.succeeded ? "ack" : "nack", reason);
    const bool lost = !body && is_lost(body.error().code);
    if (body || (lost && may_be_settled)) {
      ++(ended.succeeded ? shift_.done : shift_.failed);
      return;
    }
    may_be_settled |= body.error().code == Code::unknown_outcome;
    const bool again = is_worth_trying_again(body.error().code) && now() < job.until;
    if (!again || shift_.stop == Shift::Stop::drop) {
      ++shift_.lost;
      Error error = body.error();
      error.detail = fmt::format("what became of job {} could not be told, it may run again: {}", job.id, error.detail);
      return shift_.tell(error);
    }
    if (pause_.count() == 0) shift_.tell(body.error());
    pause();
  }
}

void QueueWorker::give_back(const Job& job) {
  const auto body = ask(job, "release");
  if (!body) return shift_.tell(body.error());
  ++shift_.given_back;
}

Result<std::string> QueueWorker::ask(const Job& job, std::string_view deed, std::string more) {
  http::ClientRequest request;
  request.method = http::Method::post;
  request.target = fmt::format("/v1/queues/{}/jobs/{}:{}", http::percent_encode(shift_.command.queue),
                               http::percent_encode(job.id), deed);
  request.body = fmt::format(R"({{"receipt":"{}"{}}})", job.receipt, more);
  return answerer_.ask(request);
}

void QueueWorker::pause() {
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  // Workers that lost a server at one moment must not come back at one moment.
  const auto some = shift_.context.random.below(static_cast<std::uint64_t>(pause_.count() / 2));
  const Monotonic until = now() + (pause_ - milliseconds{static_cast<std::int64_t>(some)});
  while (now() < until && shift_.stop == Shift::Stop::no) shift_.context.wait(kLook);
}

}  // namespace scoreline::cli
