// The embedded ledger: one SQLite database in a data folder, the truth of a single process.
//
// Files: ledger.sqlite (with -wal and -shm beside it while open), ledger.head (a witness of the last commit), lock.
// Durability: `disk`. A batch that append() has answered survives the process and the power.
// Thread safety: as the port says; writes from one thread at a time, reads from any beside them.
// Invariants: a row of match_results is never changed; every change of the ledger's tables is sealed by one row of
// `batches`. (Dead letters stand beside the ledger, unsealed.)
// Cost: an append is one fsync. Each scan opens its own connection and reads one state of the ledger; while it runs
// the log cannot start again and grows by what is written meanwhile.
//
// Look-ups by player (results_of) use an index on leaderboards whose rule is sum; on others they read every result of
// the leaderboard, as erase_player does everywhere: about 0.2 s a million results.
//
// A player erased from the ledger leaves no trace, so a match of theirs that is sent again counts as a new result.
// One erased from the boards only leaves the rows, so such a match is a duplicate and goes on not counting.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/sqlite/connection.h"
#include "adapters/sqlite/folder_lock.h"
#include "adapters/sqlite/ledger_audit.h"
#include "adapters/sqlite/ledger_writer.h"
#include "adapters/sqlite/options.h"
#include "adapters/sqlite/sqlite_archives.h"
#include "ingest/dead_letters.h"
#include "leaderboards/ledger.h"

namespace scoreline::sqlite {

class SqliteLedger final : public leaderboards::Ledger {
 public:
  /// Makes the folder (mode 0700) and the ledger when they are not there. Reads only the end of the ledger: the whole
  /// of it is verified by scan() and verify(). Errors: locked, damaged, conflict (written by a newer Scoreline),
  /// storage_failed, storage_full.
  static Result<std::unique_ptr<SqliteLedger>> open(const std::filesystem::path& folder, const Options& options = {});

  /// Whether a ledger was ever made in this folder, even if only its witness is left. False when it cannot be looked
  /// into.
  static bool is_in(const std::filesystem::path& folder);

  Result<std::vector<leaderboards::Recorded>> append(std::span<const leaderboards::MatchResult> batch) override;
  Result<void> scan(const std::function<void(const leaderboards::LedgerRow&)>& visit,
                    const std::function<void(leaderboards::ScanProgress)>& progress) override;
  Result<void> results_of(const leaderboards::BoardId& board, std::span<const leaderboards::PlayerId> players,
                          const ResultVisitor& visit) override;
  Result<void> visit_kept(std::span<const leaderboards::MatchResult> like,
                          const std::function<void(const leaderboards::LedgerRow&)>& visit) override;
  Result<bool> contains(const leaderboards::LeaderboardName& leaderboard, const Uuid& match_id,
                        const leaderboards::PlayerId& player) override;
  Result<void> results_of_players(const leaderboards::LeaderboardName& leaderboard,
                                  std::span<const leaderboards::PlayerId> players,
                                  const std::function<void(const leaderboards::LedgerRow&)>& visit) override;
  Result<std::uint64_t> erase_player(const leaderboards::LeaderboardName& leaderboard,
                                     const leaderboards::PlayerId& player, Erase mode,
                                     const leaderboards::AuditNote& note) override;
  Result<bool> hide_player(const leaderboards::LeaderboardName& leaderboard, const leaderboards::PlayerId& player,
                           const leaderboards::AuditNote& note) override;
  Result<bool> restore_player(const leaderboards::LeaderboardName& leaderboard, const leaderboards::PlayerId& player,
                              const leaderboards::AuditNote& note) override;
  Result<std::vector<leaderboards::PlayerId>> void_match(const leaderboards::LeaderboardName& leaderboard,
                                                         const Uuid& match_id,
                                                         const leaderboards::AuditNote& note) override;
  Result<std::vector<leaderboards::PlayerId>> players_of_match(const leaderboards::LeaderboardName& leaderboard,
                                                               const Uuid& match_id) override;
  Result<void> add_to_audit(const leaderboards::AuditEntry& entry) override;
  Result<leaderboards::AuditId> last_audit_id() override;
  Result<std::vector<leaderboards::StoredAuditEntry>> audit_log(leaderboards::AuditId after,
                                                                std::size_t limit) override;
  Result<std::uint64_t> definitions_version() override { return 0; }
  Result<std::vector<leaderboards::LeaderboardRecord>> leaderboards() override;
  Result<void> put_definition(const leaderboards::Definition& definition) override;
  Result<void> put_season(const leaderboards::LeaderboardName& leaderboard,
                          const leaderboards::Season& season) override;
  Result<void> drop_leaderboard(const leaderboards::LeaderboardName& leaderboard) override;
  Result<bool> has_results(const leaderboards::LeaderboardName& leaderboard) override;
  leaderboards::Archives& archives() override { return *archives_; }
  std::optional<Error> write_failure() const override;

  /// Everything that scan() checks, SQLite's own integrity_check, and the witness. Seconds for a million results.
  /// Errors: storage_failed when it cannot be read; damage is in the report.
  Result<AuditReport> verify(const std::function<void(leaderboards::ScanProgress)>& progress);

  /// The dead letters in the same database, written as the ledger is. They must go before it.
  Result<std::unique_ptr<ingest::DeadLetters>> open_dead_letters();

  /// What the operator should know about this start; empty when nothing.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Size of the log as of the last commit: a reader that stays in makes it grow.
  std::uint64_t wal_bytes() const { return writer_->wal_bytes(); }

 private:
  SqliteLedger(FolderLock lock, std::filesystem::path file, std::unique_ptr<LedgerWriter> writer);
  Result<Connection> open_reader() const;
  Result<void> prepare();
  Result<void> prepare_voiding();
  /// One change: `work(delta)` says whether there is anything to commit, and by how much the ledger grows.
  template <typename Work>
  Result<void> change(std::string_view kind, Work work);
  /// A statement on the writer's connection with its first one or two parameters bound, or the change abandoned.
  Result<Statement> prepare_change(std::string_view sql, std::string_view first, std::string_view second = {});
  /// The rows that `statement` gives, taken from the delta (sign -1) or added to it (+1); how many.
  Result<std::int64_t> account(Table table, Statement& statement, int sign, Delta& delta);
  Result<void> run_change(Statement& statement);
  /// Logs what the change does.
  Result<void> log(const leaderboards::AuditEntry& entry, Delta& delta);
  /// Whether the match is void, as the writing connection sees it.
  Result<bool> is_void(std::string_view leaderboard, const Uuid& match_id);
  /// Whether results of a leaderboard belong into the index by player.
  bool is_by_player(std::string_view leaderboard) const { return by_player_.contains(leaderboard); }
  /// Puts the rows of `criteria`.
  Result<void> put_criteria(const leaderboards::Definition& definition, Delta& delta);
  /// Puts the row of `calendars`, or takes it away where it would say the defaults.
  Result<void> put_calendar(const leaderboards::Definition& definition, Delta& delta);
  /// Puts all results of a leaderboard into the index by player, or takes them out.
  Result<void> index_by_player(std::string_view leaderboard, bool by_player, Delta& delta);

  // Destroyed last to first: the log is moved into the database when the last connection closes, under the lock.
  FolderLock lock_;
  std::filesystem::path file_;
  std::unique_ptr<LedgerWriter> writer_;
  std::unique_ptr<SqliteArchives> archives_;
  Statement insert_result_;
  RowHasher hasher_;
  std::set<std::string, std::less<>> by_player_;  // leaderboards whose rule is sum; the writing thread's
  std::set<std::string, std::less<>> voiding_;    // those with void matches; the writing thread's
  Statement is_void_;                             // of the writing connection
  std::mutex reader_mutex_;
  std::optional<Connection> reader_;  // guarded by reader_mutex_, as are its statements
  Statement is_sum_, results_of_sum_, results_of_other_, results_of_player_, kept_, contains_, has_results_;
  std::vector<std::string> notes_;
};

template <typename Work>
Result<void> SqliteLedger::change(std::string_view kind, Work work) {
  if (auto begun = writer_->begin(); !begun) return begun;
  Delta delta;
  const Result<bool> changed = work(delta);
  if (changed && *changed) return writer_->commit(kind, delta);
  writer_->rollback();
  return changed ? Result<void>{} : fail(changed.error());
}

}  // namespace scoreline::sqlite
