// A TCP socket that never blocks, and a wait with a deadline.
//
// Thread safety: none; its connection guards it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "adapters/redis/url.h"
#include "base/clock.h"
#include "base/error.h"

namespace scoreline::redis {

class Socket {
 public:
  /// Tries each address of the host. Looking up its name takes as long as the system's resolver allows.
  /// Errors: storage_failed; timed_out after the deadline.
  static Result<Socket> connect(const Endpoint& endpoint, const Clock& clock, Monotonic deadline);

  Socket() = default;
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept;

  /// What the kernel took of `bytes`, maybe nothing. Errors: storage_failed.
  Result<std::size_t> send(std::string_view bytes);
  /// What has come, maybe nothing. Errors: storage_failed, also when the peer closed.
  Result<std::size_t> receive(std::span<char> into);

  enum class For { reading, reading_or_writing };
  /// Errors: storage_failed; timed_out after the deadline.
  Result<void> wait(For what, const Clock& clock, Monotonic deadline);

 private:
  explicit Socket(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace scoreline::redis
