// Where Redis or Valkey is, as the user wrote it.
//
//   redis://[user:password@]host[:port][/database]      one server; the port is 6379 unless told
//   redis-sentinel://[user:password@]h1[:p1],h2[:p2]/NAME   sentinels (port 26379) that know the master NAME
//   redis-cluster://[user:password@]h1[:p1],h2[:p2]     some nodes of a cluster
// The same over TLS: rediss, rediss-sentinel, rediss-cluster; `?ca=FILE` names the certificates to trust in place of
// the system's. User and password may be percent-encoded; `:password@` is the user `default`. IPv6 hosts stand in
// brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace scoreline::redis {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// `host:port`, an IPv6 host in brackets.
std::string to_string(const Endpoint& endpoint);

struct Url {
  enum class Kind : std::uint8_t { server, sentinel, cluster };
  Kind kind = Kind::server;
  bool tls = false;
  std::string user;  ///< empty: the user `default`
  std::string password;
  std::vector<Endpoint> endpoints;  ///< at least one; exactly one of a server
  int database = 0;
  std::string master;   ///< the sentinels' name for it
  std::string ca_file;  ///< empty: the system's certificates
};

/// Errors: Code::usage; the detail names the part that is wrong and never holds the password.
Result<Url> parse_url(std::string_view text);

/// The URL without its password: for logs and for `config print`.
std::string redacted(const Url& url);

}  // namespace scoreline::redis
