// Which servers we keep anything in.
#pragma once

#include <string_view>

#include "adapters/redis/client.h"

namespace scoreline::redis {

/// `what` is kept there: `index`, `queues`. Errors: Code::usage, field `what`, when the server evicts keys or is older
/// than Redis 6.2.
Result<void> check_server(const ServerInfo& server, std::string_view what);

}  // namespace scoreline::redis
