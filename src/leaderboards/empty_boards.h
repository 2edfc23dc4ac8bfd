// Boards that nobody has opened: no player on any of them.
#pragma once

#include "leaderboards/board_reader.h"

namespace scoreline::leaderboards {

class EmptyBoards : public BoardReader {
 public:
  Result<Page> range(const Board&, std::uint64_t, std::size_t) const override { return Page{}; }
  Result<Page> range_after(const Board&, const PlayerId&, const Standing&, std::size_t) const override {
    return Page{};
  }
  Result<Page> range_before(const Board&, const PlayerId&, const Standing&, std::size_t) const override {
    return Page{};
  }
  Result<PointsPage> range_by_points(const Board&, PointsRange, std::size_t) const override { return PointsPage{}; }
  Result<PointsCounts> counts_above(const Board&, std::span<const std::int64_t> points) const override {
    return PointsCounts{0, std::vector<std::uint64_t>(points.size())};
  }
  Result<EntriesAt> entries_at(const Board&, std::span<const std::uint64_t> numbers, By) const override {
    return EntriesAt{0, std::vector<std::optional<Entry>>(numbers.size())};
  }
  Result<std::optional<Place>> place_of(const Board&, const PlayerId&) const override { return std::nullopt; }
  Result<Page> around(const Board&, const PlayerId&, std::size_t) const override { return Page{}; }
  Result<std::vector<std::optional<Entry>>> ranks_of(const Board&, std::span<const PlayerId> players) const override {
    return std::vector<std::optional<Entry>>(players.size());
  }
  Result<std::uint64_t> version(const Board&) const override { return 0; }
  std::optional<std::uint64_t> known_version(const Board&) const override { return 0; }
};

}  // namespace scoreline::leaderboards
