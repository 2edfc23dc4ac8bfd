#include "adapters/memory/memory_rank_index.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/memory/ranked_players.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/rules.h"
#include "ordered/rank_tree.h"

namespace scoreline::memory {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::By;
using leaderboards::EntriesAt;
using leaderboards::Entry;
using leaderboards::Offer;
using leaderboards::Order;
using leaderboards::Page;
using leaderboards::Place;
using leaderboards::PlayerId;
using leaderboards::PointsCounts;
using leaderboards::PointsPage;
using leaderboards::PointsRange;
using leaderboards::RankKeyCodec;
using leaderboards::Ranks;
using leaderboards::Standing;
using ordered::Position;
using ordered::RankKey;

namespace {

/// An offer, or without a key an erasure.
struct Change {
  std::string player;
  std::optional<RankKey> key;
};

/// As the board would have done it.
void repeat(const std::vector<Change>& changes, const Board& board, const RankKeyCodec& codec, RankedPlayers& players) {
  for (const auto& [player, key] : changes) {
    if (!key) {
      players.erase(player);
      continue;
    }
    const auto kept = players.tree().key_of(player);
    if (!kept || leaderboards::replaces(board, codec.decode(*kept), codec.decode(*key))) players.upsert(player, *key);
  }
}

/// More changes than this are repeated before the board is locked for the swap.
constexpr std::size_t kFewChanges = 1'024;

}  // namespace

struct MemoryRankIndex::Ranked {
  Ranked(const Board& board, std::uint64_t hash_seed) : codec(board), players(board, hash_seed) {}

  /// Notes what is done to the board for a load under way. The caller holds the lock.
  void note(std::string_view player, std::optional<RankKey> key) {
    if (changes) changes->push_back({std::string(player), key});
  }

  // How the keys read. A reader may still hold the definition from before a change; this is the board's own.
  const RankKeyCodec codec;
  mutable std::mutex mutex;
  RankedPlayers players;
  std::uint64_t version = 0;
  std::optional<std::vector<Change>> changes;  // since a load began
};

namespace {

std::vector<std::string_view> texts_of(std::span<const PlayerId> players) {
  std::vector<std::string_view> texts;
  texts.reserve(players.size());
  for (const PlayerId& player : players) texts.push_back(player.text());
  return texts;
}

}  // namespace

MemoryRankIndex::MemoryRankIndex(std::uint64_t hash_seed) : hash_seed_(hash_seed) {}
MemoryRankIndex::~MemoryRankIndex() = default;

std::shared_ptr<MemoryRankIndex::Ranked> MemoryRankIndex::find(const Board& board) const {
  const std::shared_lock lock(table_mutex_);
  const auto at = table_.find(board.id);
  return at == table_.end() ? nullptr : at->second;
}

std::shared_ptr<MemoryRankIndex::Ranked> MemoryRankIndex::find_or_make(const Board& board) {
  if (auto found = find(board)) return found;
  const std::lock_guard lock(table_mutex_);
  auto& place = table_[board.id];
  if (!place) {
    place = std::make_shared<Ranked>(board, hash_seed_);
    if (loading_.contains(board.id)) place->changes.emplace();
  }
  return place;
}

Result<std::vector<Applied>> MemoryRankIndex::apply(const Board& board, std::span<const Offer> offers, Ranks ranks) {
  const RankKeyCodec codec(board);
  std::vector<std::string_view> players;
  std::vector<RankKey> keys;
  players.reserve(offers.size());
  keys.reserve(offers.size());
  for (const Offer& offer : offers) {
    const auto key = codec.encode(offer.standing);
    if (!key) return fail(key.error());
    players.push_back(offer.player.text());
    keys.push_back(*key);
  }
  std::vector<Applied> applied(offers.size());
  if (offers.empty()) return applied;
  const bool tell = ranks == Ranks::tell;
  std::vector<std::optional<std::uint64_t>> before(tell ? offers.size() : 0);
  std::vector<std::optional<std::uint64_t>> after(tell ? offers.size() : 0);

  const auto ranked = find_or_make(board);
  {
    const std::lock_guard lock(ranked->mutex);
    bool changed = false;
    if (tell) ranked->players.ranks_of(players, before);
    for (std::size_t i = 0; i < players.size() && ranked->changes; ++i) ranked->note(players[i], keys[i]);
    ranked->players.modify(players, [&](std::size_t i, std::optional<RankKey> current) -> std::optional<RankKey> {
      const Standing offered = codec.decode(keys[i]);
      applied[i].standing = offered;
      if (current) {
        const Standing standing = codec.decode(*current);
        if (!leaderboards::replaces(board, standing, offered)) {
          applied[i].standing = standing;
          return std::nullopt;
        }
      }
      applied[i].changed = changed = true;
      return keys[i];
    });
    if (tell) ranked->players.ranks_of(players, after);
    if (changed) ranked->version = next_version();
  }
  if (!tell) return applied;
  for (std::size_t i = 0; i < applied.size(); ++i) {
    applied[i].previous_rank = before[i];
    applied[i].rank = after[i];
  }
  return applied;
}

Result<std::vector<std::optional<Standing>>> MemoryRankIndex::standings(const Board& board,
                                                                        std::span<const PlayerId> players) const {
  std::vector<std::optional<Standing>> standings(players.size());
  const auto ranked = find(board);
  if (!ranked || players.empty()) return standings;
  const auto texts = texts_of(players);
  std::vector<std::optional<RankKey>> keys(players.size());
  {
    const std::lock_guard lock(ranked->mutex);
    ranked->players.tree().keys_of(texts, keys);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]) standings[i] = ranked->codec.decode(*keys[i]);
  }
  return standings;
}

Result<Page> MemoryRankIndex::range(const Board& board, std::uint64_t first, std::size_t limit) const {
  Page page;
  const auto ranked = find(board);
  if (!ranked) return page;
  const std::lock_guard lock(ranked->mutex);
  ranked->players.read(first - 1, limit, page);
  return page;
}

Result<Page> MemoryRankIndex::range_after(const Board& board, const PlayerId& player, const Standing& standing,
                                          std::size_t limit) const {
  Page page;
  const auto ranked = find(board);
  if (!ranked) return page;
  const auto key = ranked->codec.encode(standing);
  if (!key) return fail(key.error());
  const std::lock_guard lock(ranked->mutex);
  ranked->players.read(ranked->players.until(*key, player.text()), limit, page);
  return page;
}

Result<Page> MemoryRankIndex::range_before(const Board& board, const PlayerId& player, const Standing& standing,
                                           std::size_t limit) const {
  Page page;
  const auto ranked = find(board);
  if (!ranked) return page;
  const auto key = ranked->codec.encode(standing);
  if (!key) return fail(key.error());
  const std::lock_guard lock(ranked->mutex);
  const std::uint64_t before = ranked->players.before(*key, player.text());
  const std::uint64_t count = std::min<std::uint64_t>(before, limit);
  ranked->players.read(before - count, count, page);
  return page;
}

Result<PointsPage> MemoryRankIndex::range_by_points(const Board& board, PointsRange points, std::size_t limit) const {
  PointsPage found;
  const auto ranked = find(board);
  if (!ranked) return found;
  const bool descending = board.order == Order::descending;
  const std::lock_guard lock(ranked->mutex);
  const std::uint64_t above = ranked->players.above(descending ? points.high : points.low);
  found.count = ranked->players.until(descending ? points.low : points.high) - above;
  ranked->players.read(above, std::min<std::uint64_t>(limit, found.count), found.page);
  return found;
}

Result<PointsCounts> MemoryRankIndex::counts_above(const Board& board, std::span<const std::int64_t> points) const {
  PointsCounts counts{0, std::vector<std::uint64_t>(points.size())};
  const auto ranked = find(board);
  if (!ranked) return counts;
  const std::lock_guard lock(ranked->mutex);
  counts.players = ranked->players.size();
  for (std::size_t i = 0; i < points.size(); ++i) counts.above[i] = ranked->players.above(points[i]);
  return counts;
}

Result<EntriesAt> MemoryRankIndex::entries_at(const Board& board, std::span<const std::uint64_t> numbers, By by) const {
  EntriesAt found{0, std::vector<std::optional<Entry>>(numbers.size())};
  const auto ranked = find(board);
  if (!ranked) return found;
  const std::lock_guard lock(ranked->mutex);
  found.players = ranked->players.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto before = ranked->players.before(numbers[i], by);
    if (!before) continue;
    Page page;
    ranked->players.read(*before, 1, page);
    found.entries[i] = std::move(page.entries.front());
  }
  return found;
}

Result<std::optional<Place>> MemoryRankIndex::place_of(const Board& board, const PlayerId& player) const {
  const auto ranked = find(board);
  if (!ranked) return std::nullopt;
  std::optional<Position> position;
  RankedPlayers::Stand stand;
  std::uint64_t players = 0;
  {
    const std::lock_guard lock(ranked->mutex);
    position = ranked->players.tree().position_of(player.text());
    if (position) stand = ranked->players.stand(*position);
    players = ranked->players.size();
  }
  if (!position) return std::nullopt;
  return Place{{stand.rank, player, ranked->codec.decode(position->key)}, players, stand.above};
}

Result<Page> MemoryRankIndex::around(const Board& board, const PlayerId& player, std::size_t radius) const {
  Page page;
  const auto ranked = find(board);
  if (!ranked) return page;
  const std::lock_guard lock(ranked->mutex);
  page.players = ranked->players.size();
  const auto position = ranked->players.tree().position_of(player.text());
  if (!position) return page;
  const std::uint64_t above = ranked->players.before(position->key, player.text());
  const std::uint64_t skip = above - std::min<std::uint64_t>(above, radius);
  ranked->players.read(skip, above - skip + radius + 1, page);
  return page;
}

Result<std::vector<std::optional<Entry>>> MemoryRankIndex::ranks_of(const Board& board,
                                                                    std::span<const PlayerId> players) const {
  std::vector<std::optional<Entry>> entries(players.size());
  const auto ranked = find(board);
  if (!ranked || players.empty()) return entries;
  const auto texts = texts_of(players);
  std::vector<std::optional<Position>> positions(players.size());
  std::vector<std::uint64_t> ranks(players.size());
  {
    const std::lock_guard lock(ranked->mutex);
    ranked->players.tree().positions_of(texts, positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (positions[i]) ranks[i] = ranked->players.stand(*positions[i]).rank;
    }
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i]) entries[i] = Entry{ranks[i], players[i], ranked->codec.decode(positions[i]->key)};
  }
  return entries;
}

Result<std::uint64_t> MemoryRankIndex::erase(const Board& board, std::span<const PlayerId> players) {
  const auto ranked = find(board);
  if (!ranked) return 0;
  const std::lock_guard lock(ranked->mutex);
  std::uint64_t erased = 0;
  for (const PlayerId& player : players) {
    erased += ranked->players.erase(player.text()) ? 1 : 0;
    ranked->note(player.text(), std::nullopt);
  }
  if (erased > 0) ranked->version = next_version();
  return erased;
}

Result<void> MemoryRankIndex::load(const Board& board, std::uint64_t expected,
                                   const std::function<std::optional<Offer>()>& next) {
  const RankKeyCodec codec(board);
  RankedPlayers::Builder builder(board, hash_seed_, expected);
  while (const auto offer = next()) {
    const auto key = codec.encode(offer->standing);
    if (!key) return fail(key.error());
    builder.add(offer->player.text(), *key);
  }
  RankedPlayers players = std::move(builder).finish();
  if (players.size() == 0 && !find(board)) {
    abandon_load(board);
    return {};
  }
  const auto ranked = find_or_make(board);
  while (true) {
    std::vector<Change> changes;
    {
      const std::lock_guard lock(ranked->mutex);
      if (ranked->changes) std::swap(*ranked->changes, changes);
      if (changes.size() <= kFewChanges) {
        repeat(changes, board, codec, players);
        std::swap(ranked->players, players);
        ranked->version = next_version();
        ranked->changes.reset();
        break;
      }
    }
    repeat(changes, board, codec, players);
  }
  abandon_load(board);
  return {};  // the old players go here, outside the lock
}

Result<void> MemoryRankIndex::begin_load(const Board& board) {
  const std::lock_guard lock(table_mutex_);
  if (!loading_.insert(board.id).second) return {};
  if (const auto at = table_.find(board.id); at != table_.end()) {
    const std::lock_guard board_lock(at->second->mutex);
    at->second->changes.emplace();
  }
  return {};
}

void MemoryRankIndex::abandon_load(const Board& board) {
  const std::lock_guard lock(table_mutex_);
  loading_.erase(board.id);
  if (const auto at = table_.find(board.id); at != table_.end()) {
    const std::lock_guard board_lock(at->second->mutex);
    at->second->changes.reset();
  }
}

Result<void> MemoryRankIndex::drop(const Board& board) {
  std::shared_ptr<Ranked> dropped;  // goes after the lock
  const std::lock_guard lock(table_mutex_);
  if (const auto at = table_.find(board.id); at != table_.end()) {
    dropped = std::move(at->second);
    table_.erase(at);
  }
  return {};
}

void MemoryRankIndex::drop_unless(const std::function<bool(const leaderboards::BoardId&)>& is_kept) {
  std::vector<std::shared_ptr<Ranked>> dropped;  // they go after the lock
  const std::lock_guard lock(table_mutex_);
  std::erase_if(table_, [&](auto& at) {
    const bool goes = at.first.period != leaderboards::Period{} && !is_kept(at.first);
    if (goes) dropped.push_back(std::move(at.second));
    return goes;
  });
}

Result<std::uint64_t> MemoryRankIndex::version(const Board& board) const { return *known_version(board); }

std::optional<std::uint64_t> MemoryRankIndex::known_version(const Board& board) const {
  const auto ranked = find(board);
  if (!ranked) return 0;
  const std::lock_guard lock(ranked->mutex);
  return ranked->version;
}

std::size_t MemoryRankIndex::boards() const {
  const std::shared_lock lock(table_mutex_);
  return table_.size();
}

}  // namespace scoreline::memory
