// A real server on a free port over a ledger in memory, with queues in memory, and sockets to talk to it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/api.h"
#include "http/client.h"
#include "http/server.h"
#include "queues/embedded_job_store.h"
#include "support/loopback.h"
#include "support/model_dead_letters.h"
#include "support/process.h"

namespace scoreline::test {

/// A TCP connection to a port of this machine, for bytes that no client would send.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = loopback(port);
    const timeval most{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawSocket() { close(); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(fd_, SHUT_WR); }

  /// Until the peer closes (or nothing comes for ten seconds).
  std::string read_all() {
    std::string out;
    for (char part[4096];;) {
      const ssize_t size = ::recv(fd_, part, sizeof part, 0);
      if (size <= 0) return out;
      out.append(part, static_cast<std::size_t>(size));
    }
  }
  /// Until `end` has come; what came before the peer closed, else.
  std::string read_until(std::string_view end) {
    std::string out;
    for (char byte = 0; out.size() < end.size() || out.compare(out.size() - end.size(), end.size(), end) != 0;) {
      if (::recv(fd_, &byte, 1, 0) <= 0) break;
      out += byte;
    }
    return out;
  }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// Closes with a reset, as a client that crashes.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
};

/// A server with two loops over a World.
class LiveServer {
 public:
  explicit LiveServer(http::Deadlines deadlines = {}) : LiveServer(options_with(deadlines)) {}
  explicit LiveServer(http::IndexReads reads) : LiveServer(options_with({}), reads) {}
  explicit LiveServer(const http::ServerOptions& options, http::IndexReads reads = http::IndexReads::inline_)
      : api(world.service(), world.pipeline(), files, reads),
        jobs(queues::EmbeddedJobStore::open(nullptr, system_clock, world.random).value()),
        server(api, system_clock, options) {
    api.keep_dead_letters(dead_letters);
    api.keep_jobs(*jobs);
    api.tell_metrics(registry);
    must(server.start());
    client = http::Client::to(url()).value();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server.port()); }

  http::ClientResponse send(const http::ClientRequest& request) {
    auto response = client->send(request);
    if (!response) throw std::runtime_error(response.error().detail);
    return std::move(*response);
  }
  http::ClientResponse get(const std::string& target) { return send({.target = target}); }
  http::ClientResponse post(const std::string& target, std::string body) {
    return send({.method = http::Method::post, .target = target, .body = std::move(body)});
  }
  http::ClientResponse put(const std::string& target, std::string body) {
    return send({.method = http::Method::put, .target = target, .body = std::move(body)});
  }
  http::ClientResponse del(const std::string& target) { return send({.method = http::Method::del, .target = target}); }

  static http::ServerOptions options_with(http::Deadlines deadlines) {
    http::ServerOptions options;
    options.loops = 2;
    options.deadlines = deadlines;
    return options;
  }

  static constexpr http::StaticFile files[] = {
      {"/", "text/html; charset=utf-8", "<!doctype html><title>board</title>"}};

  World world;
  ModelDeadLetters dead_letters;
  prometheus::Registry registry;
  SystemClock system_clock;
  http::Api api;
  std::unique_ptr<queues::JobStore> jobs;
  http::Server server;
  std::optional<http::Client> client;
};

}  // namespace scoreline::test
