#include "http/api.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "http/problem.h"
#include "http/target.h"

namespace scoreline::http {
namespace {

Response wrong_method(std::string allow) {
  Response response = problem(Error{Code::not_allowed, "this path takes " + allow, {}, {}});
  response.allow = std::move(allow);
  return response;
}

}  // namespace

Api::Api(leaderboards::Service& service, ingest::Pipeline& pipeline, std::span<const StaticFile> files, unsigned loops)
    : context_{service, pipeline, {}} {
  context_.caches.resize(loops > 0 ? loops : std::max(1U, std::thread::hardware_concurrency()));
  for (const StaticFile& file : files) {
    files_[file.path] = {file.content_type,
                         CachedPage{0, std::make_shared<const std::string>(file.bytes), etag_of(file.bytes)}};
  }
}

void Api::handle(const Request& request, Responder responder) {
  const auto target = Target::parse(request.target);
  if (!target) return responder.send(problem(target.error()));
  const Match found = match(request.method, *target);
  if (found.route == nullptr) {
    const auto file = files_.find(target->path());
    if (file != files_.end()) return responder.send(answer_file(file->second, request));
    if (!found.allow.empty()) return responder.send(wrong_method(found.allow));
    return responder.send(problem(Error{Code::not_found, "there is no such path", {}, {}}));
  }
  const Call call{context_, request, *target, found.params};
  if (found.route->start != nullptr) return found.route->start(call, std::move(responder));
  Result<Response> answer = found.route->answer(call);
  responder.send(answer ? std::move(*answer) : problem(answer.error()));
}

Response Api::answer_file(const ServedFile& file, const Request& request) const {
  if (request.method != Method::get && request.method != Method::head) return wrong_method("GET, HEAD");
  Response response = answer_with(file.page, request);
  response.content_type = file.content_type;
  return response;
}

}  // namespace scoreline::http
