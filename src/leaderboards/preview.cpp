#include "leaderboards/preview.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "leaderboards/archived_board.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/recount.h"
#include "leaderboards/season_boards.h"

namespace scoreline::leaderboards {
namespace {

using ordered::RankKey;

/// Never below 0: over a shared index the board may have changed between two looks.
std::uint64_t less(std::uint64_t from, std::uint64_t count) { return from - std::min(from, count); }

/// Somebody's place on the board as it is, and as it would be.
struct Move {
  PlayerId player;
  std::optional<Entry> before;
  std::optional<Standing> after;
  // How many of those who do not move are ahead.
  std::uint64_t still_before = 0;
  std::uint64_t still_after = 0;
};

/// One board with some players moved, counted from the board without moving them.
class MovedBoard {
 public:
  MovedBoard(const BoardReader& reader, const Board& board) : reader_(reader), board_(board), codec_(board) {}

  /// Without players where nobody's standing would be another one.
  Result<PreviewedBoard> preview(const CountedBoard& counted, std::span<const PlayerId> players);

 private:
  Result<void> read_moves(const CountedBoard& counted, std::span<const PlayerId> players);
  Result<void> place_moves();
  void count_others(PreviewedBoard& to) const;
  Result<Entry> entry_after(const Move& move) const;
  Result<std::uint64_t> shared_rank_of(const Standing& standing) const;
  Result<std::uint64_t> dense_rank_of(const Standing& standing) const;

  /// How many are ahead of a place on the board as it is.
  Result<std::uint64_t> ahead_of(const Standing& standing, const PlayerId& player) const;
  enum class End : std::uint8_t { first, last };
  /// The last entry before the first, or the last, place that anybody could have in a class.
  Result<Page> before_class(RankKey key_class, End end) const;
  Result<std::uint64_t> size_of(RankKey key_class) const;

  RankKey class_of(const Standing& standing) const { return codec_.class_of(codec_.encode_valid(standing)); }
  bool is_descending() const { return board_.order == Order::descending; }
  bool is_ahead(RankKey one, RankKey other) const { return is_descending() ? other < one : one < other; }
  bool is_ahead(const Standing& one, const PlayerId& of_one, const Standing& other, const PlayerId& of_other) const;
  std::uint64_t movers(const std::function<bool(const Standing&, const PlayerId&)>& is_meant, bool after) const;

  const BoardReader& reader_;
  const Board& board_;
  RankKeyCodec codec_;
  std::vector<Move> moves_;
  std::uint64_t players_ = 0;
};

bool MovedBoard::is_ahead(const Standing& one, const PlayerId& of_one, const Standing& other,
                          const PlayerId& of_other) const {
  const RankKey x = codec_.encode_valid(one), y = codec_.encode_valid(other);
  if (x != y) return is_ahead(x, y);
  return is_descending() ? of_other < of_one : of_one < of_other;
}

/// How many of those who move are meant, where they are or where they would be.
std::uint64_t MovedBoard::movers(const std::function<bool(const Standing&, const PlayerId&)>& is_meant,
                                 bool after) const {
  return static_cast<std::uint64_t>(std::count_if(moves_.begin(), moves_.end(), [&](const Move& move) {
    if (after) return move.after && is_meant(*move.after, move.player);
    return move.before && is_meant(move.before->standing, move.player);
  }));
}

Result<std::uint64_t> MovedBoard::ahead_of(const Standing& standing, const PlayerId& player) const {
  return reader_.range_before(board_, player, standing, 1).map([](const Page& page) { return page.first_position; });
}

Result<Page> MovedBoard::before_class(RankKey key_class, End end) const {
  const bool is_least = is_descending() == (end == End::last);
  const auto beyond = codec_.end_of(key_class);
  const RankKey greatest{beyond ? beyond->value - 1 : ~ordered::Uint128{0}};
  // No id is empty, and none has this byte.
  const PlayerId player = PlayerId::trusted(is_least ? "" : "\xFF");
  Standing edge = codec_.decode(is_least ? codec_.first_of(key_class) : greatest);
  // Keys have room for times that nobody can have.
  edge.achieved_at = std::clamp(edge.achieved_at, kMinTimestamp, kMaxTimestamp);
  return reader_.range_before(board_, player, edge, 1);
}

Result<std::uint64_t> MovedBoard::size_of(RankKey key_class) const {
  const auto first = before_class(key_class, End::first);
  if (!first) return fail(first.error());
  return before_class(key_class, End::last).map([&](const Page& page) {
    return less(page.first_position, first->first_position);
  });
}

Result<void> MovedBoard::read_moves(const CountedBoard& counted, std::span<const PlayerId> players) {
  auto entries = reader_.ranks_of(board_, players);
  if (!entries) return fail(std::move(entries).error());
  for (std::size_t i = 0; i < players.size(); ++i) {
    Move move{players[i], std::move((*entries)[i]), std::nullopt};
    if (const auto fold = counted.players.find(players[i].text()); fold != counted.players.end()) {
      move.after = fold->second.standing();
      if (move.after) move.after->achieved_at = kept_time(board_, move.after->achieved_at);
    }
    const bool stays = move.before ? move.after == move.before->standing : !move.after;
    if (!stays) moves_.push_back(std::move(move));
  }
  return {};
}

Result<void> MovedBoard::place_moves() {
  const auto still_ahead = [&](const Standing& standing, const PlayerId& player) -> Result<std::uint64_t> {
    const auto ahead = ahead_of(standing, player);
    if (!ahead) return ahead;
    const std::uint64_t moving = movers(
        [&](const Standing& other, const PlayerId& of_other) { return is_ahead(other, of_other, standing, player); },
        false);
    return less(*ahead, moving);
  };
  for (Move& move : moves_) {
    if (move.before) {
      const auto ahead = still_ahead(move.before->standing, move.player);
      if (!ahead) return fail(ahead.error());
      move.still_before = *ahead;
    }
    if (move.after) {
      const auto ahead = still_ahead(*move.after, move.player);
      if (!ahead) return fail(ahead.error());
      move.still_after = *ahead;
    }
  }
  return {};
}

void MovedBoard::count_others(PreviewedBoard& to) const {
  const std::uint64_t still = less(players_, movers([](const auto&, const auto&) { return true; }, false));
  // From which of the still ones on, in board order, one more is ahead than before, or one less.
  std::vector<std::pair<std::uint64_t, int>> steps;
  for (const Move& move : moves_) {
    if (move.before) steps.emplace_back(move.still_before, +1);
    if (move.after) steps.emplace_back(move.still_after, -1);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t gained = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    gained += steps[i].second;
    const std::uint64_t until = i + 1 < steps.size() ? steps[i + 1].first : still;
    const std::uint64_t length = less(until, steps[i].first);
    if (gained > 0) to.moving_up += length;
    if (gained < 0) to.moving_down += length;
  }
}

Result<std::uint64_t> MovedBoard::shared_rank_of(const Standing& standing) const {
  const RankKey own = class_of(standing);
  const auto before = before_class(own, End::first);
  if (!before) return fail(before.error());
  const auto is_better = [&](const Standing& other, const PlayerId&) { return is_ahead(class_of(other), own); };
  return less(before->first_position, movers(is_better, false)) + movers(is_better, true) + 1;
}

Result<std::uint64_t> MovedBoard::dense_rank_of(const Standing& standing) const {
  const RankKey own = class_of(standing);
  const auto before = before_class(own, End::first);
  if (!before) return fail(before.error());
  std::uint64_t better = before->entries.empty() ? 0 : before->entries.front().rank;
  std::vector<RankKey> touched;  // better classes that somebody joins or leaves
  for (const Move& move : moves_) {
    if (move.before) touched.push_back(class_of(move.before->standing));
    if (move.after) touched.push_back(class_of(*move.after));
  }
  std::sort(touched.begin(), touched.end(), [](RankKey a, RankKey b) { return a < b; });
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const RankKey each : touched) {
    if (!is_ahead(each, own)) continue;
    const auto had = size_of(each);
    if (!had) return fail(had.error());
    const auto is_in = [&](const Standing& other, const PlayerId&) { return class_of(other) == each; };
    const std::uint64_t has = less(*had, movers(is_in, false)) + movers(is_in, true);
    if (*had > 0 && has == 0) --better;
    if (*had == 0 && has > 0) ++better;
  }
  return better + 1;
}

Result<Entry> MovedBoard::entry_after(const Move& move) const {
  const auto is_before = [&](const Standing& other, const PlayerId& of_other) {
    return is_ahead(other, of_other, *move.after, move.player);
  };
  Result<std::uint64_t> rank = move.still_after + movers(is_before, true) + 1;
  if (board_.ties == Ties::shared) rank = shared_rank_of(*move.after);
  if (board_.ties == Ties::dense) rank = dense_rank_of(*move.after);
  return rank.map([&](std::uint64_t is) { return Entry{is, move.player, *move.after}; });
}

Result<PreviewedBoard> MovedBoard::preview(const CountedBoard& counted, std::span<const PlayerId> players) {
  PreviewedBoard to{.board = board_.id};
  if (auto read = read_moves(counted, players); !read) return fail(read.error());
  if (moves_.empty()) return to;
  const auto first = reader_.range(board_, 1, 1);
  if (!first) return fail(first.error());
  players_ = first->players;
  if (auto placed = place_moves(); !placed) return fail(placed.error());
  const auto everybody = [](const auto&, const auto&) { return true; };
  to.players_before = players_;
  to.players_after = less(players_, movers(everybody, false)) + movers(everybody, true);
  count_others(to);
  for (const Move& move : moves_) {
    PreviewedPlayer moved{move.player, move.before, std::nullopt};
    if (move.after) {
      auto entry = entry_after(move);
      if (!entry) return fail(std::move(entry).error());
      moved.after = *std::move(entry);
    }
    to.players.push_back(std::move(moved));
  }
  return to;
}

Result<Preview> preview_of(Ledger& ledger, const RankIndex& index, const LeaderboardRecord& record,
                           std::span<const PlayerId> players, Timestamp now,
                           const std::function<bool(const LedgerRow&)>& stays) {
  Preview preview;
  const auto boards = count_players(ledger, record, players, now, [&](const LedgerRow& row) {
    const bool kept = stays(row);
    if (!kept) ++preview.results;
    return kept;
  });
  if (!boards) return fail(boards.error());
  for (const auto& [season, counted] : *boards) {
    auto board = MovedBoard(index, counted.board).preview(counted, players);
    if (!board) return fail(std::move(board).error());
    if (!board->players.empty()) preview.boards.push_back(*std::move(board));
  }
  return preview;
}

}  // namespace

Result<Preview> preview_without(Ledger& ledger, const RankIndex& index, const LeaderboardRecord& record,
                                const PlayerId& player, Timestamp now) {
  auto preview = preview_of(ledger, index, record, {&player, 1}, now, [](const LedgerRow&) { return false; });
  if (!preview) return preview;
  for (const Season& season : record.seasons) {
    if (season.state != SeasonState::closed) continue;
    const ArchivedBoard archive(ledger.archives(), season);
    const auto place = archive.place_of(board_of(record.definition, season, Period{}), player);
    if (!place) return fail(place.error());
    if (*place) ++preview->archives;
  }
  return preview;
}

Result<Preview> preview_without(Ledger& ledger, const RankIndex& index, const LeaderboardRecord& record,
                                const Uuid& match, Timestamp now) {
  auto players = ledger.players_of_match(record.definition.name, match);
  if (!players) return fail(std::move(players).error());
  if (players->empty()) return fail(Code::not_found, "no result of this match is kept", "matchId");
  if (players->size() > kMaxEntries) return fail(Code::too_many, "had more than 1000 players", "matchId");
  std::sort(players->begin(), players->end());
  return preview_of(ledger, index, record, *players, now, [&](const LedgerRow& row) { return row.match_id != match; });
}

}  // namespace scoreline::leaderboards
