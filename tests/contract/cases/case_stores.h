// The pairs of stores that a leaderboard may stand on: nothing about a board may tell which.
#pragma once

#include <memory>
#include <string>

#include "support/process.h"

namespace scoreline::test {

/// One pair of a ledger and an index, as tests are given it.
struct StoresUnderTest {
  std::string name;
  /// New and empty; nullptr where its servers are not on this machine.
  std::unique_ptr<Stores> (*make)();
};

inline void PrintTo(const StoresUnderTest& stores, std::ostream* out) { *out << stores.name; }

std::unique_ptr<Stores> model_and_memory();
std::unique_ptr<Stores> sqlite_and_memory();
std::unique_ptr<Stores> postgres_and_redis();
std::unique_ptr<Stores> postgres_and_valkey();
std::unique_ptr<Stores> postgres_and_redis_cluster();

}  // namespace scoreline::test
