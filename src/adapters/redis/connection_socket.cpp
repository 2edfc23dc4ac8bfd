#include "adapters/redis/connection_socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace scoreline::redis {
namespace {

tl::unexpected<Error> failed(std::string_view doing, int error) {
  return fail(Code::storage_failed, fmt::format("{}: {}", doing, std::generic_category().message(error)));
}

/// Milliseconds for poll(), rounded up so that it does not spin at the end; 0 when the deadline has passed.
int milliseconds_until(Monotonic deadline, const Clock& clock) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.monotonic()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

Result<void> poll_until(int fd, short events, const Clock& clock, Monotonic deadline) {
  pollfd one{fd, events, 0};
  for (;;) {
    const int milliseconds = milliseconds_until(deadline, clock);
    if (milliseconds == 0) return fail(Code::timed_out, "no answer within the deadline");
    const int ready = ::poll(&one, 1, milliseconds);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return failed("waiting", errno);
  }
}

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<Socket> Socket::connect(const Endpoint& endpoint, const Clock& clock, Monotonic deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked_up = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (looked_up != 0) return fail(Code::storage_failed, fmt::format("looking up: {}", ::gai_strerror(looked_up)));
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);

  Error last{Code::storage_failed, "no address", {}, std::nullopt};
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.fd_ < 0) return failed("making a socket", errno);
    const int on = 1;
    ::setsockopt(socket.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int error = ::connect(socket.fd_, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      const auto ready = poll_until(socket.fd_, POLLOUT, clock, deadline);
      if (!ready) return fail(ready.error());
      socklen_t size = sizeof error;
      ::getsockopt(socket.fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) return socket;
    last = failed("connecting", error).value();
  }
  return fail(std::move(last));
}

Result<std::size_t> Socket::send(std::string_view bytes) {
  for (;;) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0U;
    if (errno != EINTR) return failed("sending", errno);
  }
}

Result<std::size_t> Socket::receive(std::span<char> into) {
  for (;;) {
    const ssize_t received = ::recv(fd_, into.data(), into.size(), 0);
    if (received > 0) return static_cast<std::size_t>(received);
    if (received == 0) return fail(Code::storage_failed, "the server closed the connection");
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0U;
    if (errno != EINTR) return failed("receiving", errno);
  }
}

Result<void> Socket::wait(For what, const Clock& clock, Monotonic deadline) {
  const short events = what == For::reading ? POLLIN : POLLIN | POLLOUT;
  return poll_until(fd_, events, clock, deadline);
}

}  // namespace scoreline::redis
