// A master that sentinels know, and its successors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "adapters/redis/routing.h"

namespace scoreline::redis {
namespace {

class Sentinel final : public Router {
 public:
  Sentinel(const Url& url, Login login, const ClientOptions& options, const Clock& clock, Random& random)
      : name_(url.master),
        login_(std::move(login)),
        options_(options),
        clock_(clock),
        random_(random),
        lookout_(clock),
        sentinels_(url.endpoints) {}

  Result<Node> node_of(std::string_view, Deadline deadline) override {
    {
      const std::lock_guard lock(mutex_);
      const Monotonic now = clock_.monotonic();
      if (master_ && !doubtful_) {
        if (now - confirmed_ < kNodeIsBelieved) return master_;
        confirmed_ = now;
      }
    }
    lookout_.look(deadline.send, [&] { ask(deadline.send); });
    const std::lock_guard lock(mutex_);
    if (master_) return master_;
    return fail(Error{Code::storage_failed, why_, {}, kRetryWhenLost});
  }

  void doubt(const Node& node) override {
    const std::lock_guard lock(mutex_);
    if (node == master_) doubtful_ = true;
    node->reconnect();
  }

  Node redirect(const Redirect&, bool, const Node&) override { return nullptr; }

 private:
  void ask(Monotonic deadline) {
    std::vector<Endpoint> sentinels;
    {
      const std::lock_guard lock(mutex_);
      sentinels = sentinels_;
    }
    // The URL's user is the master's; sentinels are asked without one.
    Login login;
    login.tls = login_.tls;
    const auto answer = ask_any(sentinels, login, {"SENTINEL", "get-master-addr-by-name", name_}, clock_, deadline);
    const std::lock_guard lock(mutex_);
    if (!answer) {
      why_ = fmt::format("no sentinel tells the master `{}`: {}", name_, answer.error().detail);
      return;
    }
    const auto& words = answer->reply.elements;
    Endpoint endpoint;
    if (words.size() == 2) {
      endpoint.host = words[0].text;
      std::from_chars(words[1].text.data(), words[1].text.data() + words[1].text.size(), endpoint.port);
    }
    if (endpoint.host.empty() || endpoint.port == 0) {
      why_ = fmt::format("the sentinel at {} tells no address of `{}`", to_string(answer->from), name_);
      return;
    }
    // The one that answered is asked first the next time.
    std::rotate(sentinels_.begin(), std::find(sentinels_.begin(), sentinels_.end(), answer->from), sentinels_.end());
    doubtful_ = false;
    confirmed_ = clock_.monotonic();
    if (master_ && master_->endpoint() == endpoint) return;
    master_ = std::make_shared<ConnectionPipeline>(endpoint, login_, options_.max_waiting_bytes, clock_, random_);
  }

  const std::string name_;
  const Login login_;
  const ClientOptions options_;
  const Clock& clock_;
  Random& random_;
  Lookout lookout_;

  std::mutex mutex_;
  std::vector<Endpoint> sentinels_;
  Node master_;
  bool doubtful_ = false;
  Monotonic confirmed_;
  std::string why_;  // there is no master
};

}  // namespace

std::unique_ptr<Router> make_sentinel(const Url& url, const Login& login, const ClientOptions& options,
                                      const Clock& clock, Random& random) {
  Login as_master = login;
  as_master.only_master = true;
  return std::make_unique<Sentinel>(url, as_master, options, clock, random);
}

}  // namespace scoreline::redis
