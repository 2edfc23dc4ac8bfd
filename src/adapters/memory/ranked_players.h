// The players of one board in memory: a RankTree, and with ties `dense` the distinct criteria beside it.
//
// Thread safety: none inside; MemoryRankIndex holds a board's lock around every call.
// Invariants: `classes_` has exactly the classes (all of a key but its time) that some player's key is of.
// Cost: as RankTree. Where equals share ranks a rank is one or two searches more; with ties `dense` each distinct value
// of the criteria costs about what a player with a 16-byte id does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leaderboards/board_reader.h"
#include "leaderboards/rank_key_codec.h"
#include "ordered/rank_tree.h"

namespace scoreline::memory {

class RankedPlayers {
 public:
  RankedPlayers(const leaderboards::Board& board, std::uint64_t hash_seed);

  std::uint64_t size() const { return tree_.size(); }
  const ordered::RankTree& tree() const { return tree_; }

  // Changes.

  /// As RankTree::modify.
  void modify(std::span<const std::string_view> players, ordered::RankTree::Decide decide);
  bool erase(std::string_view player);
  void upsert(std::string_view player, ordered::RankKey key);

  // Reads.

  /// Where a player stands: `place.entry.player` is left to the caller.
  struct Stand {
    std::uint64_t rank = 0;   ///< from 1
    std::uint64_t above = 0;  ///< players ranked above
  };
  Stand stand(const ordered::Position& position) const;
  /// The ranks of many, nullopt where absent.
  void ranks_of(std::span<const std::string_view> players, std::span<std::optional<std::uint64_t>> ranks) const;

  /// `limit` entries, `skip` of them first passed over in reading order.
  void read(std::uint64_t skip, std::uint64_t limit, leaderboards::Page& page) const;
  /// How many stand before a place in reading order, and how many before it or at it.
  std::uint64_t before(ordered::RankKey key, std::string_view player) const;
  std::uint64_t until(ordered::RankKey key, std::string_view player) const;
  /// How many have better points.
  std::uint64_t above(std::int64_t points) const;
  /// How many have no better ones.
  std::uint64_t until(std::int64_t points) const;
  /// How many stand before the first player of this number.
  std::optional<std::uint64_t> before(std::uint64_t number, leaderboards::By by) const;

  /// Fills one from a stream sorted by key and then id, both ascending.
  class Builder;

 private:
  bool descending() const { return order_ == leaderboards::Order::descending; }
  ordered::Direction direction() const;
  /// How many have lower points.
  std::uint64_t lower(std::int64_t points) const;
  /// How many stand before the first of the class.
  std::uint64_t above_class(ordered::RankKey key_class) const;
  std::uint64_t rank_of_class(ordered::RankKey key_class, std::uint64_t above) const;
  bool is_empty(ordered::RankKey key_class) const;
  void join(ordered::RankKey key_class);
  void leave(ordered::RankKey key_class);

  leaderboards::RankKeyCodec codec_;
  leaderboards::Order order_;
  leaderboards::Ties ties_;
  bool shares_ranks_;
  ordered::RankTree tree_;
  std::optional<ordered::RankTree> classes_;  // with ties `dense`; by class, the member being its bytes
};

class RankedPlayers::Builder {
 public:
  Builder(const leaderboards::Board& board, std::uint64_t hash_seed, std::uint64_t expected);
  void add(std::string_view player, ordered::RankKey key);
  RankedPlayers finish() &&;

 private:
  RankedPlayers made_;
  ordered::RankTree::Builder players_;
  ordered::RankTree::Builder classes_;
  std::optional<ordered::RankKey> last_class_;
};

}  // namespace scoreline::memory
