#include "http/problem.h"

#include "http/json_text.h"

namespace scoreline::http {

Response problem(const Error& error) {
  const CodeTraits& code = traits(error.code);
  Response response;
  response.status = code.http_status;
  response.content_type = kProblemType;
  std::string& out = response.body;
  out += R"({"type":"urn:scoreline:problem:)";
  out += code.name;
  out += R"(","title":")";
  out += code.title;
  out += R"(","status":)";
  append_number(out, code.http_status);
  out += R"(,"detail":)";
  append_quoted(out, error.detail);
  out += R"(,"code":")";
  out += code.name;
  out += '"';
  if (!error.field.empty()) {
    out += R"(,"field":)";
    append_quoted(out, error.field);
  }
  out += '}';
  if (error.retry_after) {
    response.retry_after = std::chrono::ceil<std::chrono::seconds>(*error.retry_after);
  } else if (error.code == Code::not_ready || error.code == Code::overloaded) {
    response.retry_after = std::chrono::seconds{1};
  }
  return response;
}

}  // namespace scoreline::http
