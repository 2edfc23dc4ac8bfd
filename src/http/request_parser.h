// Reads one HTTP/1.1 request out of a growing buffer. No sockets: bytes in, a request or a refusal out.
//
// Stricter than HTTP allows, because whatever two parsers read differently smuggles requests (CWE-444): refused are
// HTTP/1.0, a missing or second Host, obs-fold, bare CR or LF, blanks before a colon, Content-Length beside
// Transfer-Encoding, twice, or as a list, any Transfer-Encoding but `chunked`, and targets that are not `/path?query`.
// Limits: kMaxHeaderBytes (431), kMaxTargetBytes (414), kMaxBodyBytes with the framing of chunks (413).
//
// Thread safety: none; one parser belongs to one connection. O(bytes), each looked at about once.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "http/message.h"

namespace scoreline::http {

class RequestParser {
 public:
  RequestParser();
  ~RequestParser();

  enum class Step { need_more, complete, failed };

  /// `bytes` is everything received since the request's first byte; it may have moved in memory since the last call.
  Step parse(std::string_view bytes);

  /// After `complete`: the request, as views into the `bytes` given to the last `parse` (a chunked body lives in the
  /// parser until `reset`).
  Request request(std::string_view bytes) const;
  /// After `complete`: how many bytes the request took.
  std::size_t size() const;
  bool keep_alive() const;

  /// After `failed`.
  const Error& error() const;

  /// The head is whole, the body is not.
  bool in_body() const;
  /// The client waits for `100 Continue` before it sends the body.
  bool wants_continue() const;
  /// While in_body(), and the length was declared: bytes of the whole request, else 0.
  std::size_t expected_size() const;

  /// Ready for the next request.
  void reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scoreline::http
