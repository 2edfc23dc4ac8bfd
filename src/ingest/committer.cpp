#include "ingest/committer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "ingest/board_commit.h"
#include "leaderboards/calendar.h"
#include "leaderboards/season_boards.h"
#include "leaderboards/season_opening.h"

namespace scoreline::ingest {

using leaderboards::BoardId;
using leaderboards::MatchResult;
using leaderboards::Ranks;
using leaderboards::Recorded;
using leaderboards::Season;

namespace {

/// How often a batch whose answer was lost is sent again at once.
constexpr int kSettleAttempts = 2;
constexpr std::chrono::milliseconds kDropOutdatedEvery = std::chrono::minutes{1};
constexpr std::chrono::milliseconds kRetryWhenNotShown = std::chrono::seconds{1};

}  // namespace

/// What goes to the boards of one season.
struct Committer::SeasonCommit {
  explicit SeasonCommit(const std::shared_ptr<const Target>& target, Timestamp now) : board(target) {
    const Season unopened{target->board.id.season, std::nullopt, std::nullopt};
    const Season& season = target->opened != nullptr ? *target->opened : unopened;
    auto boards = leaderboards::boards_of(target->record->definition, season, now);
    for (std::size_t i = 1; i < boards.size(); ++i) periods.emplace_back(target, std::move(boards[i]));
  }

  void add(Row* row) {
    board.add(row);
    for (BoardCommit& period : periods) {
      if (period.board().span.contains(row->result().achieved_at)) period.add(row);
    }
  }

  BoardCommit board;
  std::vector<BoardCommit> periods;  // the days and weeks
};

struct Committer::Commit {
  std::vector<Row> rows;  // never grows beyond what was reserved: the boards point into it
  std::vector<std::unique_ptr<SeasonCommit>> seasons;
  std::unordered_map<BoardId, SeasonCommit*> by_id;
};

Timestamp Committer::now() { return latest_now_ = std::max(latest_now_, clock_.now()); }

Result<Committer::SeasonCommit*> Committer::season_for(const Target& target, Commit& commit) {
  const BoardId& id = target.board.id;
  if (const auto known = commit.by_id.find(id); known != commit.by_id.end()) return known->second;
  // The leaderboard may have changed, or gone, since the result was validated: the commit goes by what it is now.
  auto record = catalogue_.find(id.leaderboard.text());
  if (!record) return fail(std::move(record).error());
  const auto current = std::make_shared<const Target>(*std::move(record), id.season);
  commit.seasons.push_back(std::make_unique<SeasonCommit>(current, now()));
  return commit.by_id.emplace(id, commit.seasons.back().get()).first->second;
}

void Committer::gather(std::span<Job> jobs, Commit& commit) {
  std::size_t results = 0;
  for (const Job& job : jobs) results += job.accepted.size();
  commit.rows.reserve(results);
  const Timestamp at = clock_.now();
  for (Job& job : jobs) {
    for (std::size_t i = 0; i < job.accepted.size(); ++i) {
      Accepted& accepted = job.accepted[i];
      Result<Receipt>& receipt = job.receipts[job.places[i]];
      const auto season = season_for(*accepted.target, commit);
      if (!season) {
        receipt = fail(season.error());
        continue;
      }
      const Target& target = (*season)->board.target();
      if (target.record != accepted.target->record) {
        if (const auto valid = check_against(target, at, accepted); !valid) {
          receipt = fail(valid.error());
          continue;
        }
      }
      commit.rows.push_back(Row{&accepted, &receipt, job.ranks, Recorded::duplicate});
      (*season)->add(&commit.rows.back());
    }
  }
}

Result<void> Committer::open_seasons(Commit& commit) {
  for (const auto& each : commit.seasons) {
    BoardCommit* const board = &each->board;
    if (board->target().opened != nullptr || board->rows().empty()) continue;
    const BoardId& id = board->target().board.id;
    const Season season{id.season, std::nullopt, std::nullopt};
    const auto opened = leaderboards::open_season(catalogue_, index_, id.leaderboard, season, now());
    if (opened) continue;
    if (opened.error().code != Code::conflict && opened.error().code != Code::invalid) return opened;
    board->reject_all(opened.error());
  }
  return {};
}

Result<void> Committer::commit(std::span<Job> jobs) {
  if (now() >= drop_outdated_at_) {
    drop_outdated_at_ = Timestamp{now().ms + kDropOutdatedEvery.count()};
    index_.drop_unless([this](const BoardId& id) {
      const auto record = catalogue_.find(id.leaderboard.text());
      return record && leaderboards::Calendar((*record)->definition.periods).keeps(id.period, now());
    });
  }
  if (const auto earlier = settle_earlier(); !earlier) return earlier;
  Commit commit;
  gather(jobs, commit);
  for (const auto& season : commit.seasons) {
    if (const auto admitted = season->board.admit_totals(ledger_, index_); !admitted) return admitted;
    for (BoardCommit& period : season->periods) {
      period.forget_rejected();
      if (const auto admitted = period.admit_totals(ledger_, index_); !admitted) return admitted;
    }
    season->board.forget_rejected();
  }
  if (const auto opened = open_seasons(commit); !opened) return opened;

  std::vector<MatchResult> batch;
  std::vector<Row*> in_batch;
  for (Row& row : commit.rows) {
    if (!row.receipt->has_value()) continue;
    batch.push_back(row.result());
    in_batch.push_back(&row);
  }
  if (batch.empty()) return {};
  Appended appended;
  if (const auto done = append(batch, appended); !done) {
    // The ledger has parts of the batch already.
    const auto kept = static_cast<std::ptrdiff_t>(appended.answers.size());
    unsettled_.insert(unsettled_.end(), batch.begin(), batch.begin() + kept);
    return done;
  }
  for (std::size_t i = 0; i < in_batch.size(); ++i) {
    if (auto& answer = appended.answers[i]; answer && *answer == Recorded::season_closed) {
      *in_batch[i]->receipt = fail(season_is_closed(in_batch[i]->result().season));  // by another process just now
    } else if (answer) {
      in_batch[i]->recorded = *answer;
    } else {
      *in_batch[i]->receipt = fail(std::move(answer).error());
    }
  }

  Result<void> shown;
  for (const auto& season : commit.seasons) {
    if (const auto applied = apply(*season, appended.ambiguous); !applied) {
      shown = fail(not_shown(season->board, applied.error()));
    }
  }
  return shown;
}

Result<void> Committer::apply(SeasonCommit& season, bool ambiguous) {
  const auto to = [&](BoardCommit& board) -> Result<void> {
    board.forget_rejected();
    if (board.rows().empty()) return {};
    return ambiguous ? board.apply_from_ledger(ledger_, index_) : board.apply(ledger_, index_);
  };
  if (const auto applied = to(season.board); !applied) return applied;
  for (BoardCommit& period : season.periods) {
    if (const auto shown = unless_lost(index_, period.board(), to(period)); !shown) return shown;
  }
  return {};
}

/// The ledger has these results and their board has not: they are offered again before anything else is committed.
Error Committer::not_shown(const BoardCommit& board, const Error& why) {
  for (const Row* const row : board.rows()) unsettled_.push_back(row->result());
  return Error{Code::not_ready,
               "the results are kept, but are not on the board yet; send them again to see them there: " + why.detail,
               {},
               why.retry_after.value_or(kRetryWhenNotShown)};
}

/// A row that the ledger refuses is found by halving, and does not hold up the others.
Result<void> Committer::append(std::span<const MatchResult> batch, Appended& appended) {
  const auto done = append_once(batch, appended);
  if (done || done.error().code != Code::invalid) return done;
  if (batch.size() == 1) {
    appended.answers.push_back(fail(done.error()));
    return {};
  }
  const std::size_t half = batch.size() / 2;
  if (auto first = append(batch.first(half), appended); !first) return first;
  return append(batch.subspan(half), appended);
}

/// All of it or nothing.
Result<void> Committer::append_once(std::span<const MatchResult> batch, Appended& appended) {
  auto answer = ledger_.append(batch);
  const bool was_lost = !answer && answer.error().code == Code::unknown_outcome;
  for (int attempt = 0; was_lost && !answer && attempt < kSettleAttempts; ++attempt) answer = ledger_.append(batch);
  if (!answer) {
    if (!was_lost || answer.error().code == Code::invalid) return fail(std::move(answer).error());
    // However the later attempts failed: the first may have been kept.
    unsettled_.insert(unsettled_.end(), batch.begin(), batch.end());
    return fail(Error{Code::unknown_outcome, answer.error().detail, {}, answer.error().retry_after});
  }
  // A batch is kept whole or not at all. One new result now shows that it was not kept before, so all answers are
  // right; without a new one the whole of it may have been kept by the attempt whose answer was lost.
  const bool any_new = std::any_of(answer->begin(), answer->end(), [](Recorded r) { return r == Recorded::recorded; });
  if (was_lost && !any_new) appended.ambiguous = true;
  appended.answers.insert(appended.answers.end(), answer->begin(), answer->end());
  return {};
}

Result<void> Committer::settle_earlier() {
  std::erase_if(unsettled_, [&](const MatchResult& result) { return !catalogue_.find(result.leaderboard.text()); });
  if (unsettled_.empty()) return {};
  const std::vector<MatchResult> earlier = std::exchange(unsettled_, {});
  Appended appended;
  if (const auto answer = append(earlier, appended); !answer) {
    unsettled_ = earlier;
    const Code code = answer.error().code == Code::unknown_outcome ? Code::storage_failed : answer.error().code;
    return fail(
        Error{code, "an earlier commit is not settled yet: " + answer.error().detail, {}, answer.error().retry_after});
  }
  if (const auto shown = show(earlier); !shown) {
    unsettled_ = earlier;
    return fail(Error{Code::not_ready,
                      "results of an earlier commit are not on their board yet: " + shown.error().detail,
                      {},
                      shown.error().retry_after.value_or(kRetryWhenNotShown)});
  }
  return {};
}

/// Has the boards of these results show what the ledger keeps of them. A board that is not loaded gets them
/// when it is: loads read the ledger.
Result<void> Committer::show(std::span<const MatchResult> results) {
  std::unordered_map<BoardId, std::vector<MatchResult>> by_board;
  for (const MatchResult& result : results) by_board[BoardId{result.leaderboard, result.season}].push_back(result);
  for (const auto& [id, of_season] : by_board) {
    const auto record = catalogue_.find(id.leaderboard.text());
    if (!record) return fail(record.error());
    const Season* const opened = leaderboards::find_season(**record, id.season);
    const Season unopened{id.season, std::nullopt, std::nullopt};
    for (const auto& board : boards_of((*record)->definition, opened != nullptr ? *opened : unopened, now())) {
      const auto offered = show_kept(ledger_, index_, board, of_season, Ranks::skip).map([](const auto&) {});
      if (auto shown = unless_lost(index_, board, offered); !shown) return shown;
    }
  }
  return {};
}

}  // namespace scoreline::ingest
