// The rank index of the embedded engine: every board a RankTree in this process.
//
// Thread safety: as the port says. One lock a board, held for one call: at most 1,000 entries read, or one batch
// applied; `load` builds aside and holds it for a swap and the last of what changed meanwhile. Another lock guards the
// table of boards and is held only to find one.
// Invariants: a board is in the table only once a result counted on it, so that reads of seasons that nobody played
// cost no memory.
// Cost: a few hundred bytes a board, then as RankTree.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

#include "leaderboards/rank_index.h"

namespace scoreline::memory {

class MemoryRankIndex : public leaderboards::RankIndex {
 public:
  /// `hash_seed`: random, so that nobody can choose player ids that collide.
  explicit MemoryRankIndex(std::uint64_t hash_seed);
  ~MemoryRankIndex() override;

  Result<std::vector<leaderboards::Applied>> apply(const leaderboards::Board& board,
                                                   std::span<const leaderboards::Offer> offers,
                                                   leaderboards::Ranks ranks) override;
  Result<std::vector<std::optional<leaderboards::Standing>>> standings(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override;
  Result<leaderboards::Page> range(const leaderboards::Board& board, std::uint64_t first,
                                   std::size_t limit) const override;
  Result<leaderboards::Page> range_after(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                         const leaderboards::Standing& standing, std::size_t limit) const override;
  Result<leaderboards::Page> range_before(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                          const leaderboards::Standing& standing, std::size_t limit) const override;
  Result<leaderboards::PointsPage> range_by_points(const leaderboards::Board& board, leaderboards::PointsRange points,
                                                   std::size_t limit) const override;
  Result<leaderboards::PointsCounts> counts_above(const leaderboards::Board& board,
                                                  std::span<const std::int64_t> points) const override;
  Result<leaderboards::EntriesAt> entries_at(const leaderboards::Board& board, std::span<const std::uint64_t> numbers,
                                             leaderboards::By by) const override;
  Result<std::optional<leaderboards::Place>> place_of(const leaderboards::Board& board,
                                                      const leaderboards::PlayerId& player) const override;
  Result<leaderboards::Page> around(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                    std::size_t radius) const override;
  Result<std::vector<std::optional<leaderboards::Entry>>> ranks_of(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override;
  Result<std::uint64_t> erase(const leaderboards::Board& board,
                              std::span<const leaderboards::PlayerId> players) override;
  Result<void> begin_load(const leaderboards::Board& board) override;
  Result<void> load(const leaderboards::Board& board, std::uint64_t expected,
                    const std::function<std::optional<leaderboards::Offer>()>& next) override;
  void abandon_load(const leaderboards::Board& board) override;
  Result<void> drop(const leaderboards::Board& board) override;
  void drop_unless(const std::function<bool(const leaderboards::BoardId&)>& is_kept) override;
  Result<std::uint64_t> version(const leaderboards::Board& board) const override;
  std::optional<std::uint64_t> known_version(const leaderboards::Board& board) const override;
  Result<bool> is_loaded(const leaderboards::Board&) const override { return true; }
  bool exclusive() const override { return true; }

  /// How many boards take memory.
  std::size_t boards() const;

 private:
  struct Ranked;

  std::shared_ptr<Ranked> find(const leaderboards::Board& board) const;
  std::shared_ptr<Ranked> find_or_make(const leaderboards::Board& board);
  std::uint64_t next_version() { return versions_.fetch_add(1, std::memory_order_relaxed) + 1; }

  std::uint64_t hash_seed_;
  std::atomic<std::uint64_t> versions_{0};
  mutable std::shared_mutex table_mutex_;
  std::unordered_map<leaderboards::BoardId, std::shared_ptr<Ranked>> table_;
  std::unordered_set<leaderboards::BoardId> loading_;  // guarded by table_mutex_
};

}  // namespace scoreline::memory
