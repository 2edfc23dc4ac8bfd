// The HTTP server: sockets, loops and deadlines around one Handler.
//
// One loop (a thread) per core. One acceptor deals new connections out to the loops in turn, so that they share the
// work evenly whatever the kernel's hash says, and so that a second server on the same port is an error and not a
// silent half of the traffic (as it would be with SO_REUSEPORT).
//
// Thread safety: start, stop and the destructor from one thread; the rest from any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "http/message.h"
#include "http/session.h"

namespace scoreline::http {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IPv4 or IPv6 address, not a name
  std::uint16_t port = 0;             ///< 0: any free one
  unsigned loops = 0;                 ///< 0: one per core
  /// Open at once; over it new ones wait in the kernel's queue. Lowered to what the limit on open files leaves after
  /// `reserved_files`.
  std::size_t max_connections = 25'000;
  std::size_t reserved_files = 32;  ///< for the ledger and everything else that opens files
  Deadlines deadlines;
};

class Server {
 public:
  /// `handler` and `clock` must outlive the server.
  Server(Handler& handler, const Clock& clock, ServerOptions options);
  /// As stop(0).
  ~Server();

  /// Listens, and serves from now on. Errors: Code::usage (the address is none), Code::conflict (it is taken),
  /// Code::internal, all with field `listen`.
  Result<void> start();

  /// How many connections are open at most at once.
  std::size_t max_connections() const;

  /// Where it listens, once started.
  std::uint16_t port() const;

  /// Takes no more connections, closes idle ones, lets open requests finish for at most `grace`, then closes the rest.
  /// Answers that come later are dropped. Returns true when every request was finished.
  bool stop(std::chrono::milliseconds grace);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scoreline::http
