#include "leaderboards/archived_board.h"

#include <algorithm>
#include <utility>

#include "leaderboards/rank_key_codec.h"

namespace scoreline::leaderboards {
namespace {

/// Above all that live boards count to, so that a page kept of the live board is not taken for one of the archive.
constexpr std::uint64_t kFirstVersion = std::uint64_t{1} << 63;

}  // namespace

Result<Page> ArchivedBoard::range(const Board& board, std::uint64_t first, std::size_t limit) const {
  Page page{players_, {}};
  auto lines = archives_.read(board.id.leaderboard, board.id.season, first, limit);
  if (!lines) return fail(std::move(lines).error());
  page.first_position = first;
  page.entries.reserve(lines->size());
  for (ArchivedEntry& line : *lines) page.entries.push_back(std::move(line.entry));
  return page;
}

Result<std::optional<ArchivedEntry>> ArchivedBoard::find(const Board& board, const PlayerId& player) const {
  return archives_.find(board.id.leaderboard, board.id.season, {&player, 1}).map([](auto found) {
    return std::move(found.front());
  });
}

Result<std::uint64_t> ArchivedBoard::first_where(const Board& board,
                                                 const std::function<bool(const Entry&)>& fits) const {
  std::uint64_t from = 1, to = players_ + 1;  // the answer lies within
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    const auto line = archives_.read(board.id.leaderboard, board.id.season, middle, 1);
    if (!line) return fail(line.error());
    if (line->empty() || fits(line->front().entry)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

Result<std::uint64_t> ArchivedBoard::position_after(const Board& board, const PlayerId& player,
                                                    const Standing& standing) const {
  const auto kept = find(board, player);
  if (!kept) return fail(kept.error());
  if (*kept && (*kept)->entry.standing == standing) return (*kept)->position + 1;
  const RankKeyCodec codec(board);
  const auto key = codec.encode(standing);
  if (!key) return fail(key.error());
  const bool descending = board.order == Order::descending;
  const auto comes_after = [&](const Entry& entry) {
    const ordered::RankKey other = codec.encode_valid(entry.standing);
    if (other != *key) return descending ? other < *key : other > *key;
    return descending ? entry.player < player : entry.player > player;
  };
  return first_where(board, comes_after);
}

Result<Page> ArchivedBoard::range_after(const Board& board, const PlayerId& player, const Standing& standing,
                                        std::size_t limit) const {
  return position_after(board, player, standing).and_then([&](std::uint64_t first) {
    return range(board, first, limit);
  });
}

Result<Page> ArchivedBoard::range_before(const Board& board, const PlayerId& player, const Standing& standing,
                                         std::size_t limit) const {
  const auto kept = find(board, player);
  if (!kept) return fail(kept.error());
  const bool stands_there = *kept && (*kept)->entry.standing == standing;
  const auto place = stands_there ? Result<std::uint64_t>((*kept)->position) : position_after(board, player, standing);
  if (!place) return fail(place.error());
  const std::uint64_t first = *place > limit ? *place - limit : 1;
  return range(board, first, static_cast<std::size_t>(*place - first));
}

Result<PointsPage> ArchivedBoard::range_by_points(const Board& board, PointsRange points, std::size_t limit) const {
  const bool descending = board.order == Order::descending;
  const auto is_in_or_after = [&](const Entry& entry) {
    return descending ? entry.standing.points <= points.high : entry.standing.points >= points.low;
  };
  const auto is_after = [&](const Entry& entry) {
    return descending ? entry.standing.points < points.low : entry.standing.points > points.high;
  };
  const auto first = first_where(board, is_in_or_after);
  if (!first) return fail(first.error());
  const auto end = first_where(board, is_after);
  if (!end) return fail(end.error());
  const std::uint64_t count = *end > *first ? *end - *first : 0;
  if (count == 0 || limit == 0) return PointsPage{Page{players_, {}}, count};
  auto page = range(board, *first, static_cast<std::size_t>(std::min<std::uint64_t>(limit, count)));
  if (!page) return fail(std::move(page).error());
  return PointsPage{*std::move(page), count};
}

Result<PointsCounts> ArchivedBoard::counts_above(const Board& board, std::span<const std::int64_t> points) const {
  PointsCounts counts{players_, {}};
  for (const std::int64_t each : points) {
    const auto first = first_where(board, [&](const Entry& entry) {
      return board.order == Order::descending ? entry.standing.points <= each : entry.standing.points >= each;
    });
    if (!first) return fail(first.error());
    counts.above.push_back(*first - 1);
  }
  return counts;
}

Result<EntriesAt> ArchivedBoard::entries_at(const Board& board, std::span<const std::uint64_t> numbers, By by) const {
  EntriesAt at{players_, {}};
  for (const std::uint64_t number : numbers) {
    Result<std::uint64_t> position = number;
    if (by == By::rank && board.ties == Ties::dense) {
      position = first_where(board, [&](const Entry& entry) { return entry.rank >= number; });
    }
    if (!position) return fail(position.error());
    auto lines = archives_.read(board.id.leaderboard, board.id.season, *position, 1);
    if (!lines) return fail(std::move(lines).error());
    at.entries.push_back(lines->empty() ? std::nullopt : std::optional(std::move(lines->front().entry)));
  }
  return at;
}

Result<std::optional<Place>> ArchivedBoard::place_of(const Board& board, const PlayerId& player) const {
  auto line = find(board, player);
  if (!line) return fail(std::move(line).error());
  if (!*line) return std::nullopt;
  Place place{std::move((*line)->entry), players_, 0};
  place.above = place.entry.rank - 1;
  if (board.ties == Ties::dense) {
    const auto first = first_where(board, [&](const Entry& entry) { return entry.rank >= place.entry.rank; });
    if (!first) return fail(first.error());
    place.above = *first - 1;
  }
  return place;
}

Result<Page> ArchivedBoard::around(const Board& board, const PlayerId& player, std::size_t radius) const {
  const auto line = find(board, player);
  if (!line) return fail(line.error());
  if (!*line) return Page{players_, {}};
  const std::uint64_t at = (*line)->position;
  const std::uint64_t first = at > radius ? at - radius : 1;
  return range(board, first, static_cast<std::size_t>(at - first) + radius + 1);
}

Result<std::vector<std::optional<Entry>>> ArchivedBoard::ranks_of(const Board& board,
                                                                  std::span<const PlayerId> players) const {
  auto lines = archives_.find(board.id.leaderboard, board.id.season, players);
  if (!lines) return fail(std::move(lines).error());
  std::vector<std::optional<Entry>> entries(players.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto& line = (*lines)[i]) entries[i] = std::move(line->entry);
  }
  return entries;
}

Result<std::uint64_t> ArchivedBoard::version(const Board& board) const { return *known_version(board); }

std::optional<std::uint64_t> ArchivedBoard::known_version(const Board& /*board*/) const {
  return kFirstVersion + anonymous_;
}

}  // namespace scoreline::leaderboards
