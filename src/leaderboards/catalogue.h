// Which leaderboards and seasons there are: an in-memory copy of what the ledger keeps.
//
// Thread safety: reads from any thread; changes only from the writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// nullptr when nobody has opened it. O(log n).
const Season* find_season(const LeaderboardRecord& record, SeasonId id);

bool is_hidden(const LeaderboardRecord& record, std::string_view player);

/// Of the seasons that have begun and not ended at `now` the one with the latest start (without a start counts as the
/// earliest; then the highest id). While there is none: the last that began; else the first to begin; else 1.
SeasonId current_season(const LeaderboardRecord& record, Timestamp now);

/// The current season at an instant, and the stretch of time around it in which that is the current one. O(seasons).
struct SeasonAt {
  SeasonId season;
  Span span;
};
SeasonAt season_at(const LeaderboardRecord& record, Timestamp at);

class Catalogue {
 public:
  /// Reads all definitions and makes `main` with the defaults when it is not there.
  static Result<std::unique_ptr<Catalogue>> open(Ledger& ledger);

  /// Never nullptr. Errors: Code::not_found, field `leaderboard`. The record itself never changes: a change makes a new
  /// one.
  Result<std::shared_ptr<const LeaderboardRecord>> find(std::string_view leaderboard) const;
  std::vector<Definition> definitions() const;

  Result<SeasonId> current_season(std::string_view leaderboard, Timestamp now) const;

  /// The board of a season; a season nobody has opened yet gives an empty board.
  Result<Board> board(std::string_view leaderboard, SeasonId season) const;

  /// Whether it is as the ledger has it now; one question to a ledger that other processes write to.
  Result<bool> is_current() const;
  /// The last entry of the audit log of which it is certain that what was read has it.
  AuditId audit_position() const { return audit_position_; }
  /// Writer only. Reads everything again: another process may have changed it.
  Result<void> refresh();
  /// Writer only. Creates, or changes where the boards stay right: else Code::conflict, saying why.
  /// True when it was created.
  Result<bool> put_definition(const Definition& definition);
  /// Writer only. Errors: Code::conflict when it is open with another start or end, or when there are kMaxSeasons;
  /// Code::invalid, field `start` or `end`, for an end that is not after the start, and for a packed key without start.
  Result<void> open_season(const LeaderboardName& leaderboard, const Season& season);
  /// Writer only. Whether that changed anything. Errors: Code::conflict when kMaxHiddenPlayers are.
  Result<bool> hide_player(const LeaderboardName& leaderboard, const PlayerId& player, const AuditNote& note);
  Result<bool> restore_player(const LeaderboardName& leaderboard, const PlayerId& player, const AuditNote& note);
  /// Writer only. `main` comes back at once, empty and with the defaults: it always exists.
  Result<void> drop(const LeaderboardName& leaderboard);

 private:
  explicit Catalogue(Ledger& ledger) : ledger_(ledger) {}
  void replace(LeaderboardRecord record);
  void note_own_change();

  Ledger& ledger_;
  std::atomic<std::uint64_t> version_{0};  // of the definitions that were read
  std::atomic<AuditId> audit_position_{0};
  mutable std::shared_mutex mutex_;
  // Seasons are sorted by id, hidden players by theirs.
  std::map<std::string, std::shared_ptr<const LeaderboardRecord>, std::less<>> records_;
};

}  // namespace scoreline::leaderboards
