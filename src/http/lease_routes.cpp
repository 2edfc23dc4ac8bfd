// What workers do with the jobs that they hold: one in the path, or many in the body.
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/job_call.h"
#include "http/job_json.h"
#include "http/json_text.h"
#include "http/queue_routes.h"

namespace scoreline::http {
namespace {

using queues::HeldJob;
using queues::JobState;
using queues::JobStore;

enum class Many : std::uint8_t { one, all };

template <typename T>
void append_outcome(std::string& out, const std::string& id, const Result<T>& outcome) {
  out += R"({"id":)";
  append_quoted(out, id);
  out += ',';
  if (!outcome) {
    append_error(out, outcome.error());
  } else if constexpr (std::is_void_v<T>) {
    out += R"("state":"done")";
  } else if constexpr (std::is_same_v<T, JobState>) {
    out.append(R"("state":")").append(to_string(*outcome)).append("\"");
  } else {
    out += R"("state":"leased","leaseUntil":)";
    append_time(out, *outcome);
  }
  out += '}';
}

template <typename T>
JobStore::Done<std::vector<Result<T>>> answer_for(std::vector<HeldJob> jobs, Many many, Responder responder) {
  auto open = std::make_shared<Responder>(std::move(responder));
  return [open, jobs = std::move(jobs), many](const Result<std::vector<Result<T>>>& outcomes) {
    if (!outcomes) return open->send(problem(outcomes.error()));
    std::string out;
    if (many == Many::one) {
      const Result<T>& outcome = outcomes->front();
      if (!outcome) return open->send(problem(outcome.error()));
      append_outcome(out, jobs.front().id, outcome);
      return open->send(json(std::move(out)));
    }
    out += R"({"jobs":[)";
    for (std::size_t i = 0; i < outcomes->size(); ++i) {
      if (i > 0) out += ',';
      append_outcome(out, jobs[i].id, (*outcomes)[i]);
    }
    open->send(json(out + "]}"));
  };
}

/// `work(store, queue, written, responder)` once all has been read.
template <typename Work>
void work_on(const Call& call, Responder responder, Deed deed, Many many, Work work) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  const auto id = many == Many::one ? std::optional(call.params[1]) : std::nullopt;
  const auto written = read_deed(call.request, deed, id);
  if (!written) return responder.send(problem(written.error()));
  work(**store, call.params[0], *written, std::move(responder));
}

void ack(const Call& call, Responder responder, Many many) {
  work_on(call, std::move(responder), Deed::ack, many,
          [many](JobStore& store, std::string_view queue, const WrittenDeed& deed, Responder to) {
            store.ack(queue, deed.jobs, answer_for<void>(deed.jobs, many, std::move(to)));
          });
}

void nack(const Call& call, Responder responder, Many many) {
  work_on(call, std::move(responder), Deed::nack, many,
          [many](JobStore& store, std::string_view queue, const WrittenDeed& deed, Responder to) {
            store.nack(queue, deed.jobs, deed.delay, deed.reason, answer_for<JobState>(deed.jobs, many, std::move(to)));
          });
}

void extend(const Call& call, Responder responder, Many many) {
  work_on(call, std::move(responder), Deed::extend, many,
          [many](JobStore& store, std::string_view queue, const WrittenDeed& deed, Responder to) {
            store.extend(queue, deed.jobs, deed.lease, answer_for<Timestamp>(deed.jobs, many, std::move(to)));
          });
}

void release(const Call& call, Responder responder, Many many) {
  work_on(call, std::move(responder), Deed::release, many,
          [many](JobStore& store, std::string_view queue, const WrittenDeed& deed, Responder to) {
            store.release(queue, deed.jobs, deed.delay, answer_for<JobState>(deed.jobs, many, std::move(to)));
          });
}

}  // namespace

void ack_job(const Call& call, Responder responder) { ack(call, std::move(responder), Many::one); }
void ack_jobs(const Call& call, Responder responder) { ack(call, std::move(responder), Many::all); }
void nack_job(const Call& call, Responder responder) { nack(call, std::move(responder), Many::one); }
void nack_jobs(const Call& call, Responder responder) { nack(call, std::move(responder), Many::all); }
void extend_job(const Call& call, Responder responder) { extend(call, std::move(responder), Many::one); }
void extend_jobs(const Call& call, Responder responder) { extend(call, std::move(responder), Many::all); }
void release_job(const Call& call, Responder responder) { release(call, std::move(responder), Many::one); }
void release_jobs(const Call& call, Responder responder) { release(call, std::move(responder), Many::all); }

}  // namespace scoreline::http
