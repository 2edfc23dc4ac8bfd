#include "http/loop.h"

#include <array>
#include <boost/asio/post.hpp>
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

/// The gate of the loop that this thread runs.
thread_local const Gate* this_threads_gate = nullptr;

}  // namespace

/// A socket and its session.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, tcp::socket socket)
      : loop_(loop),
        socket_(std::move(socket)),
        session_(loop.parts().handler, loop.parts().options.deadlines, loop.parts().budget, loop.state()) {}

  void start();
  void answered(Response response) {
    unwanted_ = nullptr;
    if (closed_) return tell_lost(response);
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
    tell_unwanted();
    advance();
  }
  void on_unwanted(std::function<void()> call) { unwanted_ = std::move(call); }
  static void tell_lost(const Response& response) {
    if (response.lost) response.lost();
  }
  bool expired() const { return !closed_ && session_.expired(); }
  void expire() {
    if (!expired()) return;
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
  void watch_while_waiting();
  void tell_unwanted() {
    if (const auto call = std::exchange(unwanted_, nullptr)) call();
  }
  void linger();
  void hang_up();

  Loop& loop_;
  tcp::socket socket_;
  Session session_;
  std::array<char, 512> discarded_;
  std::function<void()> unwanted_;  ///< who waits for the answer to the open request must hear that nobody does
  bool in_session_ = false;         ///< the session runs a handler: its answers are flushed together afterwards
  bool reading_ = false;
  bool writing_ = false;
  bool lingering_ = false;
  bool closed_ = false;
};

namespace {

/// Brings an answer to its connection's loop; both may be gone by then.
class ConnectionSink final : public AnswerSink {
 public:
  ConnectionSink(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection)
      : gate_(std::move(gate)), connection_(std::move(connection)) {}

  void deliver(Response response) override {
    if (this_threads_gate == gate_.get()) return answer(connection_, std::move(response));
    std::unique_lock lock(gate_->mutex);
    if (gate_->loop == nullptr) {
      lock.unlock();
      return Connection::tell_lost(response);
    }
    asio::post(gate_->loop->context(), [connection = connection_, response = std::move(response)]() mutable {
      answer(connection, std::move(response));
    });
  }

  void wake() override {
    const std::lock_guard lock(gate_->mutex);
    if (gate_->loop == nullptr) return;
    asio::post(gate_->loop->context(), [connection = connection_] {
      if (const auto alive = connection.lock()) alive->woken();
    });
  }

  void on_unwanted(std::function<void()> call) override {
    if (const auto connection = connection_.lock()) connection->on_unwanted(std::move(call));
  }

 private:
  static void answer(const std::weak_ptr<Connection>& connection, Response response) {
    if (const auto alive = connection.lock()) return alive->answered(std::move(response));
    Connection::tell_lost(response);
  }

  const std::shared_ptr<Gate> gate_;
  const std::weak_ptr<Connection> connection_;
};

}  // namespace

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
  } else if (unwanted_ && !reading_) {
    watch_while_waiting();
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

/// Notices a client that goes while its request waits. What it sends meanwhile stays where it is until it is answered,
/// and then its end cannot be seen either.
void Connection::watch_while_waiting() {
  reading_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code ec) {
    self->reading_ = false;
    if (self->closed_) return;
    if (ec) return self->close();
    if (self->unwanted_) {
      char byte;
      error_code peeked;
      self->socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, peeked);
      if (!peeked) return;
      if (peeked == asio::error::eof) {
        self->session_.ended();
        self->tell_unwanted();
      } else if (peeked != asio::error::would_block && peeked != asio::error::try_again) {
        return self->close();
      }
    }
    self->advance();
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
  tell_unwanted();
  session_.lost();
  loop_.remove(shared_from_this());
}

Loop::Loop(ServerParts parts) : parts_(parts), gate_(std::make_shared<Gate>()) {
  gate_->loop = this;
  tick();
}

Loop::~Loop() {
  const std::lock_guard lock(gate_->mutex);
  gate_->loop = nullptr;
}

void Loop::start() {
  sweep();
  thread_ = std::thread([this] {
    this_threads_gate = gate_.get();
    context_.run();
  });
}

void Loop::stop() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

void Loop::tick() {
  state_.now = parts_.clock.monotonic();
  state_.date_header = date_header(parts_.clock.now());
}

void Loop::add(tcp::socket socket) {
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.insert(connection);
  connection->start();
  if (draining_) connection->drain();
}

void Loop::remove(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  parts_.census.leave();
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
  // What is done to one may remove it, or end the deadline of another.
  std::vector<std::shared_ptr<Connection>> late;
  for (const auto& connection : connections_) {
    if (connection->expired()) late.push_back(connection);
  }
  for (const auto& connection : late) connection->expire();
  if (on_sweep_) on_sweep_();
  timer_.expires_after(kSweep);
  timer_.async_wait([this](error_code ec) {
    if (!ec) sweep();
  });
}

}  // namespace scoreline::http
