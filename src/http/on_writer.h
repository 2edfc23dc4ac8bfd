// A change that is made between two commits, and answered when it is made.
#pragma once

#include <memory>
#include <utility>

#include "http/problem.h"
#include "http/routes.h"

namespace scoreline::http {

/// Runs `change` on the writer thread, between two commits, and answers with what it returns.
template <typename Change>
void change_on_writer(const Call& call, Responder responder, Change change) {
  // std::function wants to copy what it holds, and a duty to answer cannot be copied.
  auto duty = std::make_shared<Responder>(std::move(responder));
  call.context.pipeline.exclusive([&service = call.context.service, duty, change = std::move(change)] {
    Result<Response> answer = change(service);
    duty->send(answer ? std::move(*answer) : problem(answer.error()));
  });
}

}  // namespace scoreline::http
