// How long the ledger waits for its server, and with how many connections.
#pragma once

#include <chrono>
#include <cstddef>

namespace scoreline::postgres {

struct Options {
  /// Of one call, however the server behaves. The server gives up a little earlier, so that what is only slow fails
  /// with a certain answer.
  std::chrono::milliseconds timeout{5'000};
  /// Of what reads or changes many rows at once: erasing, dropping, migrating, each part of a scan.
  std::chrono::milliseconds bulk_timeout{60'000};
  /// Of one attempt to connect.
  std::chrono::milliseconds connect_timeout{3'000};
  /// How long a write waits for a server that is away (a restart); when it is away for longer, writes fail at once.
  std::chrono::milliseconds patience{2'000};
  /// Connections for reads beside the one that writes; a scan has one more of its own.
  std::size_t readers = 4;
};

}  // namespace scoreline::postgres
