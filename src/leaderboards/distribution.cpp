#include "leaderboards/distribution.h"

#include <algorithm>
#include <array>
#include <span>

namespace scoreline::leaderboards {
namespace {

constexpr std::array kPercents = {99, 95, 90, 75, 50, 25};

/// Where the last one stands who is level with or ahead of this share: 100·(players − above) / players ≥ percent.
std::uint64_t position_of(int percent, std::uint64_t players) {
  const auto rest = static_cast<std::uint64_t>(100 - percent);
  return players / 100 * rest + players % 100 * rest / 100 + 1;
}

/// Equal widths from low to high, both included.
std::vector<PointsRange> ranges_of(std::int64_t low, std::int64_t high, std::size_t buckets) {
  const std::uint64_t span =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);  // one less than values
  const std::uint64_t width = span / buckets + 1;
  std::vector<PointsRange> ranges;
  for (std::uint64_t from = 0;; from += width) {
    const std::uint64_t last = span - from < width ? span : from + width - 1;
    ranges.push_back({static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + from),
                      static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + last)});
    if (last == span) return ranges;
  }
}

}  // namespace

Result<RankHolder> holder_of(const BoardReader& reader, const Board& board, const Definition& definition,
                             std::uint64_t rank) {
  auto found = reader.entries_at(board, std::span(&rank, 1), By::rank);
  if (!found) return fail(std::move(found).error());
  RankHolder holder{found->players, std::move(found->entries.front()), std::nullopt};
  if (!holder.entry) return holder;
  const std::int64_t points = holder.entry->standing.points;
  if (board.ties != Ties::first && !board.has_criteria()) {
    holder.points_to_reach = points;
  } else if (board.order == Order::descending) {
    if (points < most_points(definition)) holder.points_to_reach = points + 1;
  } else if (points > definition.min_points) {
    holder.points_to_reach = points - 1;
  }
  return holder;
}

Result<Distribution> distribution_of(const BoardReader& reader, const Board& board, std::size_t buckets) {
  const auto first = reader.range(board, 1, 1);
  if (!first) return fail(first.error());
  if (first->entries.empty()) return Distribution{};
  std::vector<std::uint64_t> positions = {1, first->players};
  for (const int percent : kPercents) positions.push_back(position_of(percent, first->players));
  const auto found = reader.entries_at(board, positions, By::position);
  if (!found) return fail(found.error());
  // Who left in between is at the end; then the first one is as good a bound as any.
  const auto points_at = [&](std::size_t i) {
    return found->entries[i] ? found->entries[i]->standing.points : first->entries.front().standing.points;
  };
  Distribution distribution;
  for (std::size_t i = 0; i < kPercents.size(); ++i) distribution.cuts.push_back({kPercents[i], points_at(i + 2)});

  const auto ranges = ranges_of(std::min(points_at(0), points_at(1)), std::max(points_at(0), points_at(1)), buckets);
  const bool descending = board.order == Order::descending;
  // Of each range but the first: who has at least its lowest points, or on ascending boards who has less.
  std::vector<std::int64_t> bounds;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    bounds.push_back(descending ? ranges[i].low - 1 : ranges[i].low);
  }
  const auto counts = reader.counts_above(board, bounds);
  if (!counts) return fail(counts.error());
  distribution.players = counts->players;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::uint64_t until = counts->players;
    if (i + 1 < ranges.size()) until = descending ? counts->players - counts->above[i] : counts->above[i];
    distribution.buckets.push_back({ranges[i], until - below});
    below = until;
  }
  return distribution;
}

}  // namespace scoreline::leaderboards
