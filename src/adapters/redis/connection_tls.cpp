#include "adapters/redis/connection_tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>

namespace scoreline::redis {
namespace {

constexpr std::size_t kMaxPiece = 64 * 1024;

std::string last_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

}  // namespace

void TlsContext::Free::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void TlsSession::Free::operator()(SSL* session) const { SSL_free(session); }

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const std::string& ca_file) {
  ERR_clear_error();
  auto made = std::make_shared<TlsContext>();
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = made->context_.get();
  SCORELINE_CHECK(context != nullptr);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const bool loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                      : SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) == 1;
  if (!loaded) {
    return fail(Code::usage,
                fmt::format("the ca of the Redis URL, `{}`, must be a readable file of PEM certificates: {}", ca_file,
                            last_reason()));
  }
  return made;
}

TlsSession::TlsSession(const TlsContext& context, const std::string& host) : session_(SSL_new(context.context_.get())) {
  SSL* const session = session_.get();
  SCORELINE_CHECK(session != nullptr);
  SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(session);
  // A certificate names an address in another field than a host; only hosts are told to the server (SNI).
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) != 1) {
    SCORELINE_CHECK(SSL_set1_host(session, host.c_str()) == 1);
    // SSL_set_tlsext_host_name, whose macro casts as C does.
    std::string name = host;
    SCORELINE_CHECK(SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1);
  }
  ERR_clear_error();
}

Error TlsSession::error_of(int result) const {
  const int error = SSL_get_error(session_.get(), result);
  std::string why;
  if (error == SSL_ERROR_ZERO_RETURN) {
    why = "the server closed the connection";
  } else if (const long verified = SSL_get_verify_result(session_.get()); verified != X509_V_OK) {
    why = fmt::format("the server's certificate: {}", X509_verify_cert_error_string(verified));
  } else {
    why = last_reason();
  }
  ERR_clear_error();
  return Error{Code::storage_failed, "TLS: " + why, {}, std::nullopt};
}

Result<void> TlsSession::shake_hands() {
  const int result = SSL_do_handshake(session_.get());
  if (result == 1 || SSL_get_error(session_.get(), result) == SSL_ERROR_WANT_READ) return {};
  return fail(error_of(result));
}

Result<std::size_t> TlsSession::encrypt(std::string_view plain) {
  ERR_clear_error();
  const auto shaken = shake_hands();
  if (!shaken) return fail(shaken.error());
  if (!SSL_is_init_finished(session_.get()) || plain.empty()) return 0U;
  const int result = SSL_write(session_.get(), plain.data(), static_cast<int>(std::min(plain.size(), kMaxPiece)));
  if (result > 0) return static_cast<std::size_t>(result);
  if (SSL_get_error(session_.get(), result) == SSL_ERROR_WANT_READ) return 0U;
  return fail(error_of(result));
}

Result<void> TlsSession::decrypt(std::string_view sealed, std::string& plain) {
  ERR_clear_error();
  const int taken = BIO_write(SSL_get_rbio(session_.get()), sealed.data(), static_cast<int>(sealed.size()));
  SCORELINE_CHECK(taken == static_cast<int>(sealed.size()));
  const auto shaken = shake_hands();
  if (!shaken) return fail(shaken.error());
  std::array<char, 16 * 1024> piece;
  while (SSL_is_init_finished(session_.get())) {
    const int result = SSL_read(session_.get(), piece.data(), static_cast<int>(piece.size()));
    if (result > 0) {
      plain.append(piece.data(), static_cast<std::size_t>(result));
      continue;
    }
    if (SSL_get_error(session_.get(), result) == SSL_ERROR_WANT_READ) return {};
    return fail(error_of(result));
  }
  return {};
}

void TlsSession::take_outgoing(std::string& out) {
  BIO* const bio = SSL_get_wbio(session_.get());
  const std::size_t size = BIO_ctrl_pending(bio);
  const std::size_t before = out.size();
  out.resize(before + size);
  if (size > 0) BIO_read(bio, out.data() + before, static_cast<int>(size));
}

}  // namespace scoreline::redis
