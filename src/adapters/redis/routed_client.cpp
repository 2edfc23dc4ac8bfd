// The one Client: sends each command to its node, and again where the answer speaks of the node and not of the command.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "adapters/redis/command_batch.h"
#include "adapters/redis/reply_errors.h"
#include "adapters/redis/routing.h"
#include "adapters/redis/subscription.h"

namespace scoreline::redis {
namespace {

constexpr int kMaxRounds = 32;
constexpr std::chrono::milliseconds kPause{20};  // while a cluster is in between
constexpr std::chrono::milliseconds kRetryWhenBusy{1'000};

void append_asking(std::string& wire) { wire += "*1\r\n$6\r\nASKING\r\n"; }

/// A command that still has to be done, and what its last answer said about where and how.
struct Pending {
  std::size_t index = 0;
  Node to = {};      // told by a redirection; else the router knows
  Node failed = {};  // where it did not succeed: no use to try the same again
  bool asking = false;
  bool load = false;  // its script first
  Error why = {};     // it was not done the last time
};

struct Group {
  Node node;
  std::vector<Pending> commands;
};

/// One call of the client, until each of its commands is done.
class RoutedCall {
 public:
  RoutedCall(Router& router, const CommandBatch& batch, const Clock& clock, Deadline deadline)
      : router_(router), batch_(batch), clock_(clock), deadline_(deadline), replies_(batch.size()) {}

  Result<std::vector<Reply>> run() {
    std::vector<Pending> pending(batch_.size());
    for (std::size_t i = 0; i < pending.size(); ++i) pending[i].index = i;
    for (int round = 0; !pending.empty(); ++round) {
      if (round == kMaxRounds || (pause_ && clock_.monotonic() + kPause >= deadline_.send)) {
        return fail(refusal(pending.front().why));
      }
      if (std::exchange(pause_, false)) ::poll(nullptr, 0, static_cast<int>(kPause.count()));
      const auto groups = grouped(std::move(pending));
      if (!groups) return fail(refusal(groups.error()));
      again_.clear();
      for (const Group& group : *groups) {
        const auto sent = send(group);
        if (!sent) return fail(refusal(sent.error()));
      }
      pending = std::exchange(again_, {});
    }
    return std::move(replies_);
  }

 private:
  Result<std::vector<Group>> grouped(std::vector<Pending> pending) {
    std::vector<Group> groups;
    for (Pending& command : pending) {
      if (!command.to) {
        auto node = router_.node_of(batch_.key(command.index), deadline_);
        if (!node) return fail(std::move(node).error());
        if (*node == command.failed) return fail(command.why);
        command.to = *std::move(node);
      }
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.node == command.to; });
      if (group == groups.end()) group = groups.insert(groups.end(), Group{command.to, {}});
      group->commands.push_back(std::move(command));
    }
    return groups;
  }

  Result<void> send(const Group& group) {
    Request request;
    std::vector<const Script*> loaded;
    for (const Pending& command : group.commands) {
      const Script* const script = batch_.script(command.index);
      if (!command.load || std::find(loaded.begin(), loaded.end(), script) != loaded.end()) continue;
      append_command(request.wire, {"SCRIPT", "LOAD", script->text()});
      loaded.push_back(script);
    }
    request.replies = loaded.size();
    for (const Pending& command : group.commands) {
      if (command.asking) append_asking(request.wire);
      batch_.append(command.index, request.wire);
      request.replies += command.asking ? 2 : 1;
      request.run_id = batch_.run_id(command.index);
    }
    auto answered = group.node->exchange(request, deadline_);
    if (!answered) return failed(group, answered.error());
    auto reply = answered->begin() + static_cast<std::ptrdiff_t>(loaded.size());
    for (const Pending& command : group.commands) {
      if (command.asking) ++reply;
      const auto settled = settle(command, group.node, std::move(*reply++));
      if (!settled) return settled;
    }
    return {};
  }

  /// The node did not answer, or did not take it. Where nothing was done, another node may be the right one by now.
  Result<void> failed(const Group& group, const Error& error) {
    const bool elsewhere = error.code == Code::storage_failed || error.code == Code::not_ready;
    if (elsewhere || error.code == Code::unknown_outcome) router_.doubt(group.node);
    if (!elsewhere) return fail(error);
    for (const Pending& command : group.commands) {
      again_.push_back({.index = command.index, .to = {}, .failed = group.node, .why = error});
    }
    return {};
  }

  Result<void> settle(const Pending& command, const Node& node, Reply reply) {
    const auto meaning = reply.kind == Reply::Kind::error ? meaning_of(reply.text) : Meaning::of_command;
    if (meaning == Meaning::of_command) {
      replies_[command.index] = std::move(reply);
      done_ = true;
      return {};
    }
    const Error why = error_of(meaning, *node, reply.text);
    Pending next{.index = command.index, .why = why};
    switch (meaning) {
      case Meaning::of_command:
      case Meaning::not_ready:
      case Meaning::not_allowed: return fail(why);
      case Meaning::no_script:
        if (batch_.script(command.index) == nullptr) return fail(why);
        next.to = node;
        next.asking = command.asking;
        next.load = true;  // again, when somebody had the server forget it before the call behind it ran
        break;
      case Meaning::moved:
      case Meaning::ask: {
        const auto redirect = redirect_of(reply.text);
        if (redirect) next.to = router_.redirect(*redirect, meaning == Meaning::moved, node);
        if (!next.to) return fail(why);
        next.asking = meaning == Meaning::ask;
        // Two nodes that send us to and fro have not agreed yet.
        pause_ = pause_ || command.to == next.to || ++redirects_ > batch_.size();
        break;
      }
      case Meaning::try_again:
        router_.doubt(nullptr);
        next.to = command.asking ? node : nullptr;
        next.asking = command.asking;
        pause_ = true;
        break;
      case Meaning::not_master:
        router_.doubt(node);
        next.failed = node;
        break;
    }
    again_.push_back(std::move(next));
    return {};
  }

  static Error error_of(Meaning meaning, const ConnectionPipeline& node, const std::string& message) {
    const bool later = meaning != Meaning::not_allowed && meaning != Meaning::no_script;
    return Error{later ? Code::not_ready : Code::storage_failed,
                 fmt::format("Redis at {} says: {}", to_string(node.endpoint()), message),
                 {},
                 kRetryWhenBusy};
  }

  /// Of the whole call: once a part was done, nobody may believe that nothing was.
  Error refusal(Error error) const {
    if (done_) error.code = Code::unknown_outcome;
    return error;
  }

  Router& router_;
  const CommandBatch& batch_;
  const Clock& clock_;
  const Deadline deadline_;
  std::vector<Reply> replies_;
  std::vector<Pending> again_;
  std::size_t redirects_ = 0;
  bool pause_ = false;
  bool done_ = false;
};

class RoutedClient final : public Client {
 public:
  RoutedClient(std::unique_ptr<Router> router, const ClientOptions& options, const Clock& clock)
      : router_(std::move(router)), options_(options), clock_(clock) {}

  Result<std::vector<Reply>> run(std::span<const Command> commands) override { return run(CommandBatch(commands)); }
  Result<std::vector<Reply>> run(std::span<const ScriptCall> calls) override { return run(CommandBatch(calls)); }

  Result<ServerInfo> server_of(std::string_view key) override {
    const auto until = deadline();
    auto node = router_->node_of(key, until);
    if (!node) return fail(std::move(node).error());
    auto info = (*node)->server(until);
    if (info) return info;
    router_->doubt(*node);
    const auto other = router_->node_of(key, until);
    if (!other || *other == *node) return info;
    return (*other)->server(until);
  }

  Result<std::unique_ptr<Subscription>> subscribe(std::string_view channel) override {
    const auto until = deadline();
    const auto node = router_->node_of(channel, until);
    if (!node) return fail(node.error());
    auto connection = (*node)->open_aside(until.answer);
    auto subscription = connection ? open_subscription(*std::move(connection), channel, clock_, until.answer)
                                   : Result<std::unique_ptr<Subscription>>(fail(connection.error()));
    if (!subscription) router_->doubt(*node);
    return subscription;
  }

  void doubt_server_of(std::string_view key) override {
    if (const auto node = router_->node_of(key, deadline())) (*node)->reconnect();
  }

 private:
  Deadline deadline() const {
    const Monotonic now = clock_.monotonic();
    return {now + options_.deadline, now + options_.deadline * 3 / 4};
  }

  Result<std::vector<Reply>> run(const CommandBatch& batch) {
    try {
      return RoutedCall(*router_, batch, clock_, deadline()).run();
    } catch (const std::exception& exception) {
      return fail(Code::unknown_outcome, fmt::format("talking to Redis: {}", exception.what()));
    }
  }

  const std::unique_ptr<Router> router_;
  const ClientOptions options_;
  const Clock& clock_;
};

}  // namespace

Result<std::unique_ptr<Client>> open_client(const Url& url, const ClientOptions& options, const Clock& clock,
                                            Random& random) {
  Login login;
  login.user = url.user;
  login.password = url.password;
  login.database = url.database;
  if (url.tls) {
    auto tls = TlsContext::make(url.ca_file);
    if (!tls) return fail(std::move(tls).error());
    login.tls = *std::move(tls);
  }
  std::unique_ptr<Router> router;
  switch (url.kind) {
    case Url::Kind::server: router = make_standalone(url, login, options, clock, random); break;
    case Url::Kind::sentinel: router = make_sentinel(url, login, options, clock, random); break;
    case Url::Kind::cluster: router = make_cluster(url, login, options, clock, random); break;
  }
  return std::make_unique<RoutedClient>(std::move(router), options, clock);
}

}  // namespace scoreline::redis
