// The board of a closed season, answered from its archive.
//
// Thread safety: as a plain value over Archives, which must outlive it. Cost: one or two look-ups a read; what goes
// by points, and a cursor whose player was erased, costs one for each halving of the archive.
#pragma once

#include <functional>

#include "leaderboards/archives.h"
#include "leaderboards/board_reader.h"

namespace scoreline::leaderboards {

class ArchivedBoard final : public BoardReader {
 public:
  /// `season`: a closed one.
  ArchivedBoard(const Archives& archives, const Season& season)
      : archives_(archives), players_(season.players), anonymous_(season.anonymous) {}

  Result<Page> range(const Board& board, std::uint64_t first, std::size_t limit) const override;
  Result<Page> range_after(const Board& board, const PlayerId& player, const Standing& standing,
                           std::size_t limit) const override;
  Result<Page> range_before(const Board& board, const PlayerId& player, const Standing& standing,
                            std::size_t limit) const override;
  Result<PointsPage> range_by_points(const Board& board, PointsRange points, std::size_t limit) const override;
  Result<PointsCounts> counts_above(const Board& board, std::span<const std::int64_t> points) const override;
  Result<EntriesAt> entries_at(const Board& board, std::span<const std::uint64_t> numbers, By by) const override;
  Result<std::optional<Place>> place_of(const Board& board, const PlayerId& player) const override;
  Result<Page> around(const Board& board, const PlayerId& player, std::size_t radius) const override;
  Result<std::vector<std::optional<Entry>>> ranks_of(const Board& board,
                                                     std::span<const PlayerId> players) const override;
  Result<std::uint64_t> version(const Board& board) const override;
  std::optional<std::uint64_t> known_version(const Board& board) const override;

 private:
  Result<std::optional<ArchivedEntry>> find(const Board& board, const PlayerId& player) const;
  /// The first position whose entry `fits`, where all that follow it fit too; players_ + 1 when none does.
  Result<std::uint64_t> first_where(const Board& board, const std::function<bool(const Entry&)>& fits) const;
  /// The first position that comes after (standing, player); players_ + 1 when none does.
  Result<std::uint64_t> position_after(const Board& board, const PlayerId& player, const Standing& standing) const;

  const Archives& archives_;
  const std::uint64_t players_;
  const std::uint64_t anonymous_;
};

}  // namespace scoreline::leaderboards
