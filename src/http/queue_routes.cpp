// Putting jobs in, and handing them out.
#include "http/queue_routes.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/job_call.h"
#include "http/job_json.h"
#include "http/json_text.h"

namespace scoreline::http {
namespace {

using queues::EnqueueAnswer;
using queues::EnqueueOutcome;
using queues::HeldJob;
using queues::JobStore;
using queues::StoredJob;
using queues::TakeTicket;

void append_answer(std::string& out, const EnqueueAnswer& answer) {
  out += R"({"id":)";
  append_quoted(out, answer.id);
  out += R"(,"outcome":")";
  out += answer.outcome == EnqueueOutcome::enqueued ? "enqueued" : "duplicate";
  out.append(R"(","state":")").append(to_string(answer.state)).append("\"}");
}

std::string answers_json(const std::vector<EnqueueAnswer>& answers, bool single) {
  std::string out;
  if (single) {
    append_answer(out, answers.front());
    return out;
  }
  out += R"({"jobs":[)";
  for (const EnqueueAnswer& answer : answers) {
    if (&answer != answers.data()) out += ',';
    append_answer(out, answer);
  }
  return out += "]}";
}

std::string taken_json(const std::vector<StoredJob>& jobs) {
  std::string out = R"({"jobs":[)";
  for (const StoredJob& job : jobs) {
    if (&job != jobs.data()) out += ',';
    append_taken(out, job);
  }
  return out += "]}";
}

std::string polled_json(const std::optional<StoredJob>& job) {
  std::string out = R"({"job":)";
  job ? append_taken(out, *job) : static_cast<void>(out += "null");
  return out += '}';
}

/// One request that takes, and may wait.
struct OpenTake {
  JobStore& store;
  std::string queue;
  Responder responder;
  TakeTicket ticket;  ///< for the loop's thread alone

  void answer(const Result<std::vector<StoredJob>>& jobs) {
    // Cancelled: nobody is there to read it, or the server stops.
    if (!jobs && jobs.error().code == Code::conflict) return responder.send(json(taken_json({})));
    if (!jobs) return responder.send(problem(jobs.error()));
    Response response = json(taken_json(*jobs));
    if (!jobs->empty()) response.lost = give_back(*jobs);
    responder.send(std::move(response));
  }

  /// What nobody got goes back to its place, without counting as an attempt.
  std::function<void()> give_back(const std::vector<StoredJob>& jobs) const {
    std::vector<HeldJob> held;
    for (const StoredJob& job : jobs) held.push_back({job.id, job.receipt});
    return [&store = store, queue = queue, held = std::move(held)] {
      store.release(queue, held, std::nullopt, [](const auto&) {});
    };
  }
};

void poll(const Call& call, Responder responder,
          void (JobStore::*how)(std::string_view, JobStore::Done<std::optional<StoredJob>>)) {
  const auto store = jobs_without_body(call);
  if (!store) return responder.send(problem(store.error()));
  ((*store)->*how)(call.params[0], answer_with_json<std::optional<StoredJob>>(std::move(responder), polled_json));
}

}  // namespace

void enqueue_jobs(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  auto written = read_jobs(call.request);
  if (!written) return responder.send(problem(written.error()));
  (*store)->enqueue(call.params[0], std::move(written->jobs),
                    answer_with_json<std::vector<EnqueueAnswer>>(
                        std::move(responder), [single = written->single](const std::vector<EnqueueAnswer>& answers) {
                          return answers_json(answers, single);
                        }));
}

void take_jobs(const Call& call, Responder responder) {
  const auto store = jobs_of(call);
  if (!store) return responder.send(problem(store.error()));
  const auto spec = read_take(call.request);
  if (!spec) return responder.send(problem(spec.error()));
  const auto sink = responder.sink();
  const auto open =
      std::make_shared<OpenTake>(OpenTake{**store, std::string(call.params[0]), std::move(responder), {}});
  if (spec->wait.count() > 0) sink->on_unwanted([open] { open->store.cancel(open->ticket); });
  open->ticket = (*store)->take(open->queue, *spec, [open](const auto& jobs) { open->answer(jobs); });
}

void poll_job(const Call& call, Responder responder) { poll(call, std::move(responder), &JobStore::poll); }
void poll_due_job(const Call& call, Responder responder) { poll(call, std::move(responder), &JobStore::poll_due); }

}  // namespace scoreline::http
