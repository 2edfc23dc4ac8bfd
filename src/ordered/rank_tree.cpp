#include "ordered/rank_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "ordered/counted_tree.h"
#include "ordered/tree_loader.h"

namespace scoreline::ordered {

static_assert(RankTree::kSmallMembers < PackedBoard::kMaxMembers, "the member that is too many still fits");

RankTree::RankTree(std::uint64_t hash_seed) noexcept : hash_seed_(hash_seed) {}
RankTree::RankTree(RankTree&&) noexcept = default;
RankTree& RankTree::operator=(RankTree&&) noexcept = default;
RankTree::~RankTree() = default;

std::uint64_t RankTree::size() const { return tree_ ? tree_->size() : packed_.size(); }

// ---- writes

void RankTree::modify(std::span<const std::string_view> members, Decide decide) {
  std::size_t at = 0;
  while (at < members.size() && is_small()) {
    SCORELINE_CHECK(members[at].size() <= kMaxMemberBytes);
    PackedBoard::Open board;
    packed_.open(board);
    const std::size_t place = board.find(members[at]);
    const bool absent = place == board.size();
    const std::optional<RankKey> current = absent ? std::nullopt : std::optional(board[place].key);
    const std::optional<RankKey> next = decide(at, current);
    ++at;
    if (!next || next == current) continue;
    if (!absent) board.erase(place);
    board.insert(*next, members[at - 1]);
    packed_.store(board);
    if (board.size() > kSmallMembers) promote();
  }
  std::array<CountedTree::Found, CountedTree::kBatch> found;
  std::array<std::optional<RankKey>, CountedTree::kBatch> next;
  while (at < members.size()) {
    const std::size_t count = tree_->find_batch(members.subspan(at), found, CountedTree::Ahead::key);
    for (std::size_t i = 0; i < count; ++i) {
      SCORELINE_CHECK(members[at + i].size() <= kMaxMemberBytes);
      next[i] = decide(at + i, found[i].leaf == kNoLeaf ? std::nullopt : std::optional(found[i].key));
    }
    tree_->put_batch(members.subspan(at, count), std::span(found).first(count), std::span(next).first(count));
    at += count;
  }
}

std::optional<RankKey> RankTree::upsert(std::string_view member, RankKey key) {
  if (tree_) {
    SCORELINE_CHECK(member.size() <= kMaxMemberBytes);
    return tree_->upsert(member, key);
  }
  std::optional<RankKey> before;
  modify({&member, 1}, [&](std::size_t, std::optional<RankKey> current) -> std::optional<RankKey> {
    before = current;
    return key;
  });
  return before;
}

bool RankTree::erase(std::string_view member) {
  if (tree_) {
    if (!tree_->erase(member)) return false;
    demote_if_few();
    return true;
  }
  PackedBoard::Open board;
  packed_.open(board);
  const std::size_t place = board.find(member);
  if (place == board.size()) return false;
  board.erase(place);
  packed_.store(board);
  return true;
}

std::size_t RankTree::pop(std::size_t count, Direction direction, Visit visit) {
  if (tree_) {
    const std::size_t popped = tree_->pop(count, direction, visit);
    demote_if_few();
    return popped;
  }
  PackedBoard::Open board;
  packed_.open(board);
  const std::size_t popped = std::min(count, board.size());
  for (std::size_t i = 0; i < popped; ++i) {
    const std::size_t place = direction == Direction::ascending ? 0 : board.size() - 1;
    visit(board[place].member, board[place].key);
    board.erase(place);
  }
  if (popped > 0) packed_.store(board);
  return popped;
}

std::optional<Item> RankTree::pop_min() {
  std::optional<Item> popped;
  pop(1, Direction::ascending, [&](std::string_view member, RankKey key) { popped = {std::string(member), key}; });
  return popped;
}

std::optional<Item> RankTree::pop_max() {
  std::optional<Item> popped;
  pop(1, Direction::descending, [&](std::string_view member, RankKey key) { popped = {std::string(member), key}; });
  return popped;
}

void RankTree::clear() {
  tree_.reset();
  packed_.clear();
}

/// The packed block has become too big: its members move into a tree.
void RankTree::promote() {
  PackedBoard::Open board;
  packed_.open(board);
  TreeLoader loader(hash_seed_, 0);
  for (std::size_t i = 0; i < board.size(); ++i) loader.add(board[i].member, board[i].key);
  tree_ = loader.finish();
  packed_.clear();
}

void RankTree::demote_if_few() {
  if (tree_->size() <= kDemoteAt) demote();
}

void RankTree::demote() {
  PackedBoard::Open board;
  tree_->visit(0, kSmallMembers, Direction::ascending,
               [&](std::string_view member, RankKey key) { board.insert(key, member); });
  packed_.store(board);
  tree_.reset();
}

// ---- reads

std::optional<Position> RankTree::position_of(std::string_view member) const {
  if (tree_) {
    const CountedTree::Found found = tree_->find(member, CountedTree::Ahead::rank);
    if (found.leaf == kNoLeaf) return std::nullopt;
    return Position{tree_->rank_of(found), found.key};
  }
  PackedBoard::Open board;
  packed_.open(board);
  const std::size_t place = board.find(member);
  if (place == board.size()) return std::nullopt;
  return Position{place, board[place].key};
}

std::optional<RankKey> RankTree::key_of(std::string_view member) const {
  if (tree_) {
    const CountedTree::Found found = tree_->find(member, CountedTree::Ahead::key);
    return found.leaf == kNoLeaf ? std::nullopt : std::optional(found.key);
  }
  const std::optional<Position> position = position_of(member);
  return position ? std::optional(position->key) : std::nullopt;
}

std::optional<std::uint64_t> RankTree::rank_of(std::string_view member) const {
  const std::optional<Position> position = position_of(member);
  return position ? std::optional(position->rank) : std::nullopt;
}

namespace {

/// Looks all `members` up in batches; `put(i, found)` takes what was found of each.
template <typename Put>
void find_all(const CountedTree& tree, std::span<const std::string_view> members, CountedTree::Ahead ahead, Put put) {
  std::array<CountedTree::Found, CountedTree::kBatch> found;
  for (std::size_t at = 0; at < members.size();) {
    const std::size_t count = tree.find_batch(members.subspan(at), found, ahead);
    for (std::size_t i = 0; i < count; ++i) put(at + i, found[i]);
    at += count;
  }
}

}  // namespace

void RankTree::keys_of(std::span<const std::string_view> members, std::span<std::optional<RankKey>> out) const {
  SCORELINE_CHECK(members.size() == out.size());
  if (is_small()) {
    for (std::size_t i = 0; i < members.size(); ++i) out[i] = key_of(members[i]);
    return;
  }
  find_all(*tree_, members, CountedTree::Ahead::key, [&](std::size_t i, const CountedTree::Found& found) {
    out[i] = found.leaf == kNoLeaf ? std::nullopt : std::optional(found.key);
  });
}

void RankTree::ranks_of(std::span<const std::string_view> members, std::span<std::optional<std::uint64_t>> out) const {
  SCORELINE_CHECK(members.size() == out.size());
  if (is_small()) {
    for (std::size_t i = 0; i < members.size(); ++i) out[i] = rank_of(members[i]);
    return;
  }
  find_all(*tree_, members, CountedTree::Ahead::rank, [&](std::size_t i, const CountedTree::Found& found) {
    out[i] = found.leaf == kNoLeaf ? std::nullopt : std::optional(tree_->rank_of(found));
  });
}

void RankTree::positions_of(std::span<const std::string_view> members, std::span<std::optional<Position>> out) const {
  SCORELINE_CHECK(members.size() == out.size());
  if (is_small()) {
    for (std::size_t i = 0; i < members.size(); ++i) out[i] = position_of(members[i]);
    return;
  }
  find_all(*tree_, members, CountedTree::Ahead::rank, [&](std::size_t i, const CountedTree::Found& found) {
    out[i] = found.leaf == kNoLeaf ? std::nullopt : std::optional(Position{tree_->rank_of(found), found.key});
  });
}

std::uint64_t RankTree::lower_bound_rank(RankKey key, std::string_view member) const {
  if (tree_) return tree_->lower_bound_rank(key, member);
  PackedBoard::Open board;
  packed_.open(board);
  return board.count_before(key, member);
}

void RankTree::visit(std::uint64_t first, std::uint64_t count, Direction direction, Visit visit) const {
  if (tree_) return tree_->visit(first, count, direction, visit);
  PackedBoard::Open board;
  packed_.open(board);
  for (std::uint64_t i = first; i < board.size() && i - first < count; ++i) {
    const auto& entry = board[direction == Direction::ascending ? i : board.size() - 1 - i];
    visit(entry.member, entry.key);
  }
}

Snapshot RankTree::snapshot() {
  if (tree_) return Snapshot(tree_->freeze());
  std::vector<Item> items;
  visit(0, kSmallMembers, Direction::ascending, [&](std::string_view member, RankKey key) {
    items.push_back({std::string(member), key});
  });
  return Snapshot(std::move(items));
}

// ---- bulk load

RankTree RankTree::from_unsorted(std::vector<Item> items, std::uint64_t hash_seed) {
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.key < b.key || (a.key == b.key && a.member < b.member); });
  Builder builder(hash_seed, items.size());
  for (const Item& item : items) builder.add(item.member, item.key);
  return std::move(builder).finish();
}

RankTree::Builder::Builder(std::uint64_t hash_seed, std::uint64_t expected)
    : loader_(std::make_unique<TreeLoader>(hash_seed, expected)), hash_seed_(hash_seed) {}
RankTree::Builder::Builder(Builder&&) noexcept = default;
RankTree::Builder& RankTree::Builder::operator=(Builder&&) noexcept = default;
RankTree::Builder::~Builder() = default;

void RankTree::Builder::add(std::string_view member, RankKey key) { loader_->add(member, key); }

RankTree RankTree::Builder::finish() && {
  RankTree built(hash_seed_);
  built.tree_ = loader_->finish();
  loader_.reset();
  if (built.tree_->size() <= kSmallMembers) built.demote();
  return built;
}

// ---- upkeep

void RankTree::check() const {
  if (tree_) {
    SCORELINE_CHECK(packed_.size() == 0 && tree_->size() > kDemoteAt);
    return tree_->check();
  }
  PackedBoard::Open board;
  packed_.open(board);
  SCORELINE_CHECK(board.size() == packed_.size() && board.size() <= kSmallMembers);
  for (std::size_t i = 0; i < board.size(); ++i) {
    SCORELINE_CHECK(board.find(board[i].member) == i);
    SCORELINE_CHECK(board.count_before(board[i].key, board[i].member) == i);
  }
}

std::size_t RankTree::memory_bytes() const {
  return sizeof(*this) + (tree_ ? tree_->memory_bytes() : packed_.memory_bytes());
}

}  // namespace scoreline::ordered
