#include "cli/local_answerer.h"

#include <future>

#include "cli/server_store.h"

namespace scoreline::cli {
namespace {

/// Takes the answer from whichever thread gives it.
class Awaited final : public http::AnswerSink {
 public:
  void deliver(http::Response response) override { answer_.set_value(std::move(response)); }
  void wake() override {}
  http::Response wait() { return answer_.get_future().get(); }

 private:
  std::promise<http::Response> answer_;
};

}  // namespace

Result<std::string> LocalAnswerer::ask(const http::ClientRequest& request) {
  const auto awaited = std::make_shared<Awaited>();
  http::Request asked;
  asked.method = request.method;
  asked.target = request.target;
  asked.host = "localhost";
  asked.body = request.body;
  if (!request.body.empty()) asked.content_type = request.content_type;
  open_->api.handle(asked, http::Responder(awaited));
  const http::Response response = awaited->wait();
  http::ClientResponse answer{response.status, std::string(response.content()), {}};
  if (answer.status / 100 != 2) return fail(problem_of(answer));
  return std::move(answer.body);
}

}  // namespace scoreline::cli
