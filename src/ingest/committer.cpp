#include "ingest/committer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "ingest/board_commit.h"
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
constexpr std::chrono::milliseconds kRetryWhenNotShown = std::chrono::seconds{1};

}  // namespace

struct Committer::Commit {
  std::vector<Row> rows;  // never grows beyond what was reserved: the boards point into it
  std::vector<std::unique_ptr<BoardCommit>> boards;
  std::unordered_map<BoardId, BoardCommit*> by_id;
};

Result<BoardCommit*> Committer::board_for(const Target& target, Commit& commit) const {
  const BoardId& id = target.board.id;
  if (const auto known = commit.by_id.find(id); known != commit.by_id.end()) return known->second;
  // The leaderboard may have changed, or gone, since the result was validated: the commit goes by what it is now.
  auto record = catalogue_.find(id.leaderboard.text());
  if (!record) return fail(std::move(record).error());
  commit.boards.push_back(std::make_unique<BoardCommit>(std::make_shared<const Target>(*std::move(record), id.season)));
  return commit.by_id.emplace(id, commit.boards.back().get()).first->second;
}

void Committer::gather(std::span<Job> jobs, Commit& commit) const {
  std::size_t results = 0;
  for (const Job& job : jobs) results += job.accepted.size();
  commit.rows.reserve(results);
  const Timestamp now = clock_.now();
  for (Job& job : jobs) {
    for (std::size_t i = 0; i < job.accepted.size(); ++i) {
      Accepted& accepted = job.accepted[i];
      Result<Receipt>& receipt = job.receipts[job.places[i]];
      const auto board = board_for(*accepted.target, commit);
      if (!board) {
        receipt = fail(board.error());
        continue;
      }
      if ((*board)->target().record != accepted.target->record) {
        if (const auto valid = check_against((*board)->target(), now, accepted); !valid) {
          receipt = fail(valid.error());
          continue;
        }
      }
      commit.rows.push_back(Row{&accepted, &receipt, job.ranks, Recorded::duplicate});
      (*board)->add(&commit.rows.back());
    }
  }
}

Result<void> Committer::open_seasons(Commit& commit) {
  for (const auto& board : commit.boards) {
    if (board->target().opened != nullptr || board->rows().empty()) continue;
    const BoardId& id = board->target().board.id;
    const Season season{id.season, std::nullopt, std::nullopt};
    const auto opened = leaderboards::open_season(catalogue_, index_, id.leaderboard, season);
    if (opened) continue;
    if (opened.error().code != Code::conflict && opened.error().code != Code::invalid) return opened;
    board->reject_all(opened.error());
  }
  return {};
}

Result<void> Committer::commit(std::span<Job> jobs) {
  if (const auto earlier = settle_earlier(); !earlier) return earlier;
  Commit commit;
  gather(jobs, commit);
  for (const auto& board : commit.boards) {
    if (const auto admitted = board->admit_totals(ledger_, index_); !admitted) return admitted;
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
    if (auto& answer = appended.answers[i]) {
      in_batch[i]->recorded = *answer;
    } else {
      *in_batch[i]->receipt = fail(std::move(answer).error());
    }
  }

  Result<void> shown;
  for (const auto& board : commit.boards) {
    board->forget_rejected();
    if (board->rows().empty()) continue;
    const auto applied = appended.ambiguous ? board->apply_from_ledger(ledger_, index_) : board->apply(ledger_, index_);
    if (!applied) shown = fail(not_shown(*board, applied.error()));
  }
  return shown;
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
  for (const auto& [id, of_board] : by_board) {
    const auto board = catalogue_.board(id.leaderboard.text(), id.season);
    if (!board) return fail(board.error());
    const auto offered = show_kept(ledger_, index_, *board, of_board, Ranks::skip).map([](const auto&) {});
    if (auto shown = unless_lost(index_, *board, offered); !shown) return shown;
  }
  return {};
}

}  // namespace scoreline::ingest
