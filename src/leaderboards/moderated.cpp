#include "leaderboards/moderated.h"

#include <vector>

#include "leaderboards/recount.h"

namespace scoreline::leaderboards {

void Moderated::add(const AuditEntry& entry) {
  switch (entry.action) {
    case AuditAction::hide_player:
    case AuditAction::restore_player:
    case AuditAction::erase_player: {
      OfLeaderboard& of = leaderboards_[entry.leaderboard];
      of.players.insert(*entry.player);
      if (entry.action == AuditAction::erase_player) of.erased.insert(*entry.player);
      return;
    }
    case AuditAction::void_match: leaderboards_[entry.leaderboard].matches.insert(*entry.match); return;
    case AuditAction::define_leaderboard:
    case AuditAction::drop_leaderboard:
    case AuditAction::open_season:
    case AuditAction::close_season:
    case AuditAction::rebuild_board:
    case AuditAction::repair_board: return;
  }
}

Result<void> Moderated::show(const Catalogue& catalogue, Ledger& ledger, RankIndex& index, Timestamp now) const {
  for (const auto& [name, of] : leaderboards_) {
    const auto record = catalogue.find(name.text());
    if (!record) continue;  // dropped since
    std::set<PlayerId> players = of.players;
    for (const Uuid& match : of.matches) {
      const auto played = ledger.players_of_match(name, match);
      if (!played) return fail(played.error());
      players.insert(played->begin(), played->end());
    }
    std::vector<PlayerId> hidden, counted;
    for (const PlayerId& player : players) {
      (is_hidden(**record, player.text()) ? hidden : counted).push_back(player);
    }
    if (auto gone = take_off(index, **record, hidden, now); !gone) return gone;
    if (auto shown = recount(ledger, index, **record, counted, now); !shown) return shown;
  }
  return {};
}

Result<void> Moderated::anonymise(Archives& archives) const {
  for (const auto& [name, of] : leaderboards_) {
    for (const PlayerId& player : of.erased) {
      if (const auto done = archives.anonymise(name, player); !done) return fail(done.error());
    }
  }
  return {};
}

}  // namespace scoreline::leaderboards
