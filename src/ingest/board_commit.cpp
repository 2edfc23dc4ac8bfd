#include "ingest/board_commit.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "leaderboards/player_folds.h"

namespace scoreline::ingest {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::BoardId;
using leaderboards::Fold;
using leaderboards::Ledger;
using leaderboards::Offer;
using leaderboards::Outcome;
using leaderboards::PlayerId;
using leaderboards::RankIndex;
using leaderboards::Ranks;
using leaderboards::Recorded;
using leaderboards::Rule;
using leaderboards::Standing;

namespace {

/// A board's lock is held for one of these at a time, so that readers never wait long.
constexpr std::size_t kOffersAtATime = 1'024;

/// The players of rows, each once, and where each stands among them.
struct DistinctPlayers {
  explicit DistinctPlayers(std::span<Row* const> rows) {
    for (const Row* const row : rows) {
      const PlayerId& player = row->result().player;
      if (places.try_emplace(player.text(), ids.size()).second) ids.push_back(player);
    }
  }

  std::vector<PlayerId> ids;
  std::unordered_map<std::string_view, std::size_t> places;  // the names live in the rows
};

Receipt receipt_of(Outcome outcome, const Applied& applied, const Row& row, int scale) {
  Receipt receipt{outcome, applied.standing, scale, std::nullopt, std::nullopt};
  if (row.ranks == Ranks::tell) {
    receipt.rank = applied.rank;
    receipt.previous_rank = applied.previous_rank;
  }
  return receipt;
}

}  // namespace

Ranks BoardCommit::ranks_wanted() const {
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

bool BoardCommit::fits(const Fold& total) const {
  const auto standing = total.standing();
  return !standing || (!total.overflowed() && target_->codec.encode(*standing).has_value());
}

Result<void> BoardCommit::read_totals(Ledger& ledger, const RankIndex& index) {
  const Board& board = target_->board;
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
  if (target_->board.rule != Rule::sum) return {};
  if (const auto read = read_totals(ledger, index); !read) return read;
  for (const Row* const row : rows_) {
    Total& total = totals_.at(row->result().player.text());
    const std::int64_t points = row->result().points;
    (points > 0 ? total.highest : total.lowest).add(points, row->result().achieved_at);
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
    with.add(result.points, result.achieved_at);
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
  if (target_->board.rule != Rule::sum) return Offer{result.player, {result.points, result.achieved_at}};
  Fold& total = totals_.at(result.player.text()).now;
  total.add(result.points, result.achieved_at);
  return Offer{result.player, *total.standing(), total.results()};
}

Result<void> BoardCommit::apply(Ledger& ledger, RankIndex& index) {
  std::vector<Row*> recorded;
  for (Row* const row : rows_) {
    if (row->recorded == Recorded::recorded) recorded.push_back(row);
  }
  if (target_->board.rule == Rule::sum && !index.exclusive()) {
    if (const auto applied = apply_shared_totals(ledger, index, recorded); !applied) return applied;
    return answer_duplicates(index);
  }
  for (std::size_t from = 0; from < recorded.size(); from += kOffersAtATime) {
    const std::size_t count = std::min(kOffersAtATime, recorded.size() - from);
    if (const auto applied = apply_some(index, std::span(recorded).subspan(from, count)); !applied) return applied;
  }
  return answer_duplicates(index);
}

Result<void> BoardCommit::apply_some(RankIndex& index, std::span<Row* const> rows) {
  std::vector<Offer> offers;
  offers.reserve(rows.size());
  for (const Row* const row : rows) offers.push_back(offered_by(*row));
  const auto applied = index.apply(target_->board, offers, ranks_wanted());
  if (!applied) return fail(applied.error());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Applied& now = (*applied)[i];
    const Outcome outcome = now.changed ? Outcome::improved : Outcome::unchanged;
    *rows[i]->receipt = receipt_of(outcome, now, *rows[i], target_->record->definition.scale);
  }
  return {};
}

/// What others appended meanwhile is in a total only when that is read after the append.
Result<void> BoardCommit::apply_shared_totals(Ledger& ledger, RankIndex& index, std::span<Row* const> rows) {
  const DistinctPlayers players(rows);
  const auto applied = offer_from_ledger(ledger, index, target_->board, players.ids, ranks_wanted());
  if (!applied) return fail(applied.error());
  for (Row* const row : rows) {
    const Applied& now = (*applied)[players.places.at(row->result().player.text())];
    const Outcome outcome = now.changed ? Outcome::improved : Outcome::unchanged;
    *row->receipt = receipt_of(outcome, now, *row, target_->record->definition.scale);
  }
  return {};
}

Result<void> BoardCommit::answer_duplicates(const RankIndex& index) {
  std::vector<Row*> duplicates;
  std::vector<PlayerId> players;
  for (Row* const row : rows_) {
    if (row->recorded == Recorded::recorded) continue;
    duplicates.push_back(row);
    players.push_back(row->result().player);
  }
  for (std::size_t from = 0; from < players.size(); from += kMaxEntries) {
    const std::size_t count = std::min(kMaxEntries, players.size() - from);
    const auto entries = index.ranks_of(target_->board, std::span(players).subspan(from, count));
    if (!entries) return fail(entries.error());
    for (std::size_t i = 0; i < count; ++i) {
      Applied present;
      if (const auto& entry = (*entries)[i]) {
        present.standing = entry->standing;
        present.rank = present.previous_rank = entry->rank;
      }
      Row& row = *duplicates[from + i];
      *row.receipt = receipt_of(Outcome::duplicate, present, row, target_->record->definition.scale);
    }
  }
  return {};
}

Result<void> BoardCommit::apply_from_ledger(Ledger& ledger, RankIndex& index) {
  const DistinctPlayers players(rows_);
  const auto applied = offer_from_ledger(ledger, index, target_->board, players.ids, ranks_wanted());
  if (!applied) return fail(applied.error());
  for (Row* const row : rows_) {
    const auto& result = row->result();
    const Applied& now = (*applied)[players.places.at(result.player.text())];
    const Standing own{result.points, leaderboards::kept_time(target_->board, result.achieved_at)};
    const bool made_it = target_->board.rule == Rule::sum ? result.points != 0 : own == now.standing;
    Outcome outcome = row->accepted->own_match ? Outcome::duplicate : Outcome::unchanged;
    if (now.changed && made_it) outcome = Outcome::improved;
    *row->receipt = receipt_of(outcome, now, *row, target_->record->definition.scale);
  }
  return {};
}

Result<std::vector<Applied>> offer_from_ledger(Ledger& ledger, RankIndex& index, const Board& board,
                                               std::span<const PlayerId> players, Ranks ranks) {
  std::vector<Offer> offers;
  std::vector<std::size_t> places;
  const auto folds = leaderboards::folds_of(ledger, board, players);
  if (!folds) return fail(folds.error());
  for (std::size_t i = 0; i < players.size(); ++i) {
    if (const auto standing = (*folds)[i].standing()) {
      offers.push_back({players[i], *standing, folds->at(i).results()});
      places.push_back(i);
    }
  }
  auto taken = index.apply(board, offers, ranks);
  if (!taken) return fail(std::move(taken).error());
  std::vector<Applied> applied(players.size());
  for (std::size_t i = 0; i < places.size(); ++i) applied[places[i]] = (*taken)[i];
  return applied;
}

}  // namespace scoreline::ingest
