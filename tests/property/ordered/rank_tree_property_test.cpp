// Random work on a RankTree and on a plain model must agree, for every kind of key and member.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "model_tree.h"
#include "ordered/rank_tree.h"

namespace scoreline::ordered {
namespace {

/// What the members and keys of one run look like.
struct World {
  const char* name;
  std::size_t members;     // how many different ones
  std::size_t max_length;  // 0: all are 15 bytes, else lengths vary up to here
  int key_bits;            // 0: all keys are equal
  int key_shift;
};

constexpr World kWorlds[] = {
    {"TinyBoard", 20, 0, 20, 0},      {"AroundTheSmallForm", 60, 0, 69, 20},  {"WideKeys", 700, 0, 128, 0},
    {"NarrowKeys", 700, 0, 40, 64},   {"SeasonKeys", 3000, 0, 69, 0},         {"AllKeysEqual", 900, 0, 0, 0},
    {"FewKeys", 900, 24, 2, 100},     {"LengthsOfAllKinds", 700, 255, 70, 0}, {"LongMembersEqualKeys", 400, 255, 0, 0},
    {"ShortMembers", 1500, 3, 60, 0},
};

std::size_t steps() {
  const char* const wanted = std::getenv("SCORELINE_PROPERTY_STEPS");
  return wanted == nullptr ? 20'000 : std::strtoull(wanted, nullptr, 10);
}

class RandomWork : public ::testing::TestWithParam<World> {
 protected:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  std::string member() {
    const World& world = GetParam();
    const std::uint64_t number = below(world.members);
    if (world.max_length == 0) {
      std::string digits = std::to_string(number);
      return "player:" + std::string(8 - digits.size(), '0') + digits;
    }
    // The same number always makes the same bytes; many share long beginnings, some hold zero bytes.
    std::mt19937_64 bytes(number / 3);
    std::string text(bytes() % (world.max_length + 1), '\0');
    for (char& c : text) c = static_cast<char>(bytes() % 4 == 0 ? 0 : bytes());
    const std::size_t room = world.max_length - text.size();
    return text + std::to_string(number).substr(0, room);
  }
  RankKey key() {
    const World& world = GetParam();
    if (world.key_bits == 0) return {7};
    Uint128 value = (Uint128{random_()} << 64 | random_()) >> (128 - world.key_bits);
    if (below(50) == 0) value = below(2) == 0 ? 0 : ~Uint128{0} >> (128 - world.key_bits);
    return {value << world.key_shift};
  }

  void compare_everything() {
    tree_.check();
    ASSERT_EQ(tree_.size(), model_.size());
    std::vector<Item> expected = model_.items();
    ASSERT_EQ(items_of(tree_), expected);
    std::reverse(expected.begin(), expected.end());
    ASSERT_EQ(items_of(tree_, Direction::descending), expected);
  }
  void one_step();
  void upsert_batch();
  void read_batch();
  void read_window();
  void pop_batch();

  std::mt19937_64 random_;
  RankTree tree_{12345};
  ModelTree model_;
};

void RandomWork::upsert_batch() {
  std::vector<std::string> members(1 + below(100));
  for (std::string& each : members) each = member();
  if (members.size() > 3) members.back() = members[members.size() / 2];
  std::vector<RankKey> keys(members.size());
  for (RankKey& each : keys) each = key();
  const std::vector<std::string_view> views(members.begin(), members.end());
  std::size_t expected = 0;
  tree_.modify(views, [&](std::size_t i, std::optional<RankKey> current) -> std::optional<RankKey> {
    EXPECT_EQ(i, expected++);
    EXPECT_EQ(current, model_.key_of(members[i]));
    if (current && keys[i] < *current) return std::nullopt;  // as the rule `best`
    model_.upsert(members[i], keys[i]);
    return keys[i];
  });
  ASSERT_EQ(expected, members.size());
}

void RandomWork::read_batch() {
  std::vector<std::string> members(1 + below(100));
  for (std::string& each : members) each = member();
  const std::vector<std::string_view> views(members.begin(), members.end());
  std::vector<std::optional<Position>> positions(members.size());
  std::vector<std::optional<std::uint64_t>> ranks(members.size());
  std::vector<std::optional<RankKey>> keys(members.size());
  tree_.positions_of(views, positions);
  tree_.ranks_of(views, ranks);
  tree_.keys_of(views, keys);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto expected = model_.position_of(members[i]);
    ASSERT_EQ(positions[i], expected);
    ASSERT_EQ(ranks[i], expected ? std::optional(expected->rank) : std::nullopt);
    ASSERT_EQ(keys[i], expected ? std::optional(expected->key) : std::nullopt);
  }
}

void RandomWork::read_window() {
  const std::vector<Item> all = model_.items();
  const std::uint64_t first = below(all.size() + 3);
  const std::uint64_t count = below(150);
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    std::vector<Item> expected;
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + count, all.size()); ++i) {
      expected.push_back(direction == Direction::ascending ? all[i] : all[all.size() - 1 - i]);
    }
    std::vector<Item> seen;
    tree_.visit(first, count, direction, [&](std::string_view m, RankKey k) { seen.push_back({std::string(m), k}); });
    ASSERT_EQ(seen, expected);
  }
}

void RandomWork::pop_batch() {
  const Direction direction = below(2) == 0 ? Direction::ascending : Direction::descending;
  const std::size_t count = 1 + below(80);
  std::vector<Item> expected;
  while (expected.size() < count) {
    auto item = model_.pop(direction);
    if (!item) break;
    expected.push_back(*item);
  }
  std::vector<Item> popped;
  ASSERT_EQ(tree_.pop(count, direction,
                      [&](std::string_view m, RankKey k) {
                        popped.push_back({std::string(m), k});
                      }),
            expected.size());
  ASSERT_EQ(popped, expected);
}

void RandomWork::one_step() {
  const std::string who = member();
  const RankKey value = key();
  const std::uint64_t choice = below(1000);
  if (choice < 400) {
    ASSERT_EQ(tree_.upsert(who, value), model_.upsert(who, value));
  } else if (choice < 700) {
    ASSERT_EQ(tree_.erase(who), model_.erase(who));
  } else if (choice < 760) {
    upsert_batch();
  } else if (choice < 800) {
    read_batch();
  } else if (choice < 840) {
    ASSERT_EQ(tree_.position_of(who), model_.position_of(who));
    ASSERT_EQ(tree_.key_of(who), model_.key_of(who));
    ASSERT_EQ(tree_.rank_of(who).has_value(), model_.key_of(who).has_value());
  } else if (choice < 900) {
    ASSERT_EQ(tree_.lower_bound_rank(value, who), model_.lower_bound_rank(value, who));
    ASSERT_EQ(tree_.count_below(value), model_.lower_bound_rank(value, ""));
  } else if (choice < 940) {
    read_window();
  } else if (choice < 970) {
    ASSERT_EQ(tree_.pop_min(), model_.pop(Direction::ascending));
    ASSERT_EQ(tree_.pop_max(), model_.pop(Direction::descending));
  } else if (choice < 975) {
    pop_batch();
  } else if (choice < 978) {
    tree_ = RankTree::from_unsorted(model_.items(), random_());
  }
}

TEST_P(RandomWork, AgreesWithThePlainModel) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    tree_ = RankTree(seed);
    model_ = {};
    for (std::size_t step = 0; step < steps(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      one_step();
      if (HasFatalFailure()) return;
      // After each step while it is cheap, then now and then.
      if (model_.size() < 64 || step % 128 == 0) tree_.check();
      if (step % 512 == 0) compare_everything();
      if (HasFatalFailure()) return;
      if (step % 5000 == 4999) {  // drain to empty, and fill again
        while (model_.size() > 0) ASSERT_EQ(tree_.pop_min(), model_.pop(Direction::ascending));
        compare_everything();
      }
    }
    compare_everything();
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, RandomWork, ::testing::ValuesIn(kWorlds),
                         [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace scoreline::ordered
