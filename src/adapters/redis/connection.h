// One connection to one node: connects, logs in, sends commands and reads as many replies, all before a deadline.
//
// Thread safety: none; one thread at a time (ConnectionPipeline sees to it).
// Invariant: after an error nobody knows which answers would still come: the connection is thrown away.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/connection_socket.h"
#include "adapters/redis/connection_tls.h"
#include "adapters/redis/reply_reader.h"
#include "adapters/redis/url.h"

namespace scoreline::redis {

/// Appends a command as the server reads it.
void append_command(std::string& wire, std::initializer_list<std::string_view> words);
/// Its beginning, to be followed by that many words.
void append_command_of(std::string& wire, std::size_t words);
void append_word(std::string& wire, std::string_view word);

/// Who we are to a node, and what it has to be.
struct Login {
  std::string user;
  std::string password;
  int database = 0;
  bool only_master = false;  ///< refuse a replica
  std::shared_ptr<const TlsContext> tls;
};

class Connection {
 public:
  /// Errors: storage_failed; timed_out after the deadline.
  static Result<std::unique_ptr<Connection>> open(const Endpoint& endpoint, const Login& login, const Clock& clock,
                                                  Monotonic deadline);
  /// AUTH, when there is a password. Errors: as log_in.
  Result<void> authenticate(const Login& login, Monotonic deadline);
  /// AUTH, name, database, and what the server says of itself.
  /// Errors: as open; not_ready when it is loading or busy, or no master where one is asked for.
  Result<ServerInfo> log_in(const Login& login, Monotonic deadline);

  /// Sends `wire` and appends `count` replies. After an error, `replies` holds those that came before it.
  /// Errors: storage_failed (closed, or no Redis), timed_out.
  Result<void> exchange(std::string_view wire, std::size_t count, std::vector<Reply>& replies, Monotonic deadline);

  /// Sends `wire` and reads nothing: for a subscriber, whom answers come to by themselves. Errors: as exchange.
  Result<void> say(std::string_view wire, Monotonic deadline);
  /// What comes next; nullopt when nothing has come by the deadline. Errors: storage_failed.
  Result<std::optional<Reply>> listen(Monotonic deadline);

  /// Whether the peer still is there and silent, as far as this side can know. Costs one system call.
  bool sound();

 private:
  explicit Connection(const Clock& clock) : clock_(clock) {}
  Result<void> send_some(std::string_view& wire);
  /// False when nothing has come.
  Result<bool> receive_some();

  const Clock& clock_;
  Socket socket_;
  std::optional<TlsSession> tls_;
  std::string sealed_;  // of TLS, not yet sent
  std::string plain_;   // of TLS, just decrypted
  ReplyReader reader_;
  std::array<char, 64 * 1024> received_;
};

/// One question on a connection of its own, to the first of `endpoints` that gives an answer which is no error.
struct Answer {
  Endpoint from;
  Reply reply;
};
/// Each is given a third of the time that is left. Errors: storage_failed, of the last one asked.
Result<Answer> ask_any(const std::vector<Endpoint>& endpoints, const Login& login,
                       std::initializer_list<std::string_view> words, const Clock& clock, Monotonic deadline);

}  // namespace scoreline::redis
