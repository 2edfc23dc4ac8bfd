// One server.
#include "adapters/redis/routing.h"

namespace scoreline::redis {
namespace {

class Standalone final : public Router {
 public:
  explicit Standalone(Node node) : node_(std::move(node)) {}

  Result<Node> node_of(std::string_view, Deadline) override { return node_; }
  // Its name may mean another server by now.
  void doubt(const Node& node) override { node->reconnect(); }
  Node redirect(const Redirect&, bool, const Node&) override { return nullptr; }

 private:
  const Node node_;
};

}  // namespace

std::unique_ptr<Router> make_standalone(const Url& url, const Login& login, const ClientOptions& options,
                                        const Clock& clock, Random& random) {
  return std::make_unique<Standalone>(
      std::make_shared<ConnectionPipeline>(url.endpoints.front(), login, options.max_waiting_bytes, clock, random));
}

}  // namespace scoreline::redis
