#include "ingest/corrections.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/decimal.h"
#include "base/limits.h"
#include "ingest/board_commit.h"
#include "ingest/validator.h"
#include "leaderboards/season_boards.h"

namespace scoreline::ingest {

using leaderboards::Board;
using leaderboards::BoardId;
using leaderboards::PlayerId;
using leaderboards::Ranks;
using leaderboards::Rule;
using leaderboards::Standing;

namespace {

constexpr std::chrono::minutes kWaitForOtherGroup{1};
constexpr std::chrono::milliseconds kCorrectAgain{500};

/// What a board may show that it should not.
struct Suspects {
  Board board;
  std::vector<PlayerId> players;
  std::vector<Standing> standings;  ///< of each player
};

/// The players who stand on the board with what is suspected, each once.
Result<std::vector<PlayerId>> shown_wrongly(const leaderboards::RankIndex& index, const Suspects& suspects) {
  std::vector<PlayerId> wrong;
  for (std::size_t from = 0; from < suspects.players.size(); from += kMaxEntries) {
    const std::size_t count = std::min(kMaxEntries, suspects.players.size() - from);
    const auto shown = index.standings(suspects.board, std::span(suspects.players).subspan(from, count));
    if (!shown) return fail(shown.error());
    for (std::size_t i = 0; i < count; ++i) {
      const PlayerId& player = suspects.players[from + i];
      if ((*shown)[i] != suspects.standings[from + i]) continue;
      if (std::ranges::find(wrong, player) == wrong.end()) wrong.push_back(player);
    }
  }
  return wrong;
}

/// Has the board show these players as the ledger counts them.
Result<void> recount(leaderboards::Ledger& ledger, leaderboards::RankIndex& index, const Board& board,
                     std::span<const PlayerId> players) {
  const auto before = standings_by_ledger(ledger, board, players);
  if (!before) return fail(before.error());
  if (const auto erased = index.erase(board, players); !erased) return fail(erased.error());
  if (const auto offered = offer(index, board, *before, Ranks::skip); !offered) return fail(offered.error());
  // What was recorded and shown between the reading and the erasing is in the ledger now.
  return show_players(ledger, index, board, players, Ranks::skip).map([](const auto&) {});
}

}  // namespace

struct Corrections::Review {
  std::vector<Message> messages;
  Offsets behind_them;
  Monotonic give_up_at;
  Monotonic again_at;
};

Corrections::Corrections(const leaderboards::Catalogue& catalogue, leaderboards::Ledger& ledger,
                         leaderboards::RankIndex& index, ReadMessageText read_text, const Clock& clock, Random& random,
                         std::optional<GroupProgress> ahead_group)
    : catalogue_(catalogue),
      ledger_(ledger),
      index_(index),
      read_text_(std::move(read_text)),
      clock_(clock),
      random_(random),
      ahead_group_(std::move(ahead_group)) {}

Taken Corrections::review(std::vector<Message> messages) {
  const auto review = std::make_shared<Review>();
  for (const Message& message : messages) {
    std::int64_t& next = review->behind_them[message.from];
    next = std::max(next, message.offset + 1);
  }
  review->messages = std::move(messages);
  review->give_up_at = clock_.monotonic() + kWaitForOtherGroup;
  return Taken{[this, review] { return is_over(*review); }};
}

bool Corrections::is_over(Review& review) {
  const Monotonic now = clock_.monotonic();
  if (now < review.again_at) return false;
  const bool shown_no_more = !ahead_group_ || ahead_group_->is_past(review.behind_them);
  if (!shown_no_more && now < review.give_up_at) return false;
  if (correct(review.messages)) return true;
  review.again_at = now + kCorrectAgain;
  return false;
}

Result<void> Corrections::correct(const std::vector<Message>& messages) {
  std::unordered_map<BoardId, Suspects> by_board;
  Validator validator(catalogue_, clock_.now(), random_);
  for (const Message& message : messages) {
    const auto submission = read_message(message, read_text_);
    if (!submission) continue;
    const auto target = validator.target_of(*submission);
    const auto player = PlayerId::parse(submission->player_id);
    const auto achieved_at = submission->achieved_at ? submission->achieved_at : submission->sent_at;
    if (!target || !player || !achieved_at || (*target)->board.rule == Rule::sum) continue;
    const auto points = to_scaled(submission->points, (*target)->record->definition.scale);
    const auto extra = leaderboards::pack_criteria((*target)->record->definition, submission->criteria);
    if (!points || !extra) continue;
    const leaderboards::Season unopened{(*target)->board.id.season, std::nullopt, std::nullopt};
    const leaderboards::Season& season = (*target)->opened != nullptr ? *(*target)->opened : unopened;
    for (const Board& board : boards_of((*target)->record->definition, season, clock_.now())) {
      if (!board.span.contains(*achieved_at)) continue;
      Suspects& suspects = by_board.try_emplace(board.id, Suspects{board, {}, {}}).first->second;
      suspects.players.push_back(*player);
      suspects.standings.push_back({*points, kept_time(board, *achieved_at), *extra});
    }
  }
  for (const auto& [id, suspects] : by_board) {
    const auto wrong = shown_wrongly(index_, suspects);
    Result<void> corrected = wrong.map([](const auto&) {});
    if (wrong && !wrong->empty()) corrected = recount(ledger_, index_, suspects.board, *wrong);
    if (auto done = unless_lost(index_, suspects.board, corrected); !done) return done;
  }
  return {};
}

}  // namespace scoreline::ingest
