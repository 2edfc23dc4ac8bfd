// One node and the one connection to it that all callers share.
//
// No thread of its own: a caller that finds the connection free leads. It sends what waits (its own call and those of
// others) in one go, reads all answers and hands them out; the next that waits leads then. So one caller pays for no
// switch of threads, and many share their system calls.
//
// A node that cannot be reached is left alone for a while (10 ms, twice as long with each failure, up to 2 s, less up
// to a half by chance): calls fail at once meanwhile, and a single one tries again afterwards.
//
// Thread safety: all calls from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/connection.h"
#include "adapters/redis/url.h"

namespace scoreline::redis {

/// Commands as the server reads them, for one node.
struct Request {
  std::string wire;
  std::size_t replies = 0;  ///< as many as there are commands; 0: only connect
  std::string run_id;       ///< when set: only for this server
};

/// A call's latest answer, and the latest moment to be sent: later the answer would hardly come in time, and the
/// connection would be given up for nothing.
struct Deadline {
  Monotonic answer;
  Monotonic send;
};

class ConnectionPipeline {
 public:
  ConnectionPipeline(Endpoint endpoint, Login login, std::size_t max_waiting_bytes, const Clock& clock, Random& random);

  const Endpoint& endpoint() const { return endpoint_; }

  /// The replies, whatever they say. Errors: storage_failed, not_ready (the node did not let us in), overloaded,
  /// conflict (another run id): nothing was done; unknown_outcome.
  Result<std::vector<Reply>> exchange(const Request& request, Deadline deadline);

  /// Of the present connection; makes one when there is none. Errors: as exchange.
  Result<ServerInfo> server(Deadline deadline);

  /// A connection beside the one that is shared. Errors: as server().
  Result<std::unique_ptr<Connection>> open_aside(Monotonic deadline) const;

  /// Closes the connection before the next call: the node is not what it was.
  void reconnect();

 private:
  struct Call;

  bool shut() const;
  Error down() const;
  void lead(std::unique_lock<std::mutex>& lock);
  std::vector<Call*> take();
  void work(const std::vector<Call*>& calls);
  bool connect(Monotonic deadline, Error& error);
  void send(const std::vector<Call*>& calls, Monotonic deadline);
  void lost(bool hung, Error error);
  void pass_on();

  const Endpoint endpoint_;
  const Login login_;
  const std::size_t max_waiting_bytes_;
  const Clock& clock_;
  Random& random_;

  std::mutex mutex_;
  std::deque<Call*> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool led_ = false;
  bool reconnect_ = false;
  std::shared_ptr<const ServerInfo> server_;  // of the connection; none while there is none
  int failures_ = 0;                          // since the node last let us in
  Monotonic closed_until_;
  Error last_error_;

  std::unique_ptr<Connection> connection_;  // of who leads, without the lock
};

}  // namespace scoreline::redis
