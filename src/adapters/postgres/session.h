// One connection to the server: statements in pipelines, every wait with a deadline of our own.
//
// A pipeline is one round trip and one transaction: all of its calls take effect, or none does. (Inside an explicit
// BEGIN it is a part of that transaction.) Its isolation is READ COMMITTED: each call sees what was committed before
// that call began.
//
// When a failure is certain: an error from the server means that nothing was kept. When the connection is lost, nothing
// was kept if the pipeline was not sent whole, or if the server said why before it had answered the last call, because
// it commits after that; else `may_be_kept` is set.
//
// Thread safety: none. No call blocks beyond its deadline but the look-up of a host's name when connecting.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "adapters/postgres/connection_url.h"
#include "adapters/postgres/failure.h"
#include "adapters/postgres/parameters.h"
#include "adapters/postgres/rows.h"
#include "base/clock.h"

struct pg_conn;

namespace scoreline::postgres {

template <typename T>
using Attempt = tl::expected<T, Failure>;

/// SQL with a name to prepare it by, once in each session. Of static storage only.
struct Statement {
  const char* name;
  const char* sql;
};

struct Call {
  const Statement* statement;
  Parameters parameters;
};

class Session {
 public:
  static Attempt<Session> open(const ConnectionUrl& url, const Clock& clock, Monotonic deadline);

  /// One pipeline. One Rows per call, in order. After a failure with `connection_lost` the session is of no more use.
  Attempt<std::vector<Rows>> run(std::span<const Call> calls, Monotonic deadline);
  Attempt<Rows> run(const Call& call, Monotonic deadline);

  /// run() in two halves, so that the server can work meanwhile.
  Attempt<void> send(std::span<const Call> calls, Monotonic deadline);
  Attempt<std::vector<Rows>> receive(Monotonic deadline);

  /// Any number of statements without parameters and results: for the fixed texts of migrations and transactions.
  Attempt<void> run_script(const char* sql, Monotonic deadline);

  /// Whether the connection still stands, as far as can be seen without asking the server.
  bool is_alive();
  /// As 150'004 for 15.4.
  int server_version() const;

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  struct Step {
    const Statement* statement;
    bool prepares;
  };

  Session(const ConnectionUrl& url, const Clock& clock) : url_(&url), clock_(&clock) {}
  Attempt<void> connect(Monotonic deadline);
  /// Waits for the socket; false when the deadline passes first.
  bool wait(short events, Monotonic deadline, short& ready) const;
  Attempt<void> flush(Monotonic deadline);
  /// The next result, nullptr at the end of a call's.
  Attempt<pg_result*> next(Monotonic deadline);
  Failure failure_of(const pg_result* result) const;
  /// The connection is given up.
  Failure lost(std::string message);
  Failure lost_by_libpq();
  Failure too_late();

  const ConnectionUrl* url_;
  const Clock* clock_;
  std::unique_ptr<pg_conn, Finish> connection_;
  std::set<std::string_view> prepared_;
  std::vector<Step> steps_;  // sent, and not yet answered
};

}  // namespace scoreline::postgres
