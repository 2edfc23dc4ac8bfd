// Opens sessions, and does not hammer a server that is away: after a failure the next attempt waits, twice as long each
// time up to a limit, with half of it left to chance so that many nodes do not come back at the same moment.
//
// Thread safety: all calls from any thread.
#pragma once

#include <mutex>

#include "adapters/postgres/connection_url.h"
#include "adapters/postgres/options.h"
#include "adapters/postgres/session.h"
#include "base/clock.h"
#include "base/random.h"

namespace scoreline::postgres {

class Connector {
 public:
  Connector(ConnectionUrl url, const Options& options, const Clock& clock, Random& random)
      : url_(std::move(url)), options_(options), clock_(clock), random_(random) {}

  enum class When {
    at_once,  ///< fail while it is not yet time for the next attempt
    waiting,  ///< wait for it and try again, as long as the server has been away for less than our patience
  };
  /// A session with its time limits set.
  Attempt<Session> connect(Monotonic deadline, When when);

  const ConnectionUrl& url() const { return url_; }
  const Clock& clock() const { return clock_; }

 private:
  Attempt<Session> attempt(Monotonic deadline);
  Attempt<void> set_up(Session& session, Monotonic deadline);
  void note(const Attempt<Session>& attempted, Monotonic began);

  ConnectionUrl url_;
  Options options_;
  const Clock& clock_;
  Random& random_;
  std::mutex mutex_;  // guards all below
  int failures_ = 0;  // since the last success
  Monotonic away_since_, next_attempt_;
  Failure last_failure_;
};

}  // namespace scoreline::postgres
