#include "adapters/redis/server_fitness.h"

#include <fmt/format.h>

#include <charconv>

namespace scoreline::redis {
namespace {

/// `version` as `Redis 7.0.15`. Valkey began at 7.2.
bool is_too_old(std::string_view version) {
  const auto number = version.find_first_of("0123456789");
  if (number == std::string_view::npos) return false;
  const char* const end = version.data() + version.size();
  int major = 0;
  int minor = 0;
  const auto dot = std::from_chars(version.data() + number, end, major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  return major < 6 || (major == 6 && minor < 2);
}

}  // namespace

Result<void> check_server(const ServerInfo& server, std::string_view what) {
  const std::string& policy = server.maxmemory_policy;
  if (!policy.empty() && policy != "noeviction") {
    return fail(Code::usage,
                fmt::format("the Redis of the {} has maxmemory-policy {}: it would throw data away without an error; "
                            "set it with CONFIG SET maxmemory-policy noeviction, and in its configuration file",
                            what, policy),
                std::string(what));
  }
  if (!is_too_old(server.version)) return {};
  return fail(Code::usage,
              fmt::format("the Redis of the {} is {}; it must be Redis 6.2 or later, or Valkey", what, server.version),
              std::string(what));
}

}  // namespace scoreline::redis
