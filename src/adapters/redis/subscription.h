// A channel heard over a connection of its own.
#pragma once

#include <memory>
#include <string_view>

#include "adapters/redis/client.h"
#include "adapters/redis/connection.h"

namespace scoreline::redis {

/// `clock` outlives it. Errors: storage_failed, when the server refuses or does not answer in time.
Result<std::unique_ptr<Subscription>> open_subscription(std::unique_ptr<Connection> connection,
                                                        std::string_view channel, const Clock& clock, Monotonic until);

}  // namespace scoreline::redis
