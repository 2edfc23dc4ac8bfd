// Talking to Redis or Valkey: commands out, replies back, whatever stands behind the URL (one server, sentinels, a
// cluster).
//
// Thread safety: every call may come from any thread; calls made at the same time share pipelines. No thread of its
// own: the callers do the work.
// Errors, of a whole call; `retry_after` says when it is worth trying again:
//   storage_failed   refused or unreachable; nothing was done
//   not_ready        loading, busy, failing over, moving slots; nothing was done
//   overloaded       too much waits already; nothing was done
//   conflict         another server than the one of `run_id` answers now; nothing was done
//   unknown_outcome  sent, and not answered within the deadline; or, of a call with several commands, refused after
//   some
//                    of them were done: it may have been done, in whole or in part
// Which replies mean what is in reply_errors.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace scoreline::redis {

struct Url;  // url.h

/// An answer of the server (RESP2).
struct Reply {
  enum class Kind : std::uint8_t { nil, integer, text, array, error };
  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text;  ///< of `text`, and the message of `error`
  std::vector<Reply> elements;
};

/// One command. `key` decides the node it goes to in a cluster; every key that the command touches is in the same slot.
/// An empty key: any node.
struct Command {
  std::string key;
  std::vector<std::string> words;  ///< the name and its arguments, binary safe; at least one
};

/// A script of ours: sent by its digest, and loaded when the server does not know it (NOSCRIPT).
class Script {
 public:
  /// `text` lives as long as the program.
  explicit Script(std::string_view text);
  std::string_view text() const { return text_; }
  const std::string& digest() const { return digest_; }  ///< SHA-1, 40 lower-case hex digits

 private:
  std::string_view text_;
  std::string digest_;
};

/// A call of a script.
struct ScriptCall {
  const Script* script = nullptr;
  std::vector<std::string> keys;  ///< at least one, all in one slot; broken: the process stops
  std::vector<std::string> arguments;
  std::string run_id = {};  ///< when set: only for the server with this run id (ServerInfo), else Code::conflict
};

/// What a node says of itself when a connection to it is made.
struct ServerInfo {
  std::string run_id;   ///< another one after every restart
  std::string version;  ///< as `Redis 7.0.15`, `Valkey 9.1.2`
  std::string maxmemory_policy;
};

/// Messages of one channel, in their order. What is published while it is not there is lost.
///
/// Thread safety: one thread at a time.
class Subscription {
 public:
  virtual ~Subscription() = default;
  /// The next message; nullopt when none has come until then. Asks now and then whether the node is still there.
  /// Errors: storage_failed: it is of no use any more.
  virtual Result<std::optional<std::string>> next(Monotonic until) = 0;
};

struct ClientOptions {
  /// From a call to its answer, all of its retries included. After it the connection is closed: everything in flight
  /// there is unknown_outcome, as nobody can say which answers would still come.
  std::chrono::milliseconds deadline{1'000};
  /// Bytes of calls that may wait for one node; beyond: Code::overloaded.
  std::size_t max_waiting_bytes = 64 * 1024 * 1024;
};

class Client {
 public:
  virtual ~Client() = default;

  /// One reply per command, in their order, within the deadline; commands for one node go out in one pipeline.
  /// A reply of kind `error` is one that the caller must look at (OOM, WRONGTYPE, an error of a script); those that
  /// speak of the node and not of the command (MOVED, ASK, TRYAGAIN, READONLY, LOADING, CLUSTERDOWN, MASTERDOWN,
  /// NOSCRIPT) are dealt with inside, or become the error of the whole call. They are also why commands of one call may
  /// be done in another order than given: the one that has to be sent again comes after the rest.
  virtual Result<std::vector<Reply>> run(std::span<const Command> commands) = 0;
  virtual Result<std::vector<Reply>> run(std::span<const ScriptCall> calls) = 0;

  /// Of the node that holds `key`, as of its present connection; connects when there is none. Cheap once connected.
  /// That connection may be gone by the next call: put `run_id` into the ScriptCall to be sure whom it reaches.
  virtual Result<ServerInfo> server_of(std::string_view key) = 0;

  /// Hears `channel` over a connection of its own to the node that `channel` as a key would be on; in a cluster every
  /// node hears everything. Errors: those of a call.
  virtual Result<std::unique_ptr<Subscription>> subscribe(std::string_view channel) = 0;

  /// What server_of told of that node is to be asked again: the next call makes a new connection.
  virtual void doubt_server_of(std::string_view key) = 0;
};

/// The client that `url` asks for. Connects with the first call, and again by itself whenever it has to.
/// `clock` and `random` outlive it. Errors: usage, when the CA file of the URL cannot be read.
Result<std::unique_ptr<Client>> open_client(const Url& url, const ClientOptions& options, const Clock& clock,
                                            Random& random);

}  // namespace scoreline::redis
