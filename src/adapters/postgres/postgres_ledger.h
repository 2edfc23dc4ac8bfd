// The ledger that several nodes share: a PostgreSQL database (13 or later).
//
// Durability: that of the server, see durability(). A batch that append() has answered was committed.
// Thread safety: all calls from any thread; those that write take turns on one connection, each for at most its time.
// Invariants: of a row of match_results only `erased` and `by_player` ever change.
// Cost: an append is one round trip and one commit. Every call ends by its deadline (Options), whatever the server
// does.
//
// The server away: a write bridges a restart (Options::patience), and fails with storage_failed and retry_after when it
// takes longer. A batch whose connection broke before it was committed is sent again by itself; when that cannot be
// told it is unknown_outcome, and appending the same batch again settles it.
//
// Several nodes: what one node has appended is seen by the next scan of any. A result that another node appends while a
// player is erased counts if it commits after the erasing statement began, exactly as one that comes later.
//
// Look-ups by player (results_of) use an index on leaderboards whose rule is sum; on others they read the leaderboard,
// as erase_player does everywhere.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/postgres/connector.h"
#include "adapters/postgres/ledger_scan.h"
#include "adapters/postgres/options.h"
#include "adapters/postgres/reader_pool.h"
#include "adapters/postgres/server_report.h"
#include "adapters/postgres/writer_session.h"
#include "ingest/dead_letters.h"
#include "leaderboards/shared_ledger.h"

namespace scoreline::postgres {

class PostgresLedger final : public leaderboards::SharedLedger {
 public:
  /// Connects, and makes or migrates the tables in the first schema of the search_path. `clock` and `random` must
  /// outlive the ledger. Errors: usage (the URL), conflict (written by a newer Scoreline), storage_failed.
  static Result<std::unique_ptr<PostgresLedger>> open(std::string_view url, const Options& options, const Clock& clock,
                                                      Random& random);
  ~PostgresLedger() override;

  /// As the port says; a batch of one that is refused names its match in the error.
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
  Result<std::vector<leaderboards::LeaderboardRecord>> leaderboards() override;
  Result<void> put_definition(const leaderboards::Definition& definition) override;
  Result<void> put_season(const leaderboards::LeaderboardName& leaderboard,
                          const leaderboards::Season& season) override;
  Result<void> drop_leaderboard(const leaderboards::LeaderboardName& leaderboard) override;
  Result<bool> has_results(const leaderboards::LeaderboardName& leaderboard) override;
  leaderboards::Archives& archives() override;
  /// Never: a lost connection is made again.
  std::optional<Error> write_failure() const override { return std::nullopt; }

  Result<std::string> identity() override;
  Result<std::uint64_t> definitions_version() override;
  void all_shown() override;
  Result<void> tell_all_shown() override;
  Result<std::vector<leaderboards::WriterId>> scan_left_behind(
      const std::function<void(const leaderboards::LedgerRow&)>& visit,
      const std::function<void(const leaderboards::AuditEntry&)>& visit_change) override;
  Result<void> forget_writers(std::span<const leaderboards::WriterId> writers) override;

  /// Before a scan: what scan_since() must tell afterwards so that nothing is missed.
  Result<Watermark> watermark();
  /// As scan(), of the results recorded since; some from just before may be among them.
  Result<void> scan_since(Watermark since, const std::function<void(const leaderboards::LedgerRow&)>& visit);

  /// The dead letters in the same schema, over the same connections. They must go before the ledger.
  std::unique_ptr<ingest::DeadLetters> dead_letters();

  /// What the operator should know about the server; empty when nothing. As of open().
  const std::vector<std::string>& notes() const { return report_.notes; }
  Durability durability() const { return report_.durability; }
  /// Where it is, without the password.
  const std::string& description() const { return connector_.url().description(); }

 private:
  friend class PostgresArchives;
  friend class PostgresDeadLetters;
  PostgresLedger(ConnectionUrl url, const Options& options, const Clock& clock, Random& random);
  Result<void> prepare();
  /// One pipeline on the writing connection, which is made again when it was lost; sent again while that is safe.
  Attempt<std::vector<Rows>> write(std::span<const Call> calls, std::chrono::milliseconds timeout);
  Result<std::vector<Rows>> change(std::string_view doing, std::span<const Call> calls);
  Result<std::vector<leaderboards::Recorded>> settle_closed(std::span<const leaderboards::MatchResult> batch,
                                                            std::vector<leaderboards::Recorded> answers);
  Result<void> scan_from(std::optional<Watermark> since,
                         const std::function<void(const leaderboards::LedgerRow&)>& visit,
                         const std::function<void(leaderboards::ScanProgress)>& progress);
  Result<void> audit_since(Watermark since, const std::function<void(const leaderboards::AuditEntry&)>& visit);
  Result<void> read_hidden(std::vector<leaderboards::LeaderboardRecord>& records);
  Result<Rows> read(std::string_view doing, Call call);
  Result<Rows> read_much(std::string_view doing, Call call);
  Call allow_time() const;
  Monotonic in(std::chrono::milliseconds time) const { return connector_.clock().monotonic() + time; }

  const Options options_;
  Connector connector_;
  ReaderPool readers_;
  ServerReport report_;
  const std::unique_ptr<leaderboards::Archives> archives_;
  std::mutex writer_mutex_;
  std::optional<WriterSession> writer_;  // guarded by writer_mutex_
  std::optional<Mark> untold_;           // guarded by writer_mutex_; to be taken away
};

}  // namespace scoreline::postgres
