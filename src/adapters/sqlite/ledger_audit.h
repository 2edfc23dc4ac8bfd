// Whether the ledger holds what was written, while its results stream by.
//
// What is checked: the chain of `batches` without gaps; the number and the hashes of all rows against it; that rows lie
// in the order of their key (else look-ups would miss some); that the index by player has the same rows, in its order.
// One read transaction, so that changes beside it do not matter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "adapters/sqlite/connection.h"
#include "adapters/sqlite/seal.h"
#include "base/error.h"
#include "leaderboards/ledger.h"

namespace scoreline::sqlite {

struct AuditReport {
  std::uint64_t batches = 0;
  std::uint64_t results = 0;         ///< rows of match_results, erased ones too
  std::uint64_t erased_results = 0;  ///< of these, those under a tombstone
  std::uint64_t leaderboards = 0;
  std::uint64_t seasons = 0;
  std::uint64_t erasures = 0;
  std::uint64_t archived = 0;  ///< lines of archives; not counted by a scan
  std::uint64_t hidden_players = 0;
  std::uint64_t voided_matches = 0;
  std::vector<std::string> findings;  ///< what is damaged, each with what was expected; empty: all is well
};

class LedgerAudit {
 public:
  using Visit = std::function<void(const leaderboards::LedgerRow&)>;
  using Progress = std::function<void(leaderboards::ScanProgress)>;

  /// Reads through `connection`, which must have no open transaction.
  LedgerAudit(Connection& connection, Visit visit, Progress progress)
      : connection_(connection), visit_(std::move(visit)), progress_(std::move(progress)) {}

  /// O(rows). Errors: storage_failed when it cannot be read; damage is no error but a finding.
  Result<AuditReport> run();

 private:
  Result<void> check_batches();
  Result<void> check_small_tables();
  Result<void> check_results();
  Result<void> check_index();
  void check_sums();
  Result<std::uint64_t> sum_of(Table table, std::string_view sql, std::uint64_t& hash);
  bool is_erased(std::string_view leaderboard, std::string_view player, std::int64_t batch);
  Result<void> check_moderation();
  Result<void> keys_of(Table table, std::string_view sql, std::unordered_set<std::string>& keys);
  /// Whether a key of two columns is there.
  bool is_among(const std::unordered_set<std::string>& keys, std::string_view first, std::string_view second);
  Result<void> unreadable(std::string_view doing);

  Connection& connection_;
  Visit visit_;
  Progress progress_;
  AuditReport report_;
  RowHasher hasher_;
  Head head_;
  std::int64_t expected_rows_ = 0;
  std::uint64_t expected_hash_ = 0;
  std::uint64_t found_hash_ = 0;
  std::uint64_t index_rows_ = 0;  // what the index by player must hold
  std::uint64_t index_hash_ = 0;
  std::unordered_map<std::string, std::int64_t> up_to_batch_;
  std::unordered_set<std::string> hidden_players_, voided_matches_;
  std::string key_;
};

/// Whether every archive has the lines that its closing seals, and finds each player's: adds to the report. Errors:
/// storage_failed when it cannot be read.
Result<void> check_archives(Connection& connection, AuditReport& report);

/// That the ledger, which ends at `last`, has the batch that the witness names. Errors: damaged, and those of reading.
Result<void> check_witnessed(Connection& connection, const Head& witnessed, const Head& last);

}  // namespace scoreline::sqlite
