// What the error replies of Redis and Valkey mean to us: the one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/redis/url.h"

namespace scoreline::redis {

enum class Meaning : std::uint8_t {
  of_command,   ///< OOM, WRONGTYPE, an error of a script …: the caller's to look at
  no_script,    ///< NOSCRIPT: load it and send the call again
  moved,        ///< MOVED: the slot is on another node
  ask,          ///< ASK: this one key is on another node already, while its slot moves
  try_again,    ///< TRYAGAIN, CLUSTERDOWN: the cluster is in between; again after a pause
  not_master,   ///< READONLY, MASTERDOWN: it was the master, another one is
  not_ready,    ///< LOADING, BUSY, NOREPLICAS: the node takes nothing now, but will
  not_allowed,  ///< NOAUTH, WRONGPASS, NOPERM, MISCONF: an operator must help
};

/// By the first word of the message. Each but `of_command` says that nothing was done.
Meaning meaning_of(std::string_view message);

/// The node that MOVED and ASK name; the host is empty when it is the one that was asked. Nothing when it cannot be
/// read.
struct Redirect {
  std::uint16_t slot = 0;
  Endpoint to;
};
std::optional<Redirect> redirect_of(std::string_view message);

}  // namespace scoreline::redis
