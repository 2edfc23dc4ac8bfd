#include "adapters/redis/connection.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "adapters/redis/reply_errors.h"

namespace scoreline::redis {
namespace {

/// The value of `name` in the lines of INFO; empty when it is not there.
std::string_view info_value(std::string_view info, std::string_view name) {
  for (std::size_t at = 0; at < info.size();) {
    const auto end = std::min(info.find("\r\n", at), info.size());
    const auto line = info.substr(at, end - at);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      return line.substr(name.size() + 1);
    }
    at = end + 2;
  }
  return {};
}

void append_line(std::string& wire, std::size_t number) {
  std::array<char, 24> digits;
  wire.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
  wire += "\r\n";
}

Error refused(const std::string& message) {
  const bool soon = meaning_of(message) == Meaning::not_ready;
  return Error{soon ? Code::not_ready : Code::storage_failed, "the server says: " + message, {}, std::nullopt};
}

}  // namespace

void append_command_of(std::string& wire, std::size_t words) {
  wire += '*';
  append_line(wire, words);
}

void append_word(std::string& wire, std::string_view word) {
  wire += '$';
  append_line(wire, word.size());
  wire += word;
  wire += "\r\n";
}

void append_command(std::string& wire, std::initializer_list<std::string_view> words) {
  append_command_of(wire, words.size());
  for (const auto word : words) append_word(wire, word);
}

Result<std::unique_ptr<Connection>> Connection::open(const Endpoint& endpoint, const Login& login, const Clock& clock,
                                                     Monotonic deadline) {
  auto socket = Socket::connect(endpoint, clock, deadline);
  if (!socket) return fail(std::move(socket).error());
  std::unique_ptr<Connection> connection(new Connection(clock));
  connection->socket_ = *std::move(socket);
  if (login.tls) connection->tls_.emplace(*login.tls, endpoint.host);
  return connection;
}

Result<void> Connection::authenticate(const Login& login, Monotonic deadline) {
  if (login.password.empty()) return {};
  std::string wire;
  if (login.user.empty()) {
    append_command(wire, {"AUTH", login.password});
  } else {
    append_command(wire, {"AUTH", login.user, login.password});
  }
  std::vector<Reply> replies;
  const auto done = exchange(wire, 1, replies, deadline);
  if (!done) return fail(done.error());
  if (replies[0].kind == Reply::Kind::error) return fail(refused(replies[0].text));
  return {};
}

Result<ServerInfo> Connection::log_in(const Login& login, Monotonic deadline) {
  const auto authenticated = authenticate(login, deadline);
  if (!authenticated) return fail(authenticated.error());
  std::string wire;
  std::vector<Reply> replies;
  append_command(wire, {"CLIENT", "SETNAME", "scoreline"});  // a nicety: a user that may not do it does without
  append_command(wire, {"SELECT", std::to_string(login.database)});
  for (const auto section : {"server", "memory", "replication"}) append_command(wire, {"INFO", section});
  const auto done = exchange(wire, 5, replies, deadline);
  if (!done) return fail(done.error());
  for (std::size_t i = login.database == 0 ? 2 : 1; i < replies.size(); ++i) {
    if (replies[i].kind == Reply::Kind::error) return fail(refused(replies[i].text));
  }
  const std::string_view server = replies[2].text;
  ServerInfo info;
  info.run_id = info_value(server, "run_id");
  const auto valkey = info_value(server, "valkey_version");
  info.version =
      valkey.empty() ? fmt::format("Redis {}", info_value(server, "redis_version")) : fmt::format("Valkey {}", valkey);
  info.maxmemory_policy = info_value(replies[3].text, "maxmemory_policy");
  if (info.run_id.empty()) return fail(Code::storage_failed, "the server does not tell its run_id (INFO server)");
  if (login.only_master && info_value(replies[4].text, "role") != "master") {
    return fail(Code::not_ready, "it is a replica, and the master is wanted");
  }
  return info;
}

Result<void> Connection::send_some(std::string_view& wire) {
  if (!tls_) {
    const auto sent = socket_.send(wire);
    if (!sent) return fail(sent.error());
    wire.remove_prefix(*sent);
    return {};
  }
  if (sealed_.empty()) {
    const auto taken = tls_->encrypt(wire);
    if (!taken) return fail(taken.error());
    wire.remove_prefix(*taken);
    tls_->take_outgoing(sealed_);
  }
  if (sealed_.empty()) return {};
  const auto sent = socket_.send(sealed_);
  if (!sent) return fail(sent.error());
  sealed_.erase(0, *sent);
  return {};
}

Result<bool> Connection::receive_some() {
  const auto size = socket_.receive(received_);
  if (!size) return fail(size.error());
  if (*size == 0) return false;
  std::string_view bytes(received_.data(), *size);
  if (tls_) {
    plain_.clear();
    const auto decrypted = tls_->decrypt(bytes, plain_);
    tls_->take_outgoing(sealed_);
    if (!decrypted) return fail(decrypted.error());
    bytes = plain_;
  }
  const auto fed = reader_.feed(bytes);
  if (!fed) return fail(fed.error());
  return true;
}

Result<void> Connection::exchange(std::string_view wire, std::size_t count, std::vector<Reply>& replies,
                                  Monotonic deadline) {
  const std::size_t wanted = replies.size() + count;
  while (!wire.empty() || !sealed_.empty() || replies.size() < wanted) {
    if (!wire.empty() || !sealed_.empty()) {
      const std::size_t before = wire.size();
      const auto sent = send_some(wire);
      if (!sent) return fail(sent.error());
      if (tls_ && wire.size() < before && !wire.empty()) continue;  // another piece may fit
    }
    // While a TLS handshake waits for the peer there is nothing to write, though the command is still here.
    const bool writing = tls_ ? !sealed_.empty() : !wire.empty();
    const auto ready = socket_.wait(writing ? Socket::For::reading_or_writing : Socket::For::reading, clock_, deadline);
    if (!ready) return fail(ready.error());
    const auto received = receive_some();
    if (!received) return fail(received.error());
    if (!*received) continue;
    for (;;) {
      auto reply = reader_.next();
      if (!reply) return fail(std::move(reply).error());
      if (!*reply) break;
      if (replies.size() == wanted) return fail(Code::storage_failed, "the server answers more than it was asked");
      replies.push_back(**std::move(reply));
    }
  }
  if (reader_.has_rest()) return fail(Code::storage_failed, "the server answers more than it was asked");
  return {};
}

Result<void> Connection::say(std::string_view wire, Monotonic deadline) {
  while (!wire.empty() || !sealed_.empty()) {
    const auto sent = send_some(wire);
    if (!sent) return fail(sent.error());
    if (wire.empty() && sealed_.empty()) break;
    const auto ready = socket_.wait(Socket::For::reading_or_writing, clock_, deadline);
    if (!ready) return fail(ready.error());
    if (const auto received = receive_some(); !received) return fail(received.error());
  }
  return {};
}

Result<std::optional<Reply>> Connection::listen(Monotonic deadline) {
  for (;;) {
    auto reply = reader_.next();
    if (!reply || *reply) return reply;
    const auto ready = socket_.wait(Socket::For::reading, clock_, deadline);
    if (!ready && ready.error().code == Code::timed_out) return std::nullopt;
    if (!ready) return fail(ready.error());
    if (const auto received = receive_some(); !received) return fail(received.error());
  }
}

Result<Answer> ask_any(const std::vector<Endpoint>& endpoints, const Login& login,
                       std::initializer_list<std::string_view> words, const Clock& clock, Monotonic deadline) {
  std::string wire;
  append_command(wire, words);
  Error last{Code::storage_failed, "there is nobody to ask", {}, std::nullopt};
  for (const auto& endpoint : endpoints) {
    const Monotonic until = clock.monotonic() + (deadline - clock.monotonic()) / 3;
    std::vector<Reply> replies;
    const auto asked = Connection::open(endpoint, login, clock, until).and_then([&](const auto& connection) {
      return connection->authenticate(login, until).and_then([&] {
        return connection->exchange(wire, 1, replies, until);
      });
    });
    if (asked && replies[0].kind != Reply::Kind::error && replies[0].kind != Reply::Kind::nil) {
      return Answer{endpoint, std::move(replies[0])};
    }
    std::string why = asked ? "knows no answer" : asked.error().detail;
    if (asked && replies[0].kind == Reply::Kind::error) why = "says: " + replies[0].text;
    last.detail = fmt::format("Redis at {}: {}", to_string(endpoint), why);
  }
  return fail(std::move(last));
}

bool Connection::sound() {
  const auto received = receive_some();
  return received && (!*received || (tls_ && !reader_.has_rest()));
}

}  // namespace scoreline::redis
