// A shared index as the tests of every index use one: a board that is not loaded is loaded empty the first time it is
// touched, as the service would.
//
// Thread safety: as the index; two threads may both find a board unloaded, and one of them then gets a conflict.
#pragma once

#include <memory>
#include <utility>

#include "leaderboards/rank_index.h"

namespace scoreline::test {

class LoadedIndex final : public leaderboards::RankIndex {
 public:
  explicit LoadedIndex(std::shared_ptr<leaderboards::RankIndex> index) : index_(std::move(index)) {}

  Result<std::vector<leaderboards::Applied>> apply(const leaderboards::Board& board,
                                                   std::span<const leaderboards::Offer> offers,
                                                   leaderboards::Ranks ranks) override {
    return loaded(board).and_then([&] { return index_->apply(board, offers, ranks); });
  }
  Result<std::vector<std::optional<leaderboards::Standing>>> standings(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override {
    return loaded(board).and_then([&] { return index_->standings(board, players); });
  }
  Result<leaderboards::Page> range(const leaderboards::Board& board, std::uint64_t first,
                                   std::size_t limit) const override {
    return loaded(board).and_then([&] { return index_->range(board, first, limit); });
  }
  Result<leaderboards::Page> range_after(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                         const leaderboards::Standing& standing, std::size_t limit) const override {
    return loaded(board).and_then([&] { return index_->range_after(board, player, standing, limit); });
  }
  Result<leaderboards::Page> range_before(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                          const leaderboards::Standing& standing, std::size_t limit) const override {
    return loaded(board).and_then([&] { return index_->range_before(board, player, standing, limit); });
  }
  Result<leaderboards::PointsPage> range_by_points(const leaderboards::Board& board, leaderboards::PointsRange points,
                                                   std::size_t limit) const override {
    return loaded(board).and_then([&] { return index_->range_by_points(board, points, limit); });
  }
  Result<leaderboards::PointsCounts> counts_above(const leaderboards::Board& board,
                                                  std::span<const std::int64_t> points) const override {
    return loaded(board).and_then([&] { return index_->counts_above(board, points); });
  }
  Result<leaderboards::EntriesAt> entries_at(const leaderboards::Board& board, std::span<const std::uint64_t> numbers,
                                             leaderboards::By by) const override {
    return loaded(board).and_then([&] { return index_->entries_at(board, numbers, by); });
  }
  Result<std::optional<leaderboards::Place>> place_of(const leaderboards::Board& board,
                                                      const leaderboards::PlayerId& player) const override {
    return loaded(board).and_then([&] { return index_->place_of(board, player); });
  }
  Result<leaderboards::Page> around(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                    std::size_t radius) const override {
    return loaded(board).and_then([&] { return index_->around(board, player, radius); });
  }
  Result<std::vector<std::optional<leaderboards::Entry>>> ranks_of(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override {
    return loaded(board).and_then([&] { return index_->ranks_of(board, players); });
  }
  Result<std::uint64_t> erase(const leaderboards::Board& board,
                              std::span<const leaderboards::PlayerId> players) override {
    return loaded(board).and_then([&] { return index_->erase(board, players); });
  }
  Result<void> begin_load(const leaderboards::Board& board) override { return index_->begin_load(board); }
  Result<void> load(const leaderboards::Board& board, std::uint64_t expected,
                    const std::function<std::optional<leaderboards::Offer>()>& next) override {
    return index_->load(board, expected, next);
  }
  void abandon_load(const leaderboards::Board& board) override { index_->abandon_load(board); }
  Result<void> drop(const leaderboards::Board& board) override { return index_->drop(board); }
  Result<std::uint64_t> version(const leaderboards::Board& board) const override {
    return loaded(board).and_then([&] { return index_->version(board); });
  }
  std::optional<std::uint64_t> known_version(const leaderboards::Board& board) const override {
    return index_->known_version(board);
  }
  Result<bool> is_loaded(const leaderboards::Board& board) const override { return index_->is_loaded(board); }
  bool exclusive() const override { return index_->exclusive(); }

 private:
  Result<void> loaded(const leaderboards::Board& board) const {
    const auto is_loaded = index_->is_loaded(board);
    if (!is_loaded) return fail(is_loaded.error());
    if (*is_loaded) return {};
    return index_->begin_load(board).and_then([&] { return index_->load(board, 0, [] { return std::nullopt; }); });
  }

  std::shared_ptr<leaderboards::RankIndex> index_;
};

}  // namespace scoreline::test
