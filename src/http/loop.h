// One loop of the server: a thread, its sockets, and what becomes of each connection.
//
// Thread safety: start, stop, gate from any; everything else on the loop's thread, or while it does not run.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "http/server.h"
#include "http/session.h"

namespace scoreline::http {

class Connection;
class Loop;

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

/// The way back to a loop for answers from other threads; outlives the loop.
struct Gate {
  std::mutex mutex;
  Loop* loop = nullptr;  ///< nullptr once the loop is gone
};

/// What all loops of a server share.
struct ServerParts {
  Handler& handler;
  const Clock& clock;
  const ServerOptions& options;
  Census& census;
  BodyBudget& budget;
};

/// One thread, its sockets and its coarse clock.
class Loop {
 public:
  explicit Loop(ServerParts parts);
  ~Loop();

  void start();
  void stop();

  void add(boost::asio::ip::tcp::socket socket);
  void remove(const std::shared_ptr<Connection>& connection);
  void drain();
  void close_all();

  /// Called at each sweep, on the loop.
  void on_sweep(std::function<void()> call) { on_sweep_ = std::move(call); }

  boost::asio::io_context& context() { return context_; }
  const std::shared_ptr<Gate>& gate() const { return gate_; }
  const ServerParts& parts() const { return parts_; }
  const LoopState& state() const { return state_; }

 private:
  void tick();
  void sweep();

  const ServerParts parts_;
  const std::shared_ptr<Gate> gate_;
  LoopState state_;
  bool draining_ = false;
  std::function<void()> on_sweep_;
  // The connections go before the context that their sockets belong to.
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

}  // namespace scoreline::http
