#include "adapters/redis/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace scoreline::redis {
namespace {

constexpr int kServerPort = 6379;
constexpr int kSentinelPort = 26379;
constexpr int kMaxDatabase = 1'000'000;
constexpr std::size_t kMaxEndpoints = 100;

struct Scheme {
  std::string_view name;
  Url::Kind kind;
  bool tls;
};
constexpr std::array<Scheme, 6> kSchemes{{{"redis", Url::Kind::server, false},
                                          {"rediss", Url::Kind::server, true},
                                          {"redis-sentinel", Url::Kind::sentinel, false},
                                          {"rediss-sentinel", Url::Kind::sentinel, true},
                                          {"redis-cluster", Url::Kind::cluster, false},
                                          {"rediss-cluster", Url::Kind::cluster, true}}};

tl::unexpected<Error> wrong(std::string_view part, std::string_view why) {
  return fail(Code::usage, fmt::format("the {} of the Redis URL {}", part, why));
}

/// Cuts `text` at the first `separator`: what comes after it, or nothing when there is none.
std::optional<std::string_view> cut(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::optional<int> number(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

Result<Endpoint> parse_endpoint(std::string_view text, int default_port) {
  std::optional<std::string_view> port;
  std::string_view host = text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return wrong("host", "lacks its `]`");
    host = text.substr(1, end - 1);
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') return wrong("host", "has text after its `]`");
    if (!rest.empty()) port = rest.substr(1);
  } else {
    port = cut(host, ':');
  }
  if (host.empty()) return wrong("host", "is missing");
  const bool clean = std::all_of(host.begin(), host.end(), [](char c) { return c > ' ' && c < 127 && c != '%'; });
  if (!clean) return wrong("host", "has a character that no host name has");
  const auto port_number = port ? number(*port, 1, 65'535) : default_port;
  if (!port_number) return wrong("port", "must be 1..65535");  // not shown: a password without its `@` lands here
  return Endpoint{std::string(host), static_cast<std::uint16_t>(*port_number)};
}

Result<void> parse_login(std::string_view text, Url& url) {
  const auto password = cut(text, ':');
  if (!password) return wrong("user", "has no password: write user:password@ or :password@");
  const auto user = percent_decoded(text);
  if (!user) return wrong("user", "has a `%` that is not followed by two hex digits");
  const auto secret = percent_decoded(*password);
  if (!secret) return wrong("password", "has a `%` that is not followed by two hex digits");
  if (secret->empty()) return wrong("password", "is empty");
  url.user = *user;
  url.password = *secret;
  return {};
}

Result<void> parse_hosts(std::string_view text, Url& url) {
  std::optional<std::string_view> rest = text;
  while (rest) {
    std::string_view one = *rest;
    rest = cut(one, ',');
    auto endpoint = parse_endpoint(one, url.kind == Url::Kind::sentinel ? kSentinelPort : kServerPort);
    if (!endpoint) return fail(std::move(endpoint).error());
    url.endpoints.push_back(*std::move(endpoint));
    if (url.endpoints.size() > kMaxEndpoints) return wrong("host", fmt::format("list is over {}", kMaxEndpoints));
  }
  if (url.kind == Url::Kind::server && url.endpoints.size() > 1) {
    return wrong("host", "must be one; several are for redis-sentinel:// and redis-cluster://");
  }
  return {};
}

Result<void> parse_path(std::optional<std::string_view> path, Url& url) {
  switch (url.kind) {
    case Url::Kind::sentinel:
      if (!path || path->empty()) return wrong("path", "must be the name of the master, as in /mymaster");
      url.master = *path;
      return {};
    case Url::Kind::cluster:
      if (path && !path->empty() && *path != "0") return wrong("database", "must be 0: a cluster has no other");
      return {};
    case Url::Kind::server: break;
  }
  if (!path || path->empty()) return {};
  const auto database = number(*path, 0, kMaxDatabase);
  if (!database) return wrong("database", fmt::format("`{}` must be a number from 0", *path));
  url.database = *database;
  return {};
}

Result<void> parse_query(std::optional<std::string_view> query, Url& url) {
  if (!query || query->empty()) return {};
  std::string_view name = *query;
  const auto value = cut(name, '=');
  if (name != "ca" || !value) return wrong("query", "may only be ca=FILE");
  if (!url.tls) return wrong("query", "has a ca, which is for rediss:// only");
  const auto file = percent_decoded(*value);
  if (!file || file->empty()) return wrong("query", "must name a file after ca=");
  url.ca_file = *file;
  return {};
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  const bool six = endpoint.host.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
             : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

Result<Url> parse_url(std::string_view text) {
  const auto end = text.find("://");
  const auto name = end == std::string_view::npos ? std::string_view() : text.substr(0, end);
  const auto* scheme = std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& s) { return s.name == name; });
  if (scheme == kSchemes.end()) {
    return wrong("scheme", "must be redis, rediss, redis-sentinel, rediss-sentinel, redis-cluster or rediss-cluster");
  }
  Url url;
  url.kind = scheme->kind;
  url.tls = scheme->tls;
  // From the right: a password may hold a `/` or a `?` that nobody encoded, a host may not.
  std::string_view rest = text.substr(end + 3);
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const auto login = parse_login(rest.substr(0, at), url);
    if (!login) return fail(login.error());
    rest = rest.substr(at + 1);
  }
  const auto query = cut(rest, '?');
  const auto path = cut(rest, '/');
  auto parsed = parse_hosts(rest, url);
  if (parsed) parsed = parse_path(path, url);
  if (parsed) parsed = parse_query(query, url);
  if (!parsed) return fail(parsed.error());
  return url;
}

std::string redacted(const Url& url) {
  const auto scheme = std::find_if(kSchemes.begin(), kSchemes.end(),
                                   [&](const Scheme& s) { return s.kind == url.kind && s.tls == url.tls; });
  std::string text = fmt::format("{}://", scheme->name);
  if (!url.password.empty()) text += fmt::format("{}:***@", url.user);
  for (std::size_t i = 0; i < url.endpoints.size(); ++i) {
    text += (i == 0 ? "" : ",") + to_string(url.endpoints[i]);
  }
  if (url.kind == Url::Kind::sentinel) text += "/" + url.master;
  if (url.database != 0) text += fmt::format("/{}", url.database);
  if (!url.ca_file.empty()) text += "?ca=" + url.ca_file;
  return text;
}

}  // namespace scoreline::redis
