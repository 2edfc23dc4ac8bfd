#include "adapters/memory/ranked_players.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace scoreline::memory {

using leaderboards::Board;
using leaderboards::By;
using leaderboards::Order;
using leaderboards::Page;
using leaderboards::PlayerId;
using leaderboards::Ties;
using ordered::Direction;
using ordered::Position;
using ordered::RankKey;
using ordered::RankTree;

namespace {

using ClassBytes = std::array<char, 16>;

ClassBytes bytes_of(RankKey key_class) {
  ClassBytes bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<std::uint8_t>(key_class.value >> (8 * (bytes.size() - 1 - i))));
  }
  return bytes;
}

std::string_view view(const ClassBytes& bytes) { return {bytes.data(), bytes.size()}; }

/// The smallest text above this one.
std::string after(std::string_view player) { return std::string(player) + '\0'; }

}  // namespace

RankedPlayers::RankedPlayers(const Board& board, std::uint64_t hash_seed)
    : codec_(board), order_(board.order), ties_(board.ties), shares_ranks_(board.shares_ranks()), tree_(hash_seed) {
  if (ties_ == Ties::dense) classes_.emplace(hash_seed);
}

Direction RankedPlayers::direction() const { return descending() ? Direction::descending : Direction::ascending; }

void RankedPlayers::modify(std::span<const std::string_view> players, RankTree::Decide decide) {
  if (!classes_) return tree_.modify(players, decide);
  std::vector<RankKey> left, joined;
  tree_.modify(players, [&](std::size_t i, std::optional<RankKey> current) {
    const auto key = decide(i, current);
    if (!key) return key;
    if (current) left.push_back(codec_.class_of(*current));
    joined.push_back(codec_.class_of(*key));
    return key;
  });
  for (const RankKey key_class : joined) join(key_class);
  for (const RankKey key_class : left) leave(key_class);
}

void RankedPlayers::upsert(std::string_view player, RankKey key) {
  const auto was = tree_.upsert(player, key);
  if (!classes_) return;
  join(codec_.class_of(key));
  if (was) leave(codec_.class_of(*was));
}

bool RankedPlayers::erase(std::string_view player) {
  if (!classes_) return tree_.erase(player);
  const auto was = tree_.key_of(player);
  if (!was) return false;
  tree_.erase(player);
  leave(codec_.class_of(*was));
  return true;
}

void RankedPlayers::join(RankKey key_class) { classes_->upsert(view(bytes_of(key_class)), key_class); }

void RankedPlayers::leave(RankKey key_class) {
  if (is_empty(key_class)) classes_->erase(view(bytes_of(key_class)));
}

bool RankedPlayers::is_empty(RankKey key_class) const {
  const auto end = codec_.end_of(key_class);
  return (end ? tree_.count_below(*end) : tree_.size()) == tree_.count_below(codec_.first_of(key_class));
}

std::uint64_t RankedPlayers::above_class(RankKey key_class) const {
  if (!descending()) return tree_.count_below(codec_.first_of(key_class));
  const auto end = codec_.end_of(key_class);
  return end ? tree_.size() - tree_.count_below(*end) : 0;
}

std::uint64_t RankedPlayers::rank_of_class(RankKey key_class, std::uint64_t above) const {
  if (!classes_) return above + 1;
  const std::uint64_t lower = classes_->count_below(key_class);
  return descending() ? classes_->size() - lower : lower + 1;
}

RankedPlayers::Stand RankedPlayers::stand(const Position& position) const {
  if (!shares_ranks_) {
    const std::uint64_t above = descending() ? tree_.size() - position.rank - 1 : position.rank;
    return {above + 1, above};
  }
  const RankKey key_class = codec_.class_of(position.key);
  const std::uint64_t above = above_class(key_class);
  return {rank_of_class(key_class, above), above};
}

void RankedPlayers::ranks_of(std::span<const std::string_view> players,
                             std::span<std::optional<std::uint64_t>> ranks) const {
  if (shares_ranks_) {
    std::vector<std::optional<RankKey>> keys(players.size());
    tree_.keys_of(players, keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ranks[i] = keys[i] ? std::optional(stand({0, *keys[i]}).rank) : std::nullopt;
    }
    return;
  }
  tree_.ranks_of(players, ranks);
  const std::uint64_t size = tree_.size();
  for (auto& rank : ranks) {
    if (rank) rank = descending() ? size - *rank : *rank + 1;
  }
}

void RankedPlayers::read(std::uint64_t skip, std::uint64_t limit, Page& page) const {
  page.players = tree_.size();
  if (skip >= page.players || limit == 0) return;
  page.first_position = skip + 1;
  page.entries.reserve(std::min(limit, page.players - skip));
  std::vector<RankKey> keys;
  tree_.visit(skip, limit, direction(), [&](std::string_view player, RankKey key) {
    page.entries.push_back({++skip, PlayerId::trusted(std::string(player)), codec_.decode(key)});
    if (shares_ranks_) keys.push_back(codec_.class_of(key));
  });
  // Who begins the page may be level with players before it; from there on the page itself tells.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t& rank = page.entries[i].rank;
    if (i == 0) {
      rank = rank_of_class(keys[0], above_class(keys[0]));
    } else if (keys[i] == keys[i - 1]) {
      rank = page.entries[i - 1].rank;
    } else if (classes_) {
      rank = page.entries[i - 1].rank + 1;
    }
  }
}

std::uint64_t RankedPlayers::before(RankKey key, std::string_view player) const {
  return descending() ? tree_.size() - tree_.lower_bound_rank(key, after(player)) : tree_.lower_bound_rank(key, player);
}

std::uint64_t RankedPlayers::until(RankKey key, std::string_view player) const {
  return descending() ? tree_.size() - tree_.lower_bound_rank(key, player) : tree_.lower_bound_rank(key, after(player));
}

std::uint64_t RankedPlayers::lower(std::int64_t points) const {
  const auto key = codec_.least_key(points);
  return key ? tree_.count_below(*key) : tree_.size();
}

std::uint64_t RankedPlayers::above(std::int64_t points) const {
  if (!descending()) return lower(points);
  return points == std::numeric_limits<std::int64_t>::max() ? 0 : tree_.size() - lower(points + 1);
}

std::uint64_t RankedPlayers::until(std::int64_t points) const {
  if (descending()) return tree_.size() - lower(points);
  return points == std::numeric_limits<std::int64_t>::max() ? tree_.size() : lower(points + 1);
}

std::optional<std::uint64_t> RankedPlayers::before(std::uint64_t number, By by) const {
  if (!classes_ || by == By::position) return number <= tree_.size() ? std::optional(number - 1) : std::nullopt;
  std::optional<std::uint64_t> before;
  RankKey key_class;
  classes_->visit(number - 1, 1, direction(), [&](std::string_view, RankKey found) {
    key_class = found;
    before = 0;
  });
  return before ? std::optional(above_class(key_class)) : std::nullopt;
}

RankedPlayers::Builder::Builder(const Board& board, std::uint64_t hash_seed, std::uint64_t expected)
    : made_(board, hash_seed), players_(hash_seed, expected), classes_(hash_seed) {}

void RankedPlayers::Builder::add(std::string_view player, RankKey key) {
  players_.add(player, key);
  if (!made_.classes_) return;
  const RankKey key_class = made_.codec_.class_of(key);
  if (last_class_ == key_class) return;
  last_class_ = key_class;
  classes_.add(view(bytes_of(key_class)), key_class);
}

RankedPlayers RankedPlayers::Builder::finish() && {
  made_.tree_ = std::move(players_).finish();
  if (made_.classes_) made_.classes_ = std::move(classes_).finish();
  return std::move(made_);
}

}  // namespace scoreline::memory
