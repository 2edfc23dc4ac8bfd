#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "http/loop.h"

namespace scoreline::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How many connections the limit on open files leaves room for.
std::size_t connection_limit(const ServerOptions& options) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return options.max_connections;
  const auto open = static_cast<std::size_t>(files.rlim_cur);
  const std::size_t room = open > options.reserved_files ? open - options.reserved_files : 1;
  return std::clamp<std::size_t>(room, 1, options.max_connections);
}

/// Takes connections and deals them out.
class Acceptor {
 public:
  Acceptor(std::vector<std::unique_ptr<Loop>>& loops, Census& census)
      : loops_(loops), census_(census), acceptor_(loops.front()->context()) {}

  Result<void> listen(const ServerOptions& options) {
    error_code ec;
    const auto address = asio::ip::make_address(options.address, ec);
    if (ec) return fail(Code::usage, "'" + options.address + "' is not an IP address, like 127.0.0.1", "listen");
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    if (!ec) acceptor_.non_blocking(true, ec);
    if (!ec) port_ = acceptor_.local_endpoint(ec).port();
    if (ec) {
      const Code code = ec == asio::error::address_in_use ? Code::conflict : Code::internal;
      return fail(code,
                  "cannot listen on " + options.address + ":" + std::to_string(options.port) + ": " + ec.message(),
                  "listen");
    }
    return {};
  }

  /// On the first loop, as everything below.
  void accept() {
    if (census_.full()) {
      paused_ = true;  // they wait in the kernel's queue until somebody leaves
      return;
    }
    Loop& loop = *loops_[next_];
    acceptor_.async_accept(loop.context(), [this, &loop](error_code ec, tcp::socket socket) {
      if (ec == asio::error::operation_aborted) return;
      if (ec == asio::error::connection_aborted) return accept();
      if (ec) {
        // Out of files or memory. Trying again at once would spin: the connection stays in the queue.
        paused_ = true;
        return;
      }
      next_ = (next_ + 1) % loops_.size();
      census_.enter();
      asio::post(loop.context(), [&loop, taken = std::move(socket)]() mutable { loop.add(std::move(taken)); });
      accept();
    });
  }

  void resume() {
    if (acceptor_.is_open() && std::exchange(paused_, false)) accept();
  }

  void close() {
    error_code ignored;
    acceptor_.close(ignored);
  }

  std::uint16_t port() const { return port_; }

 private:
  std::vector<std::unique_ptr<Loop>>& loops_;
  Census& census_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::size_t next_ = 0;
  bool paused_ = false;
};

}  // namespace

class Server::Impl {
 public:
  Impl(Handler& handler, const Clock& clock, ServerOptions options)
      : options_(std::move(options)), census_(connection_limit(options_)) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned count = options_.loops > 0 ? options_.loops : cores;
    for (unsigned i = 0; i < count; ++i) {
      loops_.push_back(std::make_unique<Loop>(ServerParts{handler, clock, options_, census_, budget_}));
    }
  }

  ~Impl() { stop(std::chrono::milliseconds{0}); }

  Result<void> start() {
    auto acceptor = std::make_unique<Acceptor>(loops_, census_);
    if (auto listening = acceptor->listen(options_); !listening) return listening;
    acceptor_ = std::move(acceptor);
    loops_.front()->on_sweep([this] { acceptor_->resume(); });
    acceptor_->accept();
    for (const auto& loop : loops_) loop->start();
    running_ = true;
    return {};
  }

  std::uint16_t port() const { return acceptor_ ? acceptor_->port() : 0; }
  std::size_t max_connections() const { return census_.limit(); }

  bool stop(std::chrono::milliseconds grace) {
    if (!std::exchange(running_, false)) return true;
    asio::post(loops_.front()->context(), [this] { acceptor_->close(); });
    for (const auto& loop : loops_) asio::post(loop->context(), [&loop] { loop->drain(); });
    const bool finished = census_.wait_until_empty(grace);
    for (const auto& loop : loops_) loop->stop();
    acceptor_->close();
    for (const auto& loop : loops_) loop->close_all();
    return finished;
  }

 private:
  const ServerOptions options_;
  Census census_;
  BodyBudget budget_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;
  bool running_ = false;
};

Server::Server(Handler& handler, const Clock& clock, ServerOptions options)
    : impl_(std::make_unique<Impl>(handler, clock, std::move(options))) {}
Server::~Server() = default;

Result<void> Server::start() { return impl_->start(); }
std::size_t Server::max_connections() const { return impl_->max_connections(); }
std::uint16_t Server::port() const { return impl_->port(); }
bool Server::stop(std::chrono::milliseconds grace) { return impl_->stop(grace); }

}  // namespace scoreline::http
