#include "http/message.h"

#include <utility>

#include "base/error.h"
#include "http/problem.h"

namespace scoreline::http {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::put: return "PUT";
    case Method::post: return "POST";
    case Method::del: return "DELETE";
    case Method::other: return "";
  }
  return "";
}

Response json(std::string body, int status) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

Responder::~Responder() {
  if (sink_) send(problem(Error{Code::internal, "the request was dropped without an answer", {}, {}}));
}

void Responder::send(Response response) {
  SCORELINE_CHECK(sink_ != nullptr);
  std::exchange(sink_, nullptr)->deliver(std::move(response));
}

}  // namespace scoreline::http
