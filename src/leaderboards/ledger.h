// Port: the store of every result. It is the truth; every board is an index over it.
//
// Thread safety: `append` and the other writes are called from one thread at a time (the pipeline's writer);
// reads may run beside them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "leaderboards/archives.h"
#include "leaderboards/audit_log.h"
#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

enum class Recorded : std::uint8_t {
  recorded,
  duplicate,
  season_closed,  ///< nothing was stored, and is not there: the season takes no more results (Archives::mark_closing)
};

/// A row as `scan` shows it; the views live until the visitor returns.
struct LedgerRow {
  std::string_view leaderboard;
  SeasonId season;
  std::string_view player;
  Uuid match_id;
  std::int64_t points = 0;
  Timestamp achieved_at;
  std::uint64_t extra = 0;
};

/// The one result as a standing.
inline Standing result_of(const LedgerRow& row) { return {row.points, row.achieved_at, row.extra}; }

/// A player whose results are recorded and do not count, until the player is restored.
struct HiddenPlayer {
  PlayerId player;
  Timestamp hidden_at;
  std::string reason;
  friend bool operator==(const HiddenPlayer&, const HiddenPlayer&) = default;
};

struct LeaderboardRecord {
  Definition definition;
  std::vector<Season> seasons;
  std::vector<HiddenPlayer> hidden = {};
};

struct ScanProgress {
  std::uint64_t rows_done = 0;
  std::uint64_t rows_total = 0;  ///< as the ledger's own count has it
};

// Results that count: those recorded, but for those of erased and hidden players and of void matches.
class Ledger : public AuditLog {
 public:
  /// Appends a batch (1..kMaxBatch) in one transaction: all of it is durable when this returns, or none of it is there.
  /// One answer per result, in order; the second of two equal (leaderboard, match, player) in one batch is a duplicate.
  /// Errors: storage_failed, storage_full, unknown_outcome (append the same batch again to settle it).
  virtual Result<std::vector<Recorded>> append(std::span<const MatchResult> batch) = 0;

  /// Streams every result that counts in no particular order, verifying the ledger on
  /// the way: Code::damaged when what is stored is not what was written. That is known only at the end, so what was
  /// visited must not be used before this has returned well. `progress`, which may be empty, is called now
  /// and then.
  virtual Result<void> scan(const std::function<void(const LedgerRow&)>& visit,
                            const std::function<void(ScanProgress)>& progress) = 0;

  using ResultVisitor = std::function<void(std::string_view player, const Standing& result)>;
  /// Visits the results that count of these players on one board, in no particular order. Fast where the rule is sum;
  /// for other rules a ledger may read all of the leaderboard, for each player.
  virtual Result<void> results_of(const BoardId& board, std::span<const PlayerId> players,
                                  const ResultVisitor& visit) = 0;

  /// Visits the results that count of these players on all boards of the leaderboard, in no particular order. May read
  /// all of the leaderboard.
  virtual Result<void> results_of_players(const LeaderboardName& leaderboard, std::span<const PlayerId> players,
                                          const std::function<void(const LedgerRow&)>& visit) = 0;

  /// Visits what is kept and counts under the keys (leaderboard, match, player) of these results.
  virtual Result<void> visit_kept(std::span<const MatchResult> like,
                                  const std::function<void(const LedgerRow&)>& visit) = 0;

  /// Whether a result of this match and player is kept, so that `append` would answer `duplicate`.
  virtual Result<bool> contains(const LeaderboardName& leaderboard, const Uuid& match_id, const PlayerId& player) = 0;

  enum class Erase : std::uint8_t {
    from_boards,  ///< a tombstone: what is recorded so far never counts again; later results do
    from_ledger,  ///< the rows themselves go too
  };
  /// Erases `player` from all boards of `leaderboard`. Returns how many results stopped counting, those of a hidden
  /// player among them. A hidden player stays hidden.
  virtual Result<std::uint64_t> erase_player(const LeaderboardName& leaderboard, const PlayerId& player, Erase mode,
                                             const AuditNote& note) = 0;

  // Each of these logs what it did in the same transaction, and nothing when there was nothing to do.

  /// None of the player's results counts from now on, those that come later neither. False when the player is hidden
  /// already. Errors: not_found, field `leaderboard`.
  virtual Result<bool> hide_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                   const AuditNote& note) = 0;
  /// Undoes it. False when the player is not hidden.
  virtual Result<bool> restore_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                      const AuditNote& note) = 0;

  /// No result of the match counts from now on, and its id stays taken: append() answers `duplicate` for ever. Returns
  /// whose results stopped counting; nobody when it is void already. Errors: not_found, field `matchId`, when no result
  /// of it is kept.
  virtual Result<std::vector<PlayerId>> void_match(const LeaderboardName& leaderboard, const Uuid& match_id,
                                                   const AuditNote& note) = 0;

  /// Whose results of the match are kept, whether or not they count, in no particular order.
  virtual Result<std::vector<PlayerId>> players_of_match(const LeaderboardName& leaderboard, const Uuid& match_id) = 0;

  /// One more with every change of a leaderboard, season or hidden player, where other processes may make some; always
  /// 0 where none can. Cheap enough for every second.
  virtual Result<std::uint64_t> definitions_version() = 0;
  /// Every definition with its seasons.
  virtual Result<std::vector<LeaderboardRecord>> leaderboards() = 0;
  virtual Result<void> put_definition(const Definition& definition) = 0;
  /// Errors: not_found, field `leaderboard`.
  virtual Result<void> put_season(const LeaderboardName& leaderboard, const Season& season) = 0;
  /// The definition, its seasons and all its results go. Errors: not_found, field `leaderboard`.
  virtual Result<void> drop_leaderboard(const LeaderboardName& leaderboard) = 0;
  /// Whether any result of it counts, or would if its player were not hidden.
  virtual Result<bool> has_results(const LeaderboardName& leaderboard) = 0;

  /// The archives of closed seasons, in the same store. At once.
  virtual Archives& archives() = 0;

  /// Why no more writes are taken until a restart; nullopt while they are. From any thread, at once.
  virtual std::optional<Error> write_failure() const = 0;
};

}  // namespace scoreline::leaderboards
