// How the embedded ledger uses its disk and memory. The defaults are measured (docs/benchmarks.md).
#pragma once

#include <cstdint>
#include <string_view>

namespace scoreline::sqlite {

/// The files of a data folder: the ledger, and the witness of its last commit.
inline constexpr std::string_view kLedgerFile = "ledger.sqlite";
inline constexpr std::string_view kHeadFile = "ledger.head";

/// Of a new database; fixed for its life.
inline constexpr std::uint64_t kPageBytes = 2048;

enum class Sync : std::uint8_t {
  full,  ///< each commit survives a power failure
  off,   ///< only for tests that must see a power failure lose something
};

struct Options {
  /// The log is moved into the database once it has so many pages (64 MiB).
  std::uint64_t checkpoint_pages = 32'768;
  /// Memory for pages of the writing connection.
  std::int64_t cache_kib = 65'536;
  Sync sync = Sync::full;
};

}  // namespace scoreline::sqlite
