// What SQLite itself can do: the same schema, settings and inserts as the ledger's, and nothing else. No checksums, no
// witness, no answers.
#pragma once

#include <filesystem>
#include <span>

#include "leaderboards/values.h"

struct sqlite3;
struct sqlite3_stmt;

namespace scoreline::bench {

class BareLoop {
 public:
  /// A new database in `folder`. Ends the program when SQLite fails, as every call here.
  explicit BareLoop(const std::filesystem::path& folder);
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  /// One transaction, durable when this returns.
  void append(std::span<const leaderboards::MatchResult> batch);

 private:
  void run(const char* sql);
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  long long batches_ = 0;
};

}  // namespace scoreline::bench
