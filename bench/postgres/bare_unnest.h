// What libpq itself can do: the same table and the same inserts as the ledger's, one blocking call a batch, and nothing
// else. No order, no answers, no deadlines.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "leaderboards/values.h"

struct pg_conn;

namespace scoreline::bench {

class BareUnnest {
 public:
  /// Over a database whose tables the ledger has made. Ends the program when PostgreSQL fails, as every call here.
  explicit BareUnnest(const std::string& url);

  /// One transaction, committed when this returns.
  void append(std::span<const leaderboards::MatchResult> batch);

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  std::unique_ptr<pg_conn, Finish> connection_;
};

}  // namespace scoreline::bench
