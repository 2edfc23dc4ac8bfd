#include "support/tcp_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "support/loopback.h"

namespace scoreline::test {
namespace {

constexpr int kLookAroundMs = 5;

}  // namespace

TcpProxy::TcpProxy(int server_port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), server_port_(server_port) {
  port_ = bind_to_free_port(listener_);
  if (::listen(listener_, 64) != 0) throw std::runtime_error("the proxy cannot listen");
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  ending_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) close(pair, false);
  ::close(listener_);
}

void TcpProxy::run() {
  while (!ending_) {
    if (reset_.exchange(false)) {
      for (const Pair& pair : pairs_) close(pair, true);
      pairs_.clear();
    }
    std::vector<pollfd> sockets{{listener_, POLLIN, 0}};
    const short events = mode_ == Mode::hold ? 0 : POLLIN;
    for (const auto& [client, server] : pairs_) {
      sockets.push_back({client, events, 0});
      sockets.push_back({server, events, 0});
    }
    if (::poll(sockets.data(), sockets.size(), kLookAroundMs) <= 0) continue;
    std::vector<Pair> open;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool goes_on = (sockets[1 + 2 * i].revents == 0 || move(pair.client, pair.server, false)) &&
                           (sockets[2 + 2 * i].revents == 0 || move(pair.server, pair.client, true));
      if (goes_on) {
        open.push_back(pair);
      } else {
        close(pair, false);
      }
    }
    pairs_ = std::move(open);
    if (sockets[0].revents != 0) accept_one();
  }
}

void TcpProxy::accept_one() {
  const Pair pair{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC),
                  ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in address = loopback(server_port_);
  if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(pair, true);
    return;
  }
  pairs_.push_back(pair);
}

bool TcpProxy::move(int from, int to, bool answers) {
  if (mode_ == Mode::hold) return true;
  char part[1 << 16];
  const ssize_t bytes = ::recv(from, part, sizeof(part), 0);
  if (bytes <= 0) return false;
  if (answers && mode_ == Mode::mute) {
    lost_ += static_cast<std::size_t>(bytes);
    return true;
  }
  for (ssize_t sent = 0; sent < bytes;) {
    const ssize_t now = ::send(to, part + sent, static_cast<std::size_t>(bytes - sent), MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += now;
  }
  return true;
}

void TcpProxy::close(const Pair& pair, bool reset) {
  for (const int socket : {pair.client, pair.server}) {
    const linger at_once{1, 0};
    if (reset) ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    ::close(socket);
  }
}

}  // namespace scoreline::test
