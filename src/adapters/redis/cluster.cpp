// The nodes of a cluster and the slots that each has.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "adapters/redis/routing.h"
#include "adapters/redis/slots.h"

namespace scoreline::redis {
namespace {

/// One line of CLUSTER SLOTS.
struct SlotRange {
  std::size_t first = 0;
  std::size_t last = 0;
  Endpoint master;
};

/// Lines that cannot be read are left out: their slots then have no node.
std::vector<SlotRange> ranges_of(const Answer& answer) {
  std::vector<SlotRange> ranges;
  for (const Reply& line : answer.reply.elements) {
    if (line.elements.size() < 3 || line.elements[2].elements.size() < 2) continue;
    const Reply& master = line.elements[2];
    const auto first = line.elements[0].integer, last = line.elements[1].integer, port = master.elements[1].integer;
    if (first < 0 || last < first || last >= kSlots || port <= 0 || port > 65'535) continue;
    // A node that does not know its own address leaves it out; it is the one that was asked.
    const std::string& host = master.elements[0].text;
    if (host == "?") continue;
    ranges.push_back({static_cast<std::size_t>(first),
                      static_cast<std::size_t>(last),
                      {host.empty() ? answer.from.host : host, static_cast<std::uint16_t>(port)}});
  }
  return ranges;
}

class Cluster final : public Router {
 public:
  Cluster(const Url& url, Login login, const ClientOptions& options, const Clock& clock, Random& random)
      : seeds_(url.endpoints),
        login_(std::move(login)),
        options_(options),
        clock_(clock),
        random_(random),
        lookout_(clock),
        owners_(kSlots) {}

  Result<Node> node_of(std::string_view key, Deadline deadline) override {
    const auto slot = slot_of(key);
    {
      const std::lock_guard lock(mutex_);
      const Node& owner = owners_[slot];
      if (owner && !doubtful_) {
        const Monotonic now = clock_.monotonic();
        Monotonic& confirmed = confirmed_[owner.get()];
        if (now - confirmed < kNodeIsBelieved) return owner;
        confirmed = now;
        suspect_ = owner->endpoint();  // the others are to say it
      }
    }
    lookout_.look(deadline.send, [&] { ask(deadline.send); });
    const std::lock_guard lock(mutex_);
    if (owners_[slot]) return owners_[slot];
    return fail(Error{Code::not_ready,
                      why_.empty() ? fmt::format("no node of the Redis cluster has slot {}", slot) : why_,
                      {},
                      kRetryWhenLost});
  }

  void doubt(const Node& node) override {
    const std::lock_guard lock(mutex_);
    doubtful_ = true;
    if (node) suspect_ = node->endpoint();
  }

  Node redirect(const Redirect& redirect, bool for_good, const Node& from) override {
    Endpoint to = redirect.to;
    if (to.host.empty()) to.host = from->endpoint().host;
    const std::lock_guard lock(mutex_);
    Node node = node_at(to);
    if (for_good) {
      owners_[redirect.slot] = node;
      doubtful_ = true;  // one slot seldom moves alone
    }
    return node;
  }

 private:
  Node node_at(const Endpoint& endpoint) {
    const auto found =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node->endpoint() == endpoint; });
    if (found != nodes_.end()) return *found;
    nodes_.push_back(
        std::make_shared<ConnectionPipeline>(endpoint, login_, options_.max_waiting_bytes, clock_, random_));
    return nodes_.back();
  }

  /// Known nodes, then those of the URL; the one that just failed comes last.
  std::vector<Endpoint> to_ask() {
    const std::lock_guard lock(mutex_);
    std::vector<Endpoint> endpoints;
    for (const auto& node : nodes_) endpoints.push_back(node->endpoint());
    endpoints.insert(endpoints.end(), seeds_.begin(), seeds_.end());
    std::stable_partition(endpoints.begin(), endpoints.end(), [&](const Endpoint& e) { return e != suspect_; });
    return endpoints;
  }

  void ask(Monotonic deadline) {
    const auto answer = ask_any(to_ask(), login_, {"CLUSTER", "SLOTS"}, clock_, deadline);
    const auto ranges = answer ? ranges_of(*answer) : std::vector<SlotRange>{};
    const std::lock_guard lock(mutex_);
    if (!answer) {
      why_ = "no node of the Redis cluster tells its slots: " + answer.error().detail;
      return;
    }
    why_.clear();
    doubtful_ = false;
    const Monotonic now = clock_.monotonic();
    std::fill(owners_.begin(), owners_.end(), nullptr);
    for (const auto& range : ranges) {
      const Node node = node_at(range.master);
      std::fill(owners_.begin() + static_cast<std::ptrdiff_t>(range.first),
                owners_.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, node);
      if (range.master != answer->from) confirmed_[node.get()] = now;
    }
    // Nodes without a slot are forgotten; calls under way keep theirs until they are done.
    std::erase_if(nodes_, [&](const Node& node) {
      return std::none_of(ranges.begin(), ranges.end(),
                          [&](const SlotRange& range) { return range.master == node->endpoint(); });
    });
    std::erase_if(confirmed_, [&](const auto& confirmed) {
      return std::none_of(nodes_.begin(), nodes_.end(),
                          [&](const Node& node) { return node.get() == confirmed.first; });
    });
  }

  const std::vector<Endpoint> seeds_;
  const Login login_;
  const ClientOptions options_;
  const Clock& clock_;
  Random& random_;
  Lookout lookout_;

  std::mutex mutex_;
  std::vector<Node> owners_;  // by slot
  std::vector<Node> nodes_;
  std::unordered_map<const ConnectionPipeline*, Monotonic> confirmed_;  // when another node last said so; of nodes_
  bool doubtful_ = true;
  Endpoint suspect_;
  std::string why_;  // nobody told the slots the last time
};

}  // namespace

std::unique_ptr<Router> make_cluster(const Url& url, const Login& login, const ClientOptions& options,
                                     const Clock& clock, Random& random) {
  return std::make_unique<Cluster>(url, login, options, clock, random);
}

}  // namespace scoreline::redis
