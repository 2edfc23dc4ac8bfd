// One call of a route of job queues: the store behind it, and the way back for the answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/json_object.h"
#include "http/problem.h"
#include "http/routes.h"
#include "queues/job_store.h"

namespace scoreline::http {

/// Errors: not_found on a server that keeps no queues; an unknown parameter of the query.
inline Result<queues::JobStore*> jobs_of(const Call& call, std::initializer_list<std::string_view> parameters = {}) {
  if (auto known = call.target.allow_only(parameters); !known) return fail(std::move(known.error()));
  if (call.context.jobs != nullptr) return call.context.jobs;
  return fail(Code::not_found, "this server keeps no queues");
}

/// The same for a call without a body: what somebody wrote there, in the belief that it counts, is refused.
inline Result<queues::JobStore*> jobs_without_body(const Call& call) {
  auto wrong =
      read_body_members(call.request, {}, [](JsonValue member) { return unknown_field(member.key(), "none"); });
  if (wrong) return fail(*std::move(wrong));
  return jobs_of(call);
}

/// Answers with `write(value)`, a body in JSON, or with the error.
template <typename T, typename Write>
queues::JobStore::Done<T> answer_with_json(Responder responder, Write write) {
  // std::function wants to copy what it holds, and a duty to answer cannot be copied.
  auto open = std::make_shared<Responder>(std::move(responder));
  return [open, write = std::move(write)](Result<T> answer) {
    if (!answer) return open->send(problem(answer.error()));
    if constexpr (std::is_void_v<T>) {
      open->send(json(write()));
    } else {
      open->send(json(write(*std::move(answer))));
    }
  };
}

}  // namespace scoreline::http
