// TLS as a filter between bytes and bytes: no socket, so that one place does all waiting (and none raises SIGPIPE).
//
// Thread safety: a context may be shared; a session is its connection's.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::redis {

/// Whom to trust. TLS 1.2 and later; certificate and host name are always verified.
class TlsContext {
 public:
  /// `ca_file` empty: the system's certificates. Errors: usage, when the file cannot be used.
  static Result<std::shared_ptr<const TlsContext>> make(const std::string& ca_file);

 private:
  friend class TlsSession;
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

class TlsSession {
 public:
  TlsSession(const TlsContext& context, const std::string& host);

  /// How many of `plain` are now among the bytes to send; 0 while the handshake waits for the peer.
  /// Errors: storage_failed, with what is wrong with the peer's certificate.
  Result<std::size_t> encrypt(std::string_view plain);
  /// Appends to `plain` what `sealed`, as it came from the peer, holds. Errors: storage_failed.
  Result<void> decrypt(std::string_view sealed, std::string& plain);
  /// Appends what must go to the peer.
  void take_outgoing(std::string& out);

 private:
  Result<void> shake_hands();
  Error error_of(int result) const;

  struct Free {
    void operator()(SSL* session) const;
  };
  std::unique_ptr<SSL, Free> session_;
};

}  // namespace scoreline::redis
