#include "http/json_text.h"
#include "http/openapi_text.h"
#include "http/problem.h"
#include "http/routes.h"

namespace scoreline::http {

Result<Response> healthz(const Call&) { return json(R"({"status":"ok"})"); }

Result<Response> readyz(const Call& call) {
  if (const auto stopped = call.context.service.write_failure()) return problem(*stopped);
  const auto progress = call.context.service.progress();
  Response response;
  std::string& out = response.body;
  out += progress.ready ? R"({"ready":true)" : R"({"ready":false)";
  out += R"(,"resultsDone":)";
  append_number(out, progress.results_done);
  out += R"(,"resultsTotal":)";
  append_number(out, progress.results_total);
  if (progress.failure) {
    out += R"(,"failure":{"code":")";
    out += traits(progress.failure->code).name;
    out += R"(","detail":)";
    append_quoted(out, progress.failure->detail);
    out += '}';
  }
  out += '}';
  if (!progress.ready) {
    response.status = 503;
    response.retry_after = std::chrono::seconds{1};
  }
  return response;
}

Result<Response> openapi(const Call& call) {
  static const CachedPage page{0, std::make_shared<const std::string>(kOpenapiText), etag_of(kOpenapiText)};
  Response response = answer_with(page, call.request);
  response.content_type = "application/yaml";
  return response;
}

}  // namespace scoreline::http
