#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "http/date_header.h"

namespace scoreline::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How often deadlines are looked at, the date is written anew and a paused acceptor tries again.
constexpr std::chrono::milliseconds kSweep{200};

class Connection;

/// Connections of the whole server, and who waits for them to end.
class Census {
 public:
  explicit Census(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  bool full() const { return count_.load(std::memory_order_relaxed) >= limit_; }
  void enter() { count_.fetch_add(1); }
  void leave() {
    if (count_.fetch_sub(1) != 1) return;
    const std::lock_guard lock(mutex_);
    empty_.notify_all();
  }
  bool wait_until_empty(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    return empty_.wait_for(lock, most, [this] { return count_.load() == 0; });
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::condition_variable empty_;
};

class Loop;

/// The way back to a loop for answers from other threads; outlives the loop.
struct Gate {
  std::mutex mutex;
  Loop* loop = nullptr;  ///< nullptr once the loop is gone
};

/// The gate of the loop that this thread runs.
thread_local const Gate* this_threads_gate = nullptr;

struct Shared {
  Handler& handler;
  const Clock& clock;
  const ServerOptions& options;
  Census& census;
  BodyBudget& budget;
};

/// One thread, its sockets and its coarse clock.
class Loop {
 public:
  explicit Loop(Shared shared) : shared_(shared), gate_(std::make_shared<Gate>()) {
    gate_->loop = this;
    tick();
  }

  ~Loop() {
    const std::lock_guard lock(gate_->mutex);
    gate_->loop = nullptr;
  }

  void start() {
    sweep();
    thread_ = std::thread([this] {
      this_threads_gate = gate_.get();
      context_.run();
    });
  }

  void stop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void add(tcp::socket socket);
  void remove(const std::shared_ptr<Connection>& connection);
  void drain();
  void close_all();

  /// Called at each sweep, on the loop.
  void on_sweep(std::function<void()> call) { on_sweep_ = std::move(call); }

  asio::io_context& context() { return context_; }
  const std::shared_ptr<Gate>& gate() const { return gate_; }
  const Shared& shared() const { return shared_; }
  const LoopState& state() const { return state_; }

 private:
  void tick() {
    state_.now = shared_.clock.monotonic();
    state_.date_header = date_header(shared_.clock.now());
  }
  void sweep();

  const Shared shared_;
  const std::shared_ptr<Gate> gate_;
  LoopState state_;
  bool draining_ = false;
  std::function<void()> on_sweep_;
  // The connections go before the context that their sockets belong to.
  asio::io_context context_{1};
  asio::steady_timer timer_{context_};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

/// A socket and its session.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, tcp::socket socket)
      : loop_(loop),
        socket_(std::move(socket)),
        session_(loop.shared().handler, loop.shared().options.deadlines, loop.shared().budget, loop.state()) {}

  void start();
  void answered(Response response) {
    if (closed_) return;
    const bool nested = std::exchange(in_session_, true);
    session_.answered(std::move(response));
    in_session_ = nested;
    if (!nested) advance();
  }
  void woken() {
    if (closed_) return;
    session_.woken();
    advance();
  }
  void drain() {
    session_.drain();
    advance();
  }
  void expire() {
    if (closed_ || !session_.expired()) return;
    session_.time_out();
    if (session_.output().empty() && !session_.lingers()) return close();
    advance();
  }
  void close();

 private:
  void advance();
  bool flush();
  void read();
  void watch();
  void linger();
  void hang_up();

  Loop& loop_;
  tcp::socket socket_;
  Session session_;
  std::array<char, 512> discarded_;
  bool in_session_ = false;  ///< the session runs a handler: its answers are flushed together afterwards
  bool reading_ = false;
  bool writing_ = false;
  bool lingering_ = false;
  bool closed_ = false;
};

/// Brings an answer to its connection's loop; both may be gone by then.
class ConnectionSink final : public AnswerSink {
 public:
  ConnectionSink(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection)
      : gate_(std::move(gate)), connection_(std::move(connection)) {}

  void deliver(Response response) override {
    if (this_threads_gate == gate_.get()) {
      if (const auto connection = connection_.lock()) connection->answered(std::move(response));
      return;
    }
    const std::lock_guard lock(gate_->mutex);
    if (gate_->loop == nullptr) return;
    asio::post(gate_->loop->context(), [connection = connection_, answer = std::move(response)]() mutable {
      if (const auto alive = connection.lock()) alive->answered(std::move(answer));
    });
  }

  void wake() override {
    const std::lock_guard lock(gate_->mutex);
    if (gate_->loop == nullptr) return;
    asio::post(gate_->loop->context(), [connection = connection_] {
      if (const auto alive = connection.lock()) alive->woken();
    });
  }

 private:
  const std::shared_ptr<Gate> gate_;
  const std::weak_ptr<Connection> connection_;
};

void Connection::start() {
  session_.answer_through(std::make_shared<ConnectionSink>(loop_.gate(), weak_from_this()));
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  advance();
}

/// Sends what there is, then reads on, lingers or closes.
void Connection::advance() {
  if (closed_ || writing_ || !flush()) return;
  if (session_.finished()) {
    hang_up();
  } else if (session_.wants_bytes() && !reading_) {
    read();
  } else if (session_.streams() && !reading_) {
    watch();
  }
}

/// True when all output is with the kernel.
bool Connection::flush() {
  while (!session_.output().empty()) {
    error_code ec;
    const std::string_view output = session_.output();
    const std::size_t size = socket_.write_some(asio::buffer(output.data(), output.size()), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again) {
      session_.blocked();
      writing_ = true;
      socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code waited) {
        self->writing_ = false;
        if (waited) return self->close();
        self->advance();
      });
      return false;
    }
    if (ec) {
      close();
      return false;
    }
    in_session_ = true;
    session_.sent(size);
    in_session_ = false;
  }
  return true;
}

void Connection::read() {
  const std::span<char> space = session_.space();
  if (space.empty()) return advance();
  reading_ = true;
  socket_.async_read_some(asio::buffer(space.data(), space.size()),
                          [self = shared_from_this()](error_code ec, std::size_t size) {
                            self->reading_ = false;
                            if (self->closed_) return;
                            if (self->lingering_) return ec ? self->close() : self->linger();
                            if (ec == asio::error::eof) {
                              self->session_.ended();
                            } else if (ec) {
                              return self->close();
                            } else {
                              self->in_session_ = true;
                              self->session_.received(size);
                              self->in_session_ = false;
                            }
                            self->advance();
                          });
}

/// Notices a listener that goes before there is anything to write to it.
void Connection::watch() {
  reading_ = true;
  socket_.async_read_some(asio::buffer(discarded_), [self = shared_from_this()](error_code ec, std::size_t) {
    self->reading_ = false;
    if (self->closed_) return;
    if (ec) return self->close();
    self->lingering_ ? self->linger() : self->advance();
  });
}

void Connection::hang_up() {
  if (!session_.lingers()) return close();
  if (std::exchange(lingering_, true)) return;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  session_.linger();
  if (!reading_) linger();
}

void Connection::linger() {
  socket_.async_read_some(asio::buffer(discarded_), [self = shared_from_this()](error_code ec, std::size_t) {
    if (ec) return self->close();
    self->linger();
  });
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  error_code ignored;
  socket_.close(ignored);
  loop_.remove(shared_from_this());
}

void Loop::add(tcp::socket socket) {
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.insert(connection);
  connection->start();
  if (draining_) connection->drain();
}

void Loop::remove(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  shared_.census.leave();
}

void Loop::drain() {
  draining_ = true;
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->drain();
}

void Loop::close_all() {
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->close();
}

void Loop::sweep() {
  tick();
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->expire();
  if (on_sweep_) on_sweep_();
  timer_.expires_after(kSweep);
  timer_.async_wait([this](error_code ec) {
    if (!ec) sweep();
  });
}

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
      loops_.push_back(std::make_unique<Loop>(Shared{handler, clock, options_, census_, budget_}));
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
