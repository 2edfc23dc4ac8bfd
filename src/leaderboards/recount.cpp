#include "leaderboards/recount.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "leaderboards/definition.h"
#include "leaderboards/lost_boards.h"
#include "leaderboards/season_boards.h"

namespace scoreline::leaderboards {
namespace {

Result<void> outcome(const auto& done) { return done ? Result<void>() : fail(done.error()); }

Result<void> offer(RankIndex& index, const Board& board, std::span<const Offer> offers) {
  for (std::size_t from = 0; from < offers.size(); from += kOffersAtATime) {
    const auto part = offers.subspan(from, std::min(kOffersAtATime, offers.size() - from));
    if (auto taken = unless_lost(index, board, outcome(index.apply(board, part, Ranks::skip))); !taken) return taken;
  }
  return {};
}

Result<void> erase(RankIndex& index, const Board& board, std::span<const PlayerId> players) {
  for (std::size_t from = 0; from < players.size(); from += kOffersAtATime) {
    const auto part = players.subspan(from, std::min(kOffersAtATime, players.size() - from));
    if (auto gone = unless_lost(index, board, outcome(index.erase(board, part))); !gone) return gone;
  }
  return {};
}

Result<void> show(RankIndex& index, const CountedBoards& boards) {
  for (const auto& [season, counted] : boards) {
    std::vector<Offer> offers;
    for (const auto& [player, fold] : counted.players) {
      offers.push_back({PlayerId::trusted(player), *fold.standing(), fold.results()});
    }
    if (auto offered = offer(index, counted.board, offers); !offered) return offered;
  }
  return {};
}

}  // namespace

Result<CountedBoards> count_players(Ledger& ledger, const LeaderboardRecord& record, std::span<const PlayerId> players,
                                    Timestamp now, const std::function<bool(const LedgerRow&)>& is_meant) {
  CountedBoards boards;
  for (const Season& season : record.seasons) {
    for (Board& board : live_boards_of(record.definition, season, now)) boards.emplace(season.id, std::move(board));
  }
  const auto read = ledger.results_of_players(record.definition.name, players, [&](const LedgerRow& row) {
    if (!is_meant(row)) return;
    const auto [first, last] = boards.equal_range(row.season);
    for (auto at = first; at != last; ++at) {
      CountedBoard& counted = at->second;
      if (!counted.board.span.contains(row.achieved_at)) continue;
      auto fold = counted.players.find(row.player);
      if (fold == counted.players.end()) {
        fold = counted.players.emplace(std::string(row.player), Fold(counted.board)).first;
      }
      fold->second.add(result_of(row));
    }
  });
  if (!read) return fail(read.error());
  return boards;
}

Result<void> take_off(RankIndex& index, const LeaderboardRecord& record, std::span<const PlayerId> players,
                      Timestamp now) {
  if (players.empty()) return {};
  for (const Season& season : record.seasons) {
    for (const Board& board : live_boards_of(record.definition, season, now)) {
      if (auto gone = erase(index, board, players); !gone) return gone;
    }
  }
  return {};
}

Result<void> recount(Ledger& ledger, RankIndex& index, const LeaderboardRecord& record,
                     std::span<const PlayerId> players, Timestamp now) {
  if (players.empty()) return {};
  const auto all = [](const LedgerRow&) { return true; };
  const auto before = count_players(ledger, record, players, now, all);
  if (!before) return fail(before.error());
  if (auto gone = take_off(index, record, players, now); !gone) return gone;
  if (auto shown = show(index, *before); !shown || index.exclusive()) return shown;
  // What others recorded and showed between the reading and the taking off is in the ledger now.
  const auto after = count_players(ledger, record, players, now, all);
  if (!after) return fail(after.error());
  return show(index, *after);
}

}  // namespace scoreline::leaderboards
