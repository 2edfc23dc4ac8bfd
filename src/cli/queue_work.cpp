// `scoreline queue work`: takes jobs, runs the command for each, and tells the queue how it ended. While a command runs
// its lease is extended; when the lease is lost all the same, the command is ended, as somebody else has the job.
//
// Each of the workers is a thread with a connection of its own. A take waits for a moment only, so that a worker hears
// soon that the process is to stop; what runs then may finish, until a second signal.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/base64.h"
#include "base/duration.h"
#include "cli/answerer.h"
#include "cli/commands.h"
#include "cli/job_process.h"
#include "cli/json_members.h"
#include "http/json_text.h"
#include "queues/options.h"

namespace scoreline::cli {
namespace {

using http::JsonDocument;
using http::JsonValue;
using http::Method;
using std::chrono::milliseconds;

constexpr milliseconds kTakeWait = std::chrono::seconds{2};
constexpr milliseconds kLookAgain{100};
constexpr milliseconds kFirstPause{200}, kLongestPause = std::chrono::seconds{10};
/// From SIGTERM to SIGKILL, for a command whose lease is lost.
constexpr milliseconds kEndGrace = std::chrono::seconds{5};
/// Beats of the heartbeat in one lease.
constexpr int kBeats = 3;

struct TakenJob {
  std::string id, payload, receipt, priority, attempt;
};

/// What all workers share.
struct Work {
  const QueueWorkCommand& command;
  Context& context;
  milliseconds lease;
  std::string path;  // of the queue
  std::atomic<bool> stopping{false};
  std::atomic<bool> giving_back{false};  // what runs is ended, and its jobs go back
  std::atomic<unsigned> working{0};
  std::atomic<std::uint64_t> done{0}, failed{0};
  std::mutex told{};  // one line at a time

  void tell(const std::string& line) {
    const std::lock_guard lock(told);
    context.err << "scoreline: " << line << '\n' << std::flush;
  }
};

class Worker {
 public:
  Worker(Work& work, Answerer& answerer) : work_(work), answerer_(answerer) {}

  /// Until the work is stopping. Errors: those that asking again does not help against.
  Result<void> run() {
    milliseconds pause = kFirstPause;
    while (!work_.stopping) {
      const auto job = take();
      if (job) {
        pause = kFirstPause;
        if (!*job) continue;
        if (auto worked = work_on(**job); !worked) return worked;
        continue;
      }
      if (!is_passing(job.error())) return fail(job.error());
      work_.tell(job.error().detail + "; trying again");
      rest(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
    return {};
  }

 private:
  static bool is_passing(const Error& error) {
    switch (error.code) {
      case Code::not_ready:
      case Code::overloaded:
      case Code::storage_failed:
      case Code::storage_full:
      case Code::unknown_outcome:
      case Code::timed_out: return true;
      default: return false;
    }
  }

  void rest(milliseconds pause) {
    for (milliseconds rested{0}; rested < pause && !work_.stopping; rested += kLookAgain) {
      work_.context.wait(kLookAgain);
    }
  }

  Result<std::optional<TakenJob>> take() {
    const auto body = answerer_.ask({.method = Method::post,
                                     .target = work_.path + ":take",
                                     .body = fmt::format(R"({{"wait":"{}","lease":"{}"}})", format_duration(kTakeWait),
                                                         format_duration(work_.lease))});
    if (!body) return fail(body.error());
    const auto document = JsonDocument::parse(*body, "payload");
    if (!document) return fail(document.error());
    std::optional<TakenJob> job;
    each_of(document->root(), "jobs", [&](JsonValue each) {
      job = TakenJob{member(each, "id"), member(each, "payload"), member(each, "receipt"), member(each, "priority"),
                     member(each, "attempt")};
      if (!each.has("payloadBase64")) return;
      if (auto bytes = from_base64(member(each, "payloadBase64"))) job->payload = *std::move(bytes);
    });
    return job;
  }

  Result<std::string> tell_queue(const TakenJob& job, std::string_view deed, std::string more = {}) {
    return answerer_.ask({.method = Method::post,
                          .target = fmt::format("{}/jobs/{}:{}", work_.path, http::percent_encode(job.id), deed),
                          .body = fmt::format(R"({{"receipt":"{}"{}}})", job.receipt, more)});
  }

  Result<void> work_on(const TakenJob& job) {
    const Monotonic began = work_.context.clock.monotonic();
    auto started = JobProcess::start(work_.command.command, job.payload,
                                     {{"SCORELINE_QUEUE", work_.command.queue},
                                      {"SCORELINE_JOB_ID", job.id},
                                      {"SCORELINE_JOB_PRIORITY", job.priority},
                                      {"SCORELINE_JOB_ATTEMPT", job.attempt}});
    if (!started) {
      static_cast<void>(tell_queue(job, "release"));
      return fail(std::move(started).error());
    }
    ++work_.working;
    const auto ended = see_through(job, **started, began);
    if (ended) report(job, *ended);
    --work_.working;
    return {};
  }

  /// Waits for the command and keeps the lease; nullopt: the job is another's by now, or has been given back.
  std::optional<JobProcess::Ended> see_through(const TakenJob& job, JobProcess& process, Monotonic began) {
    const auto now = [this] { return work_.context.clock.monotonic(); };
    Monotonic lease_ends = began + work_.lease;
    Monotonic next_beat = began + work_.lease / kBeats;
    while (true) {
      if (auto ended = process.wait_for(std::clamp(left(next_beat, now()), milliseconds{0}, kLookAgain))) return ended;
      if (work_.giving_back) {
        end(process);
        static_cast<void>(tell_queue(job, "release"));
        work_.tell(fmt::format("job {}: given back", job.id));
        return std::nullopt;
      }
      if (now() < next_beat) continue;
      const Monotonic asked = now();
      const auto extended = tell_queue(job, "extend", fmt::format(R"(,"lease":"{}")", format_duration(work_.lease)));
      if (extended) lease_ends = asked + work_.lease;
      if ((!extended && !is_passing(extended.error())) || now() >= lease_ends) {
        end(process);
        work_.tell(fmt::format("job {}: its lease is lost, the command was ended", job.id));
        return std::nullopt;
      }
      next_beat = now() + (extended ? work_.lease / kBeats : milliseconds{kLookAgain});
    }
  }

  static milliseconds left(Monotonic until, Monotonic now) {
    return std::chrono::duration_cast<milliseconds>(until - now) + milliseconds{1};
  }

  void end(JobProcess& process) {
    process.signal(SIGTERM);
    const Monotonic patience = work_.context.clock.monotonic() + kEndGrace;
    while (work_.context.clock.monotonic() < patience) {
      if (process.wait_for(kLookAgain)) return;
    }
  }

  /// Until the queue has heard it, or the lease is over and it does not matter any more.
  void report(const TakenJob& job, const JobProcess::Ended& ended) {
    std::string reason;
    if (!ended.succeeded) {
      reason = R"(,"reason":)";
      http::append_quoted(reason, ended.reason);
    }
    const Monotonic until = work_.context.clock.monotonic() + work_.lease;
    while (true) {
      const auto told = tell_queue(job, ended.succeeded ? "ack" : "nack", reason);
      if (told) break;
      if (!is_passing(told.error()) || work_.context.clock.monotonic() >= until) {
        return work_.tell(fmt::format("job {}: {}", job.id, told.error().detail));
      }
      work_.context.wait(kFirstPause);
    }
    ++(ended.succeeded ? work_.done : work_.failed);
    if (!ended.succeeded) work_.tell(fmt::format("job {}: failed: {}", job.id, ended.reason));
  }

  Work& work_;
  Answerer& answerer_;
};

/// A connection for each worker; an engine in this process serves them all.
Result<std::vector<std::shared_ptr<Answerer>>> open_answerers(const QueueWorkCommand& command, Context& context) {
  std::vector<std::shared_ptr<Answerer>> answerers;
  for (unsigned i = 0; i < command.concurrency; ++i) {
    if (i > 0 && !context.remote) {
      answerers.push_back(answerers.front());
      continue;
    }
    auto opened = context.open_answerer();
    if (!opened) return fail(opened.error());
    answerers.push_back(std::move(*opened));
  }
  return answerers;
}

}  // namespace

Result<int> run_queue_work(const QueueWorkCommand& command, Context& context) {
  const auto lease = parse_duration(command.lease);
  if (!lease) return fail(Code::usage, lease.error().detail, "--lease");
  if (const auto right = queues::check_lease(*lease); !right) return fail(Code::usage, right.error().detail, "--lease");
  auto answerers = open_answerers(command, context);
  if (!answerers) return fail(answerers.error());
  Work work{command, context, *lease, "/v1/queues/" + http::percent_encode(command.queue)};
  std::vector<Result<void>> ends(answerers->size());
  std::atomic<std::size_t> running{answerers->size()};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answerers->size(); ++i) {
    threads.emplace_back([&, i] {
      ends[i] = Worker(work, *(*answerers)[i]).run();
      if (!ends[i]) work.stopping = true;
      --running;
    });
  }
  while (running > 0) {
    if (!context.told_to_stop(kLookAgain)) continue;
    if (work.stopping.exchange(true)) work.giving_back = true;
    if (!work.giving_back) work.tell(fmt::format("stopping; {} jobs run still", work.working.load()));
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& end : ends) {
    if (!end) return fail(end.error());
  }
  context.out << (context.json ? fmt::format("{{\"done\":{},\"failed\":{}}}\n", work.done.load(), work.failed.load())
                               : fmt::format("{} done, {} failed\n", work.done.load(), work.failed.load()));
  return 0;
}

}  // namespace scoreline::cli
