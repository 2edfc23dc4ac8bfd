#include "ingest/board_intake.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "ingest/board_commit.h"
#include "ingest/intake_metrics.h"
#include "ingest/validator.h"
#include "leaderboards/season_boards.h"

namespace scoreline::ingest {

using leaderboards::Board;
using leaderboards::BoardId;
using leaderboards::Offer;
using leaderboards::Rule;

namespace {

struct OffersToBoard {
  Board board;
  std::vector<Offer> offers;
  std::vector<const Message*> messages;  ///< of each offer to a season's board
};

std::vector<TopicPartition> partitions_of(const std::vector<Message>& batch) {
  std::set<TopicPartition> partitions;
  for (const Message& message : batch) {
    if (!partitions.contains(message.from)) partitions.insert(message.from);
  }
  return {partitions.begin(), partitions.end()};
}

}  // namespace

BoardIntake::BoardIntake(leaderboards::Service& service, leaderboards::RankIndex& index, ReadMessageText read_text,
                         const Clock& clock, Random& random, IntakeMetrics& metrics, GroupProgress ledger_group)
    : service_(service),
      index_(index),
      read_text_(std::move(read_text)),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      ledger_group_(std::move(ledger_group)) {}

void BoardIntake::take(MessageBatch batch, Done done) {
  done(show(*batch).map([] { return Taken{}; }));
}

Result<void> BoardIntake::show(const std::vector<Message>& batch) {
  if (const auto ready = service_.resolve({leaderboards::kMainLeaderboard, std::nullopt}); !ready) {
    return fail(ready.error());
  }
  // Without this knowledge nothing is shown: a conflict that was corrected before would be there again, for good.
  const auto recorded = ledger_group_.of(partitions_of(batch));
  if (!recorded) return fail(recorded.error());
  std::unordered_map<BoardId, OffersToBoard> by_board;
  Validator validator(service_.catalogue(), clock_.now(), random_);
  for (const Message& message : batch) {
    const auto known = recorded->find(message.from);
    if (known != recorded->end() && message.offset < known->second) continue;
    const auto submission = read_message(message, read_text_);
    if (!submission) continue;
    const auto accepted = validator.accept(*submission);
    if (!accepted) continue;
    const auto& target = *accepted->target;
    if (target.board.rule == Rule::sum || target.opened == nullptr) continue;
    if (is_hidden(*target.record, accepted->result.player.text())) continue;
    for (const Board& board : boards_of(target.record->definition, *target.opened, clock_.now())) {
      if (!board.span.contains(accepted->result.achieved_at)) continue;
      OffersToBoard& to = by_board.try_emplace(board.id, OffersToBoard{board, {}, {}}).first->second;
      to.offers.push_back({accepted->result.player, result_of(accepted->result)});
      // Each is counted once, as visible on its season's board.
      if (board.id.period == leaderboards::Period{}) to.messages.push_back(&message);
    }
  }
  for (const auto& [id, to] : by_board) {
    const auto offered = offer(index_, to.board, to.offers, leaderboards::Ranks::skip).map([](const auto&) {});
    if (auto shown = unless_lost(index_, to.board, offered); !shown) return shown;
    const Timestamp now = clock_.now();
    if (!offered) continue;
    for (const Message* const message : to.messages) metrics_.count_visible(*message, now);
  }
  return {};
}

}  // namespace scoreline::ingest
