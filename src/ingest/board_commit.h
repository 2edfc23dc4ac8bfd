// The results of one commit that go to one board: which of its totals fit, what the board is offered, what became of
// each result.
//
// Thread safety: the writer's thread only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "ingest/pipeline.h"
#include "ingest/validator.h"
#include "leaderboards/ledger.h"
#include "leaderboards/lost_boards.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/rules.h"

namespace scoreline::ingest {

/// One result on its way through a commit.
struct Row {
  const Accepted* accepted;
  Result<Receipt>* receipt;
  leaderboards::Ranks ranks = leaderboards::Ranks::skip;
  leaderboards::Recorded recorded = leaderboards::Recorded::duplicate;

  const leaderboards::MatchResult& result() const { return accepted->result; }
};

class BoardCommit {
 public:
  explicit BoardCommit(std::shared_ptr<const Target> target) : target_(std::move(target)), board_(target_->board) {}
  /// Of a day or week of the target's season. It writes no receipts but rejections: those tell of the season's board.
  BoardCommit(std::shared_ptr<const Target> target, leaderboards::Board board)
      : target_(std::move(target)), board_(std::move(board)) {}

  const Target& target() const { return *target_; }
  const leaderboards::Board& board() const { return board_; }
  void add(Row* row) { rows_.push_back(row); }
  std::span<Row* const> rows() const { return rows_; }

  /// Rejects the results that would take a sum out of its range, and forgets them. Before the append: what is in the
  /// ledger counts.
  Result<void> admit_totals(leaderboards::Ledger& ledger, const leaderboards::RankIndex& index);

  /// Forgets the rows whose receipt is an error.
  void forget_rejected();
  /// Rejects everything.
  void reject_all(const Error& error);

  /// Offers what was recorded to the board and writes the receipts.
  Result<void> apply(leaderboards::Ledger& ledger, leaderboards::RankIndex& index);

  /// The same when nobody knows which of the results were recorded just now: the standings come from the ledger.
  /// Receipts say `improved` where the board changed by it, else `duplicate`: it is in the ledger, nothing changed.
  Result<void> apply_from_ledger(leaderboards::Ledger& ledger, leaderboards::RankIndex& index);

 private:
  /// A player's total while results are added.
  struct Total {
    leaderboards::Fold now;
    leaderboards::Fold highest;  ///< if only the results above 0 were new
    leaderboards::Fold lowest;   ///< if only those below
  };

  bool writes_receipts() const { return board_.id.period == leaderboards::Period{}; }
  Result<void> read_totals(leaderboards::Ledger& ledger, const leaderboards::RankIndex& index);
  /// Recorded, and not shown.
  bool is_hidden(const Row& row) const;
  bool fits(const leaderboards::Fold& total) const;
  Result<void> admit_one_by_one(leaderboards::Ledger& ledger, std::string_view player, leaderboards::Fold total);
  leaderboards::Offer offered_by(const Row& row);
  Result<void> apply_some(leaderboards::RankIndex& index, std::span<Row* const> rows);
  Result<void> apply_shared_totals(leaderboards::Ledger& ledger, leaderboards::RankIndex& index);
  /// Over a shared index it also has the board show what they repeat.
  Result<void> answer_duplicates(leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
                                 std::span<Row* const> duplicates);
  leaderboards::Ranks ranks_wanted() const;

  std::shared_ptr<const Target> target_;
  leaderboards::Board board_;
  std::vector<Row*> rows_;
  std::unordered_map<std::string_view, Total> totals_;  // sum only
};

/// What became of players, by their ids.
using AppliedByPlayer = std::unordered_map<std::string, leaderboards::Applied>;

/// Offers standings to a board, a part at a time, so that readers never wait long.
Result<AppliedByPlayer> offer(leaderboards::RankIndex& index, const leaderboards::Board& board,
                              std::span<const leaderboards::Offer> offers, leaderboards::Ranks ranks);

/// The standings of distinct `players` as the ledger has them; nobody who has none.
Result<std::vector<leaderboards::Offer>> standings_by_ledger(leaderboards::Ledger& ledger,
                                                             const leaderboards::Board& board,
                                                             std::span<const leaderboards::PlayerId> players);

/// Has a board show what the ledger keeps under the keys of these results, all of them of this board. Absolute, so it
/// does no harm when it is there already. Nobody is in the answer whose results do not count.
Result<AppliedByPlayer> show_kept(leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
                                  const leaderboards::Board& board, std::span<const leaderboards::MatchResult> results,
                                  leaderboards::Ranks ranks);

/// The same for all that the ledger keeps of distinct `players`. Cost: see folds_of.
Result<AppliedByPlayer> show_players(leaderboards::Ledger& ledger, leaderboards::RankIndex& index,
                                     const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players,
                                     leaderboards::Ranks ranks);

}  // namespace scoreline::ingest
