#include "ordered/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ordered/rank_tree.h"

namespace scoreline::ordered {
namespace {

std::string member(std::size_t number) { return "m" + std::to_string(number); }

template <typename Source>
std::vector<Item> items_of(const Source& source, Direction direction = Direction::ascending) {
  std::vector<Item> all;
  source.visit(0, source.size(), direction, [&](std::string_view m, RankKey k) { all.push_back({std::string(m), k}); });
  return all;
}

/// Upserts, erases and pops at random.
void change(RankTree& tree, std::mt19937_64& random, std::size_t members, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) {
    const std::string who = member(random() % members);
    if (random() % 3 == 0) {
      tree.erase(who);
    } else {
      tree.upsert(who, {random() % (members / 4)});
    }
    if (random() % 50 == 0) tree.pop(random() % 40, Direction::ascending, [](std::string_view, RankKey) {});
  }
}

class Snapshots : public ::testing::TestWithParam<std::size_t> {
 protected:
  Snapshots() { change(tree_, random_, GetParam(), 3 * GetParam()); }

  std::mt19937_64 random_{1};
  RankTree tree_{1};
};

TEST_P(Snapshots, ShowTheMomentTheyWereTaken) {
  std::vector<Snapshot> snapshots;
  std::vector<std::vector<Item>> expected;
  for (int i = 0; i < 4; ++i) {
    expected.push_back(items_of(tree_));
    snapshots.push_back(tree_.snapshot());
    change(tree_, random_, GetParam(), GetParam());
    tree_.check();
  }
  snapshots.erase(snapshots.begin() + 1);  // one goes early
  expected.erase(expected.begin() + 1);
  change(tree_, random_, GetParam(), GetParam());
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    ASSERT_EQ(items_of(snapshots[i]), expected[i]);
    std::reverse(expected[i].begin(), expected[i].end());
    ASSERT_EQ(items_of(snapshots[i], Direction::descending), expected[i]);
  }
}

TEST_P(Snapshots, ReadAnyWindow) {
  const std::vector<Item> all = items_of(tree_);
  const Snapshot snapshot = tree_.snapshot();
  change(tree_, random_, GetParam(), GetParam() / 2);
  for (std::size_t first = 0; first < all.size() + 3; first += 1 + first / 3) {
    std::vector<Item> seen;
    snapshot.visit(first, 7, Direction::ascending, [&](std::string_view m, RankKey k) {
      seen.push_back({std::string(m), k});
    });
    const std::size_t last = std::min(first + 7, all.size());
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(std::min(i, all.size())); };
    ASSERT_EQ(seen, std::vector<Item>(at(first), at(last)));
  }
}

TEST_P(Snapshots, OutliveTheTree) {
  const std::vector<Item> all = items_of(tree_);
  const Snapshot snapshot = tree_.snapshot();
  tree_.clear();
  change(tree_, random_, GetParam(), GetParam());
  ASSERT_EQ(items_of(snapshot), all);
}

TEST_P(Snapshots, CanBeReadWhileTheOwnerWrites) {
  for (int round = 0; round < 5; ++round) {
    const std::vector<Item> all = items_of(tree_);
    std::atomic<bool> done = false;
    bool same = true;
    std::thread reader([&all, &same, &done, snapshot = tree_.snapshot()]() mutable {
      for (int i = 0; i < 4; ++i) same = same && items_of(snapshot) == all;
      { const Snapshot gone = std::move(snapshot); }  // on this thread, while the other writes
      done = true;
    });
    while (!done) change(tree_, random_, GetParam(), 100);
    reader.join();
    ASSERT_TRUE(same);
    tree_.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Snapshots, ::testing::Values(20, 200, 5000),
                         [](const auto& size) { return std::to_string(size.param); });

}  // namespace
}  // namespace scoreline::ordered
