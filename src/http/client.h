// A small blocking HTTP/1.1 client: for the command line (`--server URL`) and the tests.
//
// Keeps its connection between calls. Thread safety: none; one thread, one client.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "http/message.h"

namespace scoreline::http {

/// Every member has an initialiser, so that any may be left away in `{.target = …}`.
struct ClientRequest {
  Method method = Method::get;
  std::string target = "/";  ///< path and query, percent-encoded
  std::string body{};
  std::string content_type = std::string(kJsonType);           ///< sent when there is a body
  std::vector<std::pair<std::string, std::string>> headers{};  ///< more of them
};

struct ClientResponse {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  /// The first header of that name, in any case; empty when there is none.
  std::string_view header(std::string_view name) const;
};

class Client {
 public:
  /// `url`: `http://HOST[:PORT]`, nothing behind it. `deadline`: for each call, connecting included.
  /// Errors: Code::usage, field `server`. Nothing is sent yet.
  static Result<Client> to(std::string_view url, std::chrono::milliseconds deadline = std::chrono::seconds{30});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// Any status is an answer. Errors: not_ready (nobody answers there; nothing was sent), unknown_outcome (the
  /// connection broke or the deadline passed after sending began: a write may or may not have been done).
  Result<ClientResponse> send(const ClientRequest& request);

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// `text` as one path segment or query value: everything but letters, digits, `-`, `.`, `_`, `~` as %XX.
std::string percent_encode(std::string_view text);

}  // namespace scoreline::http
