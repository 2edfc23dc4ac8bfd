#include "ingest/board_commit.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "ingest/kept_results.h"
#include "leaderboards/player_folds.h"

namespace scoreline::ingest {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::BoardId;
using leaderboards::Fold;
using leaderboards::kOffersAtATime;
using leaderboards::Ledger;
using leaderboards::MatchResult;
using leaderboards::Offer;
using leaderboards::Outcome;
using leaderboards::PlayerId;
using leaderboards::RankIndex;
using leaderboards::Ranks;
using leaderboards::Recorded;
using leaderboards::Rule;
using leaderboards::Standing;

namespace {

/// The players of results, each once.
std::vector<PlayerId> players_of(std::span<const MatchResult> results) {
  std::vector<PlayerId> players;
  std::unordered_set<std::string_view> seen;
  for (const MatchResult& result : results) {
    if (seen.insert(result.player.text()).second) players.push_back(result.player);
  }
  return players;
}

std::vector<MatchResult> results_of(std::span<Row* const> rows) {
  std::vector<MatchResult> results;
  results.reserve(rows.size());
  for (const Row* const row : rows) results.push_back(row->result());
  return results;
}

/// `kept`: of the results that may have been there before.
Receipt receipt_of(Outcome outcome, const Applied& applied, const Row& row, const Target& target,
                   const KeptResults* kept = nullptr) {
  Receipt receipt{outcome, applied.standing, target.record, std::nullopt, std::nullopt};
  if (kept != nullptr) {
    receipt.conflict = kept->conflicts_with(*row.accepted);
    receipt.counts = kept->counts(*row.accepted);
  }
  if (row.ranks == Ranks::tell) {
    receipt.rank = applied.rank;
    receipt.previous_rank = applied.previous_rank;
  }
  return receipt;
}

}  // namespace

Ranks BoardCommit::ranks_wanted() const {
  if (!writes_receipts()) return Ranks::skip;
  const bool any = std::any_of(rows_.begin(), rows_.end(), [](const Row* row) { return row->ranks == Ranks::tell; });
  return any ? Ranks::tell : Ranks::skip;
}

void BoardCommit::forget_rejected() {
  std::erase_if(rows_, [](const Row* row) { return !row->receipt->has_value(); });
}

void BoardCommit::reject_all(const Error& error) {
  for (Row* const row : rows_) *row->receipt = fail(error);
  rows_.clear();
}

bool BoardCommit::is_hidden(const Row& row) const {
  return leaderboards::is_hidden(*target_->record, row.result().player.text());
}

bool BoardCommit::fits(const Fold& total) const {
  const auto standing = total.standing();
  return !standing || (!total.overflowed() && target_->codec.encode(*standing).has_value());
}

Result<void> BoardCommit::read_totals(Ledger& ledger, const RankIndex& index) {
  const Board& board = board_;
  std::vector<PlayerId> players;
  std::vector<std::string_view> names;  // of the same, in the rows: they stay where they are
  std::unordered_set<std::string_view> seen;
  for (const Row* const row : rows_) {
    const PlayerId& player = row->result().player;
    if (!seen.insert(player.text()).second) continue;
    players.push_back(player);
    names.push_back(player.text());
  }
  // What others may have added is only in the ledger.
  const bool alone = index.exclusive();
  std::vector<std::optional<Standing>> known(players.size());
  if (alone) {
    auto standings = index.standings(board, players);
    if (!standings) return fail(std::move(standings).error());
    known = *std::move(standings);
  }
  std::vector<PlayerId> asked;
  std::vector<std::string_view> asked_names;
  const auto keep = [this](std::string_view name, const Fold& total) {
    totals_.emplace(name, Total{total, total, total});
  };
  for (std::size_t i = 0; i < players.size(); ++i) {
    // At 0 points a standing does not tell whether the total ever moved, which decides whose time counts.
    if (!alone || (known[i] && known[i]->points == 0)) {
      asked.push_back(players[i]);
      asked_names.push_back(names[i]);
    } else {
      keep(names[i], known[i] ? Fold(board, *known[i]) : Fold(board));
    }
  }
  if (asked.empty()) return {};
  const auto folds = leaderboards::folds_of(ledger, board, asked);
  if (!folds) return fail(folds.error());
  for (std::size_t i = 0; i < asked.size(); ++i) keep(asked_names[i], (*folds)[i]);
  return {};
}

Result<void> BoardCommit::admit_totals(Ledger& ledger, const RankIndex& index) {
  if (board_.rule != Rule::sum) return {};
  if (const auto read = read_totals(ledger, index); !read) return read;
  for (const Row* const row : rows_) {
    Total& total = totals_.at(row->result().player.text());
    const std::int64_t points = row->result().points;
    (points > 0 ? total.highest : total.lowest).add(result_of(row->result()));
  }
  for (const auto& [player, total] : totals_) {
    // Whichever of the results turn out to be duplicates, the total stays between these two.
    if (fits(total.highest) && fits(total.lowest)) continue;
    if (const auto admitted = admit_one_by_one(ledger, player, total.now); !admitted) return admitted;
  }
  forget_rejected();
  return {};
}

Result<void> BoardCommit::admit_one_by_one(Ledger& ledger, std::string_view player, Fold total) {
  std::set<Uuid> seen;
  for (Row* const row : rows_) {
    const auto& result = row->result();
    if (result.player.text() != player) continue;
    const auto known = ledger.contains(result.leaderboard, result.match_id, result.player);
    if (!known) return fail(known.error());
    if (*known || seen.contains(result.match_id)) continue;  // a duplicate: it adds nothing
    Fold with = total;
    with.add(result_of(result));
    if (!fits(with)) {
      *row->receipt = fail(Code::invalid, "would take the player's total out of the board's range", "points");
      continue;
    }
    seen.insert(result.match_id);
    total = with;
  }
  return {};
}

Offer BoardCommit::offered_by(const Row& row) {
  const auto& result = row.result();
  if (board_.rule != Rule::sum) return Offer{result.player, result_of(result)};
  Fold& total = totals_.at(result.player.text()).now;
  total.add(result_of(result));
  return Offer{result.player, *total.standing(), total.results()};
}

Result<void> BoardCommit::apply(Ledger& ledger, RankIndex& index) {
  std::vector<Row*> recorded, duplicates;
  for (Row* const row : rows_) {
    if (row->recorded == Recorded::duplicate) {
      duplicates.push_back(row);
    } else if (is_hidden(*row)) {
      *row->receipt = receipt_of(Outcome::unchanged, {}, *row, *target_);
      (*row->receipt)->counts = false;
    } else {
      recorded.push_back(row);
    }
  }
  const bool shared = !index.exclusive();
  if (shared && board_.rule == Rule::sum) {
    if (const auto applied = apply_shared_totals(ledger, index); !applied) return applied;
    return answer_duplicates(ledger, index, duplicates);
  }
  for (std::size_t from = 0; from < recorded.size(); from += kOffersAtATime) {
    const std::size_t count = std::min(kOffersAtATime, recorded.size() - from);
    if (const auto applied = apply_some(index, std::span(recorded).subspan(from, count)); !applied) return applied;
  }
  return answer_duplicates(ledger, index, duplicates);
}

Result<void> BoardCommit::apply_some(RankIndex& index, std::span<Row* const> rows) {
  std::vector<Offer> offers;
  offers.reserve(rows.size());
  for (const Row* const row : rows) offers.push_back(offered_by(*row));
  const auto applied = index.apply(board_, offers, ranks_wanted());
  if (!applied) return fail(applied.error());
  if (!writes_receipts()) return {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Applied& now = (*applied)[i];
    const Outcome outcome = now.changed ? Outcome::improved : Outcome::unchanged;
    *rows[i]->receipt = receipt_of(outcome, now, *rows[i], *target_);
  }
  return {};
}

/// What others appended meanwhile is in a total only when that is read after the append.
Result<void> BoardCommit::apply_shared_totals(Ledger& ledger, RankIndex& index) {
  const auto applied = show_players(ledger, index, board_, players_of(results_of(rows_)), ranks_wanted());
  if (!applied) return fail(applied.error());
  if (!writes_receipts()) return {};
  for (Row* const row : rows_) {
    if (row->recorded != Recorded::recorded) continue;
    const auto now = applied->find(row->result().player.text());
    if (now == applied->end()) continue;  // hidden, or erased by another process just now
    const Outcome outcome = now->second.changed ? Outcome::improved : Outcome::unchanged;
    *row->receipt = receipt_of(outcome, now->second, *row, *target_);
  }
  return {};
}

Result<void> BoardCommit::answer_duplicates(Ledger& ledger, RankIndex& index, std::span<Row* const> duplicates) {
  if (duplicates.empty()) return {};
  if (!writes_receipts() && index.exclusive()) return {};
  const auto kept = KeptResults::read(ledger, results_of(duplicates));
  if (!kept) return fail(kept.error());
  if (!index.exclusive() && board_.rule != Rule::sum) {
    // The process that recorded them may not have lived to show them.
    const auto shown = offer(index, board_, kept->offers_to(board_), Ranks::skip);
    if (!shown) return fail(shown.error());
  }
  if (!writes_receipts()) return {};
  std::vector<PlayerId> players;
  for (const Row* const row : duplicates) players.push_back(row->result().player);
  for (std::size_t from = 0; from < players.size(); from += kMaxEntries) {
    const std::size_t count = std::min(kMaxEntries, players.size() - from);
    const auto entries = index.ranks_of(board_, std::span(players).subspan(from, count));
    if (!entries) return fail(entries.error());
    for (std::size_t i = 0; i < count; ++i) {
      Applied present;
      if (const auto& entry = (*entries)[i]) {
        present.standing = entry->standing;
        present.rank = present.previous_rank = entry->rank;
      }
      Row& row = *duplicates[from + i];
      *row.receipt = receipt_of(Outcome::duplicate, present, row, *target_, &*kept);
    }
  }
  return {};
}

Result<void> BoardCommit::apply_from_ledger(Ledger& ledger, RankIndex& index) {
  const std::vector<MatchResult> results = results_of(rows_);
  const auto kept = KeptResults::read(ledger, results);
  if (!kept) return fail(kept.error());
  const Board& board = board_;
  const auto applied = board.rule == Rule::sum ? show_players(ledger, index, board, players_of(results), ranks_wanted())
                                               : offer(index, board, kept->offers_to(board), ranks_wanted());
  if (!applied) return fail(applied.error());
  if (!writes_receipts()) return {};
  for (Row* const row : rows_) {
    const auto& result = row->result();
    const auto at = applied->find(result.player.text());
    const Applied now = at == applied->end() ? Applied{} : at->second;
    const Standing own{result.points, leaderboards::kept_time(board, result.achieved_at), result.extra};
    const bool made_it = board.rule == Rule::sum ? result.points != 0 : own == now.standing;
    Outcome outcome = row->accepted->own_match ? Outcome::duplicate : Outcome::unchanged;
    if (now.changed && made_it && !kept->conflicts_with(*row->accepted)) outcome = Outcome::improved;
    *row->receipt = receipt_of(outcome, now, *row, *target_, &*kept);
  }
  return {};
}

Result<AppliedByPlayer> offer(RankIndex& index, const Board& board, std::span<const Offer> offers, Ranks ranks) {
  AppliedByPlayer applied;
  for (std::size_t from = 0; from < offers.size(); from += kOffersAtATime) {
    const auto part = offers.subspan(from, std::min(kOffersAtATime, offers.size() - from));
    const auto taken = index.apply(board, part, ranks);
    if (!taken) return fail(taken.error());
    for (std::size_t i = 0; i < part.size(); ++i) {
      Applied& now = applied[part[i].player.text()];
      const bool changed = now.changed || (*taken)[i].changed;
      now = (*taken)[i];
      now.changed = changed;
    }
  }
  return applied;
}

Result<AppliedByPlayer> show_kept(Ledger& ledger, RankIndex& index, const Board& board,
                                  std::span<const MatchResult> results, Ranks ranks) {
  if (board.rule == Rule::sum) return show_players(ledger, index, board, players_of(results), ranks);
  const auto kept = KeptResults::read(ledger, {results.begin(), results.end()});
  if (!kept) return fail(kept.error());
  return offer(index, board, kept->offers_to(board), ranks);
}

Result<std::vector<Offer>> standings_by_ledger(Ledger& ledger, const Board& board, std::span<const PlayerId> players) {
  const auto folds = leaderboards::folds_of(ledger, board, players);
  if (!folds) return fail(folds.error());
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const Fold& fold = (*folds)[i];
    if (const auto standing = fold.standing()) offers.push_back({players[i], *standing, fold.results()});
  }
  return offers;
}

Result<AppliedByPlayer> show_players(Ledger& ledger, RankIndex& index, const Board& board,
                                     std::span<const PlayerId> players, Ranks ranks) {
  const auto standings = standings_by_ledger(ledger, board, players);
  if (!standings) return fail(standings.error());
  return offer(index, board, *standings, ranks);
}

}  // namespace scoreline::ingest
