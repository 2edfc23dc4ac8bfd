#include "ingest/left_behind.h"

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/board_commit.h"
#include "leaderboards/season_boards.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Board;
using leaderboards::BoardId;
using leaderboards::kOffersAtATime;
using leaderboards::LedgerRow;
using leaderboards::Offer;
using leaderboards::PlayerId;
using leaderboards::Ranks;
using leaderboards::Rule;
using leaderboards::Standing;

/// What is offered to one board, as it is read.
class LeftOnBoard {
 public:
  LeftOnBoard(Board board, leaderboards::SharedLedger& ledger, leaderboards::RankIndex& index)
      : board_(std::move(board)), ledger_(ledger), index_(index) {}

  void add(const LedgerRow& row) {
    if (!board_.span.contains(row.achieved_at)) return;
    if (board_.rule == Rule::sum) {
      // A total is offered as the ledger has it in the end.
      if (seen_.emplace(row.player).second) players_.push_back(PlayerId::trusted(std::string(row.player)));
      return;
    }
    offers_.push_back({PlayerId::trusted(std::string(row.player)), result_of(row)});
    if (offers_.size() == kOffersAtATime) offer();
  }

  Result<void> finish() {
    offer();
    for (std::size_t from = 0; from < players_.size(); from += kOffersAtATime) {
      const std::size_t count = std::min(kOffersAtATime, players_.size() - from);
      note(show_players(ledger_, index_, board_, std::span(players_).subspan(from, count), Ranks::skip));
    }
    return unless_lost(index_, board_, offered_);
  }

 private:
  void offer() {
    if (!offers_.empty() && offered_) note(index_.apply(board_, offers_, Ranks::skip));
    offers_.clear();
  }

  template <typename T>
  void note(const Result<T>& applied) {
    if (!applied) offered_ = fail(applied.error());
  }

  Board board_;
  leaderboards::SharedLedger& ledger_;
  leaderboards::RankIndex& index_;
  std::vector<Offer> offers_;
  std::unordered_set<std::string> seen_;  // sum
  std::vector<PlayerId> players_;         // sum
  Result<void> offered_;
};

/// The boards of a season.
using LeftOnSeason = std::vector<LeftOnBoard>;

/// Errors: not_ready for what this process has not heard of yet.
Result<std::vector<Board>> boards_of_row(const leaderboards::Catalogue& catalogue, const LedgerRow& row,
                                         Timestamp now) {
  const auto record = catalogue.find(row.leaderboard);
  const leaderboards::Season* const season = record ? leaderboards::find_season(**record, row.season) : nullptr;
  if (season == nullptr) {
    return fail(Code::not_ready, "the ledger has results of a leaderboard or season that is not known here yet");
  }
  return boards_of((*record)->definition, *season, now);
}

}  // namespace

Result<std::size_t> show_left_behind(const leaderboards::Catalogue& catalogue, leaderboards::SharedLedger& ledger,
                                     leaderboards::RankIndex& index, Timestamp now, const FollowForOthers& follow) {
  std::unordered_map<BoardId, LeftOnSeason> seasons;
  std::vector<leaderboards::AuditEntry> changes;
  Result<void> known;
  const auto visit = [&](const LedgerRow& row) {
    const BoardId id{leaderboards::LeaderboardName::trusted(std::string(row.leaderboard)), row.season};
    auto at = seasons.find(id);
    if (at == seasons.end()) {
      auto boards = boards_of_row(catalogue, row, now);
      if (!boards) {
        known = fail(boards.error());
        return;
      }
      at = seasons.emplace(id, LeftOnSeason()).first;
      for (Board& board : *boards) at->second.emplace_back(std::move(board), ledger, index);
    }
    for (LeftOnBoard& board : at->second) board.add(row);
  };
  const auto gone =
      ledger.scan_left_behind(visit, [&](const leaderboards::AuditEntry& change) { changes.push_back(change); });
  if (!gone) return fail(gone.error());
  if (!known) return fail(known.error());
  if (gone->empty()) return 0;
  for (auto& [id, boards] : seasons) {
    for (LeftOnBoard& left : boards) {
      if (const auto offered = left.finish(); !offered) return fail(offered.error());
    }
  }
  if (const auto followed = follow(changes); !followed) return fail(followed.error());
  if (const auto forgotten = ledger.forget_writers(*gone); !forgotten) return fail(forgotten.error());
  return gone->size();
}

}  // namespace scoreline::ingest
