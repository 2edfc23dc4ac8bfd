#include "http/job_json.h"

#include <limits>
#include <utility>

#include "base/base64.h"
#include "base/timestamp.h"
#include "http/json_object.h"
#include "http/json_text.h"
#include "http/raw_json.h"

namespace scoreline::http {
namespace {

using queues::HeldJob;
using queues::JobSpec;
using queues::JobState;
using queues::StoredJob;
using std::chrono::milliseconds;

constexpr std::string_view kJobFields = "id, payload, payloadBase64, priority, delay, runAt, maxAttempts";

/// What does not fit an int is out of every range of ours.
Result<int> read_int(JsonValue member) {
  return read_integer(member).map([](std::int64_t value) {
    return value < 0 || value > std::numeric_limits<int>::max() ? -1 : static_cast<int>(value);
  });
}

Result<std::string> read_text(JsonValue member) {
  return read_string(member).map([](std::string_view text) { return std::string(text); });
}

Result<std::string> read_base64(JsonValue member) {
  const auto text = read_string(member);
  if (!text) return fail(text.error());
  auto bytes = from_base64(*text);
  if (!bytes) bytes.error().field = std::string(member.key());
  return bytes;
}

std::optional<Error> read_id(JsonValue member, std::string& id) {
  if (auto wrong = take_into(read_text(member), id)) return wrong;
  if (id.empty()) return Error{Code::invalid, "must be 1..128 bytes of UTF-8 without control characters", "id", {}};
  return std::nullopt;
}

std::optional<Error> read_job_member(JsonValue member, JobSpec& job) {
  const std::string_view key = member.key();
  if (key == "payload") {
    job.payload = member.text();
    return std::nullopt;
  }
  if (key == "id") return read_id(member, job.id);
  if (key == "payloadBase64") return take_into(read_base64(member), job.payload);
  if (key == "priority") return take_into(read_int(member), job.priority);
  if (key == "delay") return take_into(read_duration(member), job.delay);
  if (key == "runAt") return take_into(read_timestamp(member), job.run_at);
  if (key == "maxAttempts") return take_into(read_int(member), job.max_attempts);
  return unknown_field(key, kJobFields);
}

std::optional<Error> read_job(JsonValue object, JobSpec& job) {
  if (auto wrong = read_members(object, [&](JsonValue member) { return read_job_member(member, job); })) return wrong;
  if (!object.has("payload") && !object.has("payloadBase64")) job.payload = "null";
  if (object.has("payload") && object.has("payloadBase64")) {
    return Error{Code::invalid, "must not be given together with payload", "payloadBase64", {}};
  }
  return std::nullopt;
}

std::optional<Error> read_held(JsonValue object, HeldJob& job) {
  auto wrong = read_members(object, [&](JsonValue member) -> std::optional<Error> {
    if (member.key() == "id") return take_into(read_text(member), job.id);
    if (member.key() != "receipt") return unknown_field(member.key(), "id, receipt");
    const auto text = read_string(member);
    return text ? take_into(queues::parse_receipt(*text), job.receipt) : std::optional(text.error());
  });
  if (wrong) return wrong;
  if (!object.has("id")) return missing_field("id", "a job's id");
  if (!object.has("receipt")) return missing_field("receipt", "that of the lease");
  return std::nullopt;
}

std::string_view deed_fields(Deed deed) {
  switch (deed) {
    case Deed::ack: return "receipt or jobs";
    case Deed::nack: return "receipt or jobs, delay, reason";
    case Deed::extend: return "receipt or jobs, lease";
    case Deed::release: return "receipt or jobs, delay";
  }
  return "";
}

/// What comes beside the jobs.
std::optional<Error> read_deed_member(JsonValue member, Deed deed, WrittenDeed& written) {
  const std::string_view key = member.key();
  if (key == "delay" && (deed == Deed::nack || deed == Deed::release)) {
    return take_into(read_duration(member), written.delay);
  }
  if (key == "lease" && deed == Deed::extend) return take_into(read_duration(member), written.lease);
  if (key == "reason" && deed == Deed::nack) return take_into(read_text(member), written.reason);
  return unknown_field(key, deed_fields(deed));
}

}  // namespace

Result<WrittenJobs> read_jobs(const Request& request) {
  if (const auto type = body_type(request, false); !type) return fail(type.error());
  const auto document = JsonDocument::parse(request.body, "payload");
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  if (root.kind() != JsonKind::object) return fail(Code::unreadable, "the body must be a JSON object");
  WrittenJobs written;
  if (!root.has("jobs")) {
    written.single = true;
    if (auto wrong = read_job(root, written.jobs.emplace_back())) return fail(*std::move(wrong));
    return written;
  }
  const auto wrong = read_members(root, [&](JsonValue member) -> std::optional<Error> {
    if (member.key() != "jobs") return unknown_field(member.key(), "jobs");
    return read_elements(member, [&](JsonValue element) { return read_job(element, written.jobs.emplace_back()); });
  });
  if (wrong) return fail(*wrong);
  return written;
}

Result<queues::TakeSpec> read_take(const Request& request) {
  queues::TakeSpec spec;
  const auto wrong = read_body_members(request, {}, [&](JsonValue member) -> std::optional<Error> {
    if (member.key() == "wait") return take_into(read_duration(member), spec.wait);
    if (member.key() == "lease") return take_into(read_duration(member), spec.lease);
    if (member.key() != "max") return unknown_field(member.key(), "max, wait, lease");
    const auto max = read_int(member);
    if (!max) return max.error();
    spec.max = *max < 0 ? 0 : static_cast<std::size_t>(*max);
    return std::nullopt;
  });
  if (wrong) return fail(*wrong);
  return spec;
}

Result<WrittenDeed> read_deed(const Request& request, Deed deed, std::optional<std::string_view> id) {
  WrittenDeed written;
  const auto wrong = read_body_members(request, {}, [&](JsonValue member) -> std::optional<Error> {
    if (id && member.key() == "receipt") {
      HeldJob& job = written.jobs.emplace_back();
      job.id = *id;
      const auto text = read_string(member);
      return text ? take_into(queues::parse_receipt(*text), job.receipt) : std::optional(text.error());
    }
    if (!id && member.key() == "jobs") {
      return read_elements(member, [&](JsonValue element) { return read_held(element, written.jobs.emplace_back()); });
    }
    return read_deed_member(member, deed, written);
  });
  if (wrong) return fail(*wrong);
  if (id && written.jobs.empty()) return fail(missing_field("receipt", "that of the lease"));
  return written;
}

Result<JobState> read_state(const Request& request) {
  std::optional<JobState> state;
  const auto wrong = read_body_members(request, {}, [&](JsonValue member) -> std::optional<Error> {
    if (member.key() != "state") return unknown_field(member.key(), "state");
    const auto text = read_string(member);
    if (!text) return text.error();
    state = queues::parse_job_state(*text);
    if (!state) return Error{Code::invalid, "must be ready, delayed, leased, dead or done", "state", {}};
    return std::nullopt;
  });
  if (wrong) return fail(*wrong);
  if (!state) return fail(missing_field("state", "ready, delayed, leased, dead or done"));
  return *state;
}

void append_payload(std::string& out, std::string_view payload) {
  if (is_json(payload)) {
    out.append(R"("payload":)").append(payload);
  } else {
    out.append(R"("payloadBase64":")").append(to_base64(payload)).append("\"");
  }
}

void append_time(std::string& out, Timestamp at) { out.append("\"").append(format_timestamp(at)).append("\""); }

void append_taken(std::string& out, const StoredJob& job) {
  out += R"({"id":)";
  append_quoted(out, job.id);
  out += ',';
  append_payload(out, job.payload);
  out += R"(,"priority":)";
  append_number(out, int{job.priority});
  out += R"(,"attempt":)";
  append_number(out, job.attempt());
  if (job.state == JobState::leased) {
    out.append(R"(,"receipt":")").append(queues::format_receipt(job.receipt));
    out += R"(","leaseUntil":)";
    append_time(out, job.until);
  }
  out += '}';
}

void append_job(std::string& out, const StoredJob& job, Payloads payloads) {
  out += R"({"id":)";
  append_quoted(out, job.id);
  out.append(R"(,"state":")").append(to_string(job.state)).append("\"");
  out += R"(,"priority":)";
  append_number(out, int{job.priority});
  out += R"(,"attempt":)";
  append_number(out, job.attempt());
  out += R"(,"maxAttempts":)";
  append_number(out, int{job.max_attempts});
  out += R"(,"failures":)";
  append_number(out, int{job.failures});
  out += R"(,"crashes":)";
  append_number(out, int{job.crashes});
  out += R"(,"runAt":)";
  append_time(out, job.run_at);
  if (job.state == JobState::leased) out += R"(,"leaseUntil":)";
  if (job.state == JobState::dead) out += R"(,"deadSince":)";
  if (job.state == JobState::done) out += R"(,"doneUntil":)";
  if (job.state > JobState::delayed) append_time(out, job.until);
  if (job.state == JobState::dead) out.append(R"(,"cause":")").append(to_string(job.cause)).append("\"");
  if (!job.reason.empty()) {
    out += R"(,"reason":)";
    append_quoted(out, job.reason);
  }
  if (payloads == Payloads::show && job.state != JobState::done) {
    out += ',';
    append_payload(out, job.payload);
  }
  out += '}';
}

void append_error(std::string& out, const Error& error) {
  out.append(R"("code":")").append(traits(error.code).name).append(R"(","detail":)");
  append_quoted(out, error.detail);
  if (error.field.empty()) return;
  out += R"(,"field":)";
  append_quoted(out, error.field);
}

}  // namespace scoreline::http
