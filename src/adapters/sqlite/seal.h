// Checksums of the ledger: a hash per row, a sum of them per change, a chain over all changes.
//
// Every change of the ledger is one transaction with one row in `batches`, which says by how much the sum of the row
// hashes grew. Sums (mod 2^64) do not depend on order, so that rows can be checked in the order they lie on disk:
//   (a) the chain, recomputed from the first batch on, is the one stored;
//   (b) the hashes of all rows add up to what the batches say.
// XXH3 (Yann Collet, xxHash 0.8) is a checksum against damage, not against an attacker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/sqlite/connection.h"

namespace scoreline::sqlite {

/// Which table a row belongs to: equal rows of two tables must not cancel out.
enum class Table : std::uint8_t {
  match_results = 1,
  leaderboards,
  seasons,
  erasures,
  match_results_by_player,
  calendars,
  closings,
  archives,
  hidden_players = 16,
  voided_matches,
  audit_log,
  criteria
};

/// Hashes one row after the other: the table, then each column by its type, length and bytes.
class RowHasher {
 public:
  void begin(Table table);
  void add(std::int64_t value);
  void add_text(std::string_view text) { add_bytes('t', text); }
  void add_blob(std::string_view blob) { add_bytes('b', blob); }
  std::uint64_t digest() const;

  /// The row that `statement` stands on, all its columns; of a result the last, `extra`, only where it is not 0.
  std::uint64_t row(Table table, const Statement& statement);

 private:
  char* grow(std::size_t bytes);
  void add_bytes(char type, std::string_view bytes);
  void add_column(const Statement& statement, int column);

  std::string buffer_ = std::string(512, '\0');
  std::size_t used_ = 0;
};

/// By how much a change makes the ledger grow; `rows_hash` wraps around.
struct Delta {
  std::int64_t rows = 0;
  std::uint64_t rows_hash = 0;
};

/// The last batch: all that the next one builds on.
struct Head {
  std::uint64_t seq = 0;  ///< 0: no batch yet
  std::uint64_t chain = 0;
  friend bool operator==(const Head&, const Head&) = default;
};

/// The head after a batch of this kind.
Head seal(const Head& previous, std::string_view kind, const Delta& delta);

}  // namespace scoreline::sqlite
