#include "http/api.h"

#include <utility>

#include "http/problem.h"
#include "http/result_reader.h"
#include "http/target.h"

namespace scoreline::http {
namespace {

/// Reads that wait for the index at once, each on a thread, and those that wait for such a thread.
constexpr unsigned kWaitingReads = 16;
constexpr std::size_t kQueuedReads = 4096;
/// Reads of the whole ledger that wait for the one thread that answers them.
constexpr std::size_t kQueuedScans = 256;
/// Calls for dead letters that wait for the one thread that answers them.
constexpr std::size_t kQueuedLetterCalls = 64;
/// How often boards that are listened to are looked at: in this process, and over a shared index.
constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kSharedTick{1'000};
constexpr std::chrono::milliseconds kRetryWhenFull = std::chrono::seconds{1};

/// A request that outlives Handler::handle.
struct KeptRequest {
  KeptRequest(const Request& from, Responder to)
      : target(from.target),
        content_type(from.content_type),
        if_none_match(from.if_none_match),
        body(from.body),
        request{from.method, target, content_type, if_none_match, {}, {}, {}, body},
        responder(std::move(to)) {}

  const std::string target, content_type, if_none_match, body;
  const Request request;  // of the above
  Responder responder;
};

Response answer(const Call& call, const Route& route) {
  Result<Response> answered = route.answer(call);
  return answered ? *std::move(answered) : problem(answered.error());
}

Response wrong_method(std::string allow) {
  Response response = problem(Error{Code::not_allowed, "this path takes " + allow, {}, {}});
  response.allow = std::move(allow);
  return response;
}

}  // namespace

Api::Api(leaderboards::Service& service, ingest::Pipeline& pipeline, std::span<const StaticFile> files,
         IndexReads reads, HostCheck hosts)
    : hosts_(std::move(hosts)),
      context_{
          service, pipeline, {}, BoardTasks(service), {service, reads == IndexReads::waiting ? kSharedTick : kTick}} {
  scan_pool_ = std::make_unique<BlockingPool>(1, kQueuedScans);
  if (reads == IndexReads::waiting) pool_ = std::make_unique<BlockingPool>(kWaitingReads, kQueuedReads);
  for (const StaticFile& file : files) {
    files_[file.path] = {file.content_type,
                         CachedPage{0, std::make_shared<const std::string>(file.bytes), etag_of(file.bytes)}};
  }
}

void Api::keep_dead_letters(ingest::DeadLetters& dead_letters) {
  context_.dead_letters = &dead_letters;
  context_.replay = std::make_unique<ingest::DeadLetterReplay>(context_.pipeline, dead_letters, read_message_result);
  letters_pool_ = std::make_unique<BlockingPool>(1, kQueuedLetterCalls);
}

void Api::finish() {
  context_.events.stop();
  if (context_.replay) context_.replay->stop();
  letters_pool_.reset();
  scan_pool_.reset();
  pool_.reset();
}

void Api::handle(const Request& request, Responder responder) {
  if (const auto let_in = hosts_.check(request.host, request.origin); !let_in) {
    return responder.send(problem(let_in.error()));
  }
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
  if (found.route->scans || (found.route->reads_index && (target->parameter("asOf") || target->parameter("since")))) {
    return answer_later(*scan_pool_, request, std::move(responder));
  }
  if (pool_ && found.route->reads_index) {
    if (found.route->kept != nullptr) {
      if (auto kept = found.route->kept(call)) return responder.send(*std::move(kept));
    }
    return answer_later(*pool_, request, std::move(responder));
  }
  if (letters_pool_ && found.route->waits) return answer_later(*letters_pool_, request, std::move(responder));
  responder.send(answer(call, *found.route));
}

void Api::answer_later(BlockingPool& pool, const Request& request, Responder responder) {
  // Shared, because std::function wants to copy what it holds.
  const auto kept = std::make_shared<KeptRequest>(request, std::move(responder));
  const bool taken = pool.run([this, kept] {
    const auto target = Target::parse(kept->request.target);
    const Match found = match(kept->request.method, *target);
    kept->responder.send(answer({context_, kept->request, *target, found.params}, *found.route));
  });
  if (!taken) {
    kept->responder.send(
        problem(Error{Code::overloaded, "too many requests of this kind wait already", {}, kRetryWhenFull}));
  }
}

Response Api::answer_file(const ServedFile& file, const Request& request) const {
  if (request.method != Method::get && request.method != Method::head) return wrong_method("GET, HEAD");
  Response response = answer_with(file.page, request);
  response.content_type = file.content_type;
  return response;
}

}  // namespace scoreline::http
