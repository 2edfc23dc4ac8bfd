// Whom lines of the audit log are about: the players that boards must show once more as the ledger counts them.
//
// Not thread-safe.
#pragma once

#include <map>
#include <set>

#include "base/error.h"
#include "leaderboards/audit_log.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"

namespace scoreline::leaderboards {

class Moderated {
 public:
  /// A line about anything else is left out.
  void add(const AuditEntry& entry);
  /// Takes who is hidden off the boards, and counts all others again. The writer's thread. Cost: two reads of each
  /// leaderboard that any of the others is on, however many they are.
  Result<void> show(const Catalogue& catalogue, Ledger& ledger, RankIndex& index, Timestamp now) const;
  /// Has archives forget who was erased: whoever erased may not have come so far.
  Result<void> anonymise(Archives& archives) const;

 private:
  struct OfLeaderboard {
    std::set<PlayerId> players;
    std::set<PlayerId> erased;  // of these
    std::set<Uuid> matches;
  };

  std::map<LeaderboardName, OfLeaderboard> leaderboards_;
};

}  // namespace scoreline::leaderboards
