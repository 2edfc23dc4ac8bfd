// Jobs in JSON: what callers say about them, and what they are told. The names are those of api/openapi.yaml.
//
// Thread safety: pure functions. Errors of all readers: unreadable, unsupported (the media type), too_many; invalid
// with the member as the field, `jobs[2].priority` inside an array.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/message.h"
#include "queues/job_store.h"

namespace scoreline::http {

struct WrittenJobs {
  std::vector<queues::JobSpec> jobs;
  bool single = false;  ///< one job, and not an array of them
};
/// One job, or `{"jobs":[…]}`; without a payload it is null. Whether they are good ones is the store's to say.
Result<WrittenJobs> read_jobs(const Request& request);

/// An empty body is one without members. Absent: one job, no wait.
Result<queues::TakeSpec> read_take(const Request& request);

/// What is done to jobs that are held: those of `{"jobs":[{"id":…,"receipt":…}, …]}`, or, with `id`, the one of
/// `{"receipt":…}`.
struct WrittenDeed {
  std::vector<queues::HeldJob> jobs;
  std::optional<std::chrono::milliseconds> delay;
  std::optional<std::chrono::milliseconds> lease;
  std::string reason;
};
enum class Deed : std::uint8_t { ack, nack, extend, release };
Result<WrittenDeed> read_deed(const Request& request, Deed deed, std::optional<std::string_view> id);

/// `{"state":…}`: which jobs.
Result<queues::JobState> read_state(const Request& request);

/// `"payload":…` for a payload that is JSON, else `"payloadBase64":…`.
void append_payload(std::string& out, std::string_view payload);
/// As a worker gets it.
void append_taken(std::string& out, const queues::StoredJob& job);
/// As an operator sees it.
enum class Payloads : std::uint8_t { show, leave_out };
void append_job(std::string& out, const queues::StoredJob& job, Payloads payloads);

/// `"code":…,"detail":…,"field":…` of an error inside an answer.
void append_error(std::string& out, const Error& error);
void append_time(std::string& out, Timestamp at);

}  // namespace scoreline::http
