#include "leaderboards/player_folds.h"

#include <string_view>
#include <unordered_map>

namespace scoreline::leaderboards {

Result<std::vector<Fold>> folds_of(Ledger& ledger, const Board& board, std::span<const PlayerId> players) {
  std::vector<Fold> folds(players.size(), Fold(board));
  std::unordered_map<std::string_view, Fold*> by_player;
  for (std::size_t i = 0; i < players.size(); ++i) by_player.emplace(players[i].text(), &folds[i]);
  const auto add = [&by_player, &board](std::string_view player, const Standing& result) {
    if (!board.span.contains(result.achieved_at)) return;
    if (const auto at = by_player.find(player); at != by_player.end()) at->second->add(result);
  };
  const auto read = board.rule == Rule::sum ? ledger.results_of(board.id, players, add)
                                            : ledger.scan(
                                                  [&](const LedgerRow& row) {
                                                    if (row.season != board.id.season) return;
                                                    if (row.leaderboard != board.id.leaderboard.text()) return;
                                                    add(row.player, result_of(row));
                                                  },
                                                  nullptr);
  if (!read) return fail(read.error());
  return folds;
}

}  // namespace scoreline::leaderboards
