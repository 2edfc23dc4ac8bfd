#include "ordered/tree_loader.h"

#include <utility>

#include "base/error.h"
#include "ordered/member_hash.h"
#include "ordered/separator.h"

namespace scoreline::ordered {
namespace {

/// Leaves and nodes are left with a little room, so that the first updates do not split all of them.
constexpr std::uint32_t kLoadTo = Leaf::kRoom * 90 / 100;
constexpr std::size_t kLoadChildren = 28;

}  // namespace

TreeLoader::TreeLoader(std::uint64_t hash_seed, std::uint64_t expected)
    : tree_(std::make_unique<CountedTree>(hash_seed, expected)) {
  open_.id = tree_->root_;
}

TreeLoader::~TreeLoader() = default;

void TreeLoader::add(std::string_view member, RankKey key) {
  SCORELINE_CHECK(member.size() <= UINT8_MAX);
  Leaf* leaf = &tree_->leaf(open_.id);
  const std::uint64_t hash = member_hash(member, tree_->hash_seed_);
  const std::uint32_t entries = leaf->size;
  if (entries > 0) {
    const RankKey last = leaf->key(entries - 1);
    SCORELINE_CHECK(last < key || (last == key && leaf->member(entries - 1) < member));
  }
  if (leaf->load() >= kLoadTo || !leaf->append(hash_byte(hash), member, key)) {
    Child next;
    next.id = tree_->new_leaf();
    separate(leaf->key(entries - 1), leaf->member(entries - 1), key, member, next);
    close_leaf();
    open_ = std::move(next);
    leaf = &tree_->leaf(open_.id);
    leaf->clear(key, false);
    SCORELINE_CHECK(leaf->append(hash_byte(hash), member, key));
  }
  hashes_[leaf->size - 1U] = hash;
  tree_->table_.prefetch(hash);
}

/// Enters the members of the open leaf into the table, one after the other: the table may ask for the hashes of those
/// it has, so the leaf must not show the others yet.
void TreeLoader::close_leaf() {
  Leaf& leaf = tree_->leaf(open_.id);
  const std::uint8_t entries = std::exchange(leaf.size, std::uint8_t{0});
  for (std::uint8_t i = 0; i < entries; ++i) {
    const std::string_view member = leaf.member(i);
    const auto holds = [&](std::uint32_t id) { return tree_->leaf(id).find(hash_byte(hashes_[i]), member) >= 0; };
    SCORELINE_CHECK(tree_->table_.find(hashes_[i], holds) == kNoLeaf);
    tree_->table_.insert(hashes_[i], open_.id, *tree_);
    leaf.size = static_cast<std::uint8_t>(i + 1);
  }
  tree_->size_ += entries;
  open_.count = entries;
  children_.push_back(std::move(open_));
}

/// One level of inner nodes over children_, which become those nodes.
void TreeLoader::build_level(std::uint32_t level) {
  const std::size_t nodes = (children_.size() + kLoadChildren - 1) / kLoadChildren;
  std::vector<Child> above(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t begin = children_.size() * i / nodes;
    const std::size_t end = children_.size() * (i + 1) / nodes;
    above[i].id = tree_->new_inner(level);
    above[i].key = children_[begin].key;
    above[i].tie = std::move(children_[begin].tie);
    for (std::size_t k = begin; k < end; ++k) above[i].count += children_[k].count;
    tree_->write_inner(above[i].id, children_, begin, end);
  }
  children_ = std::move(above);
}

std::unique_ptr<CountedTree> TreeLoader::finish() {
  close_leaf();
  while (children_.size() > 1) build_level(++tree_->height_);
  tree_->root_ = children_[0].id;
  return std::move(tree_);
}

}  // namespace scoreline::ordered
