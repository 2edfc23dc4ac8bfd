#include "ordered/rank_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace scoreline::ordered {
namespace {

std::string member(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "player:" + std::string(8 - digits.size(), '0') + digits;
}

RankTree filled(std::size_t members, RankKey (*key)(std::size_t)) {
  RankTree tree(1);
  for (std::size_t i = 0; i < members; ++i) tree.upsert(member(i), key(i));
  return tree;
}

std::vector<std::string> members_of(const RankTree& tree, std::uint64_t first, std::uint64_t count,
                                    Direction direction) {
  std::vector<std::string> seen;
  tree.visit(first, count, direction, [&](std::string_view m, RankKey) { seen.emplace_back(m); });
  return seen;
}

RankKey own_number(std::size_t i) { return {i}; }
RankKey always_zero(std::size_t) { return {0}; }

/// The same on a small board (packed) and a large one (tree).
class EverySize : public ::testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t members_ = GetParam();
};

TEST_P(EverySize, KnowsRankAndKeyOfEachMember) {
  const RankTree tree = filled(members_, own_number);
  tree.check();
  for (std::size_t i = 0; i < members_; ++i) {
    EXPECT_EQ(tree.position_of(member(i)), (Position{i, {i}}));
    EXPECT_EQ(tree.count_below({i}), i);
  }
  EXPECT_EQ(tree.rank_of("nobody"), std::nullopt);
  EXPECT_EQ(tree.count_below({members_ + 5}), members_);
}

TEST_P(EverySize, ReadsFromEitherEnd) {
  const RankTree tree = filled(members_, own_number);
  EXPECT_EQ(members_of(tree, 0, 2, Direction::ascending), (std::vector{member(0), member(1)}));
  EXPECT_EQ(members_of(tree, 1, 2, Direction::descending), (std::vector{member(members_ - 2), member(members_ - 3)}));
  EXPECT_EQ(members_of(tree, members_ - 1, 100, Direction::ascending), (std::vector{member(members_ - 1)}));
  EXPECT_TRUE(members_of(tree, members_, 1, Direction::descending).empty());
  EXPECT_EQ(members_of(tree, 0, members_ + 9, Direction::ascending).size(), members_);
}

TEST_P(EverySize, TellsWhatWasThereBefore) {
  RankTree tree = filled(members_, own_number);
  EXPECT_EQ(tree.upsert(member(3), {1000}), RankKey{3});
  EXPECT_EQ(tree.upsert("new", {5}), std::nullopt);
  EXPECT_EQ(tree.size(), members_ + 1);
  EXPECT_TRUE(tree.erase("new"));
  EXPECT_FALSE(tree.erase("new"));
  tree.check();
}

TEST_P(EverySize, DecidesAMemberThatComesTwiceInABatchInTurn) {
  RankTree tree = filled(members_, own_number);
  const std::vector<std::string_view> batch{"twice", "player:00000001", "twice", "player:00000001", "twice"};
  std::vector<std::optional<RankKey>> seen;
  tree.modify(batch, [&](std::size_t i, std::optional<RankKey> current) -> std::optional<RankKey> {
    seen.push_back(current);
    if (i == 3) return std::nullopt;
    return RankKey{100 + i};
  });
  EXPECT_EQ(seen,
            (std::vector<std::optional<RankKey>>{std::nullopt, RankKey{1}, RankKey{100}, RankKey{101}, RankKey{102}}));
  EXPECT_EQ(tree.key_of("twice"), RankKey{104});
  EXPECT_EQ(tree.key_of(member(1)), RankKey{101});
  tree.check();
}

TEST_P(EverySize, OrdersEqualKeysByMemberBytes) {
  RankTree tree = filled(members_, always_zero);
  tree.check();
  const std::string zero_byte("\0", 1);
  tree.upsert("", {0});
  tree.upsert(zero_byte, {0});
  tree.upsert("\xFF", {0});
  tree.check();
  EXPECT_EQ(tree.rank_of(""), 0u);
  EXPECT_EQ(tree.rank_of(zero_byte), 1u);
  EXPECT_EQ(tree.rank_of(member(0)), 2u);
  EXPECT_EQ(tree.rank_of("\xFF"), members_ + 2);
  EXPECT_EQ(tree.lower_bound_rank({0}, member(2) + '\0'), 5u);
  EXPECT_EQ(tree.count_below({0}), 0u);
  EXPECT_EQ(tree.count_below({1}), members_ + 3);
}

TEST_P(EverySize, TakesTheLongestMembersAndKeys) {
  RankTree tree = filled(members_, own_number);
  const std::string longest(kMaxMemberBytes, 'x');
  tree.upsert(longest, {~Uint128{0}});
  EXPECT_EQ(tree.position_of(longest), (Position{members_, {~Uint128{0}}}));
  EXPECT_EQ(tree.pop_max(), (Item{longest, {~Uint128{0}}}));
  tree.check();
}

TEST_P(EverySize, PopsFromBothEndsUntilEmpty) {
  RankTree tree = filled(members_, own_number);
  for (std::size_t low = 0, high = members_; low < high; ++low, --high) {
    ASSERT_EQ(tree.pop_min(), (Item{member(low), {low}}));
    if (low + 1 < high) {
      ASSERT_EQ(tree.pop_max(), (Item{member(high - 1), {high - 1}}));
    }
    if (members_ < 2000 || low % 500 == 0) tree.check();
  }
  EXPECT_TRUE(tree.empty());
  EXPECT_EQ(tree.pop_min(), std::nullopt);
  EXPECT_TRUE(tree.is_small());
  EXPECT_EQ(tree.upsert("again", {1}), std::nullopt);
  tree.check();
}

TEST_P(EverySize, PopsManyAtOnceInOrder) {
  RankTree tree = filled(members_, own_number);
  std::vector<std::string> popped;
  EXPECT_EQ(tree.pop(members_ - 1, Direction::descending, [&](std::string_view m, RankKey) { popped.emplace_back(m); }),
            members_ - 1);
  for (std::size_t i = 0; i < popped.size(); ++i) ASSERT_EQ(popped[i], member(members_ - 1 - i));
  EXPECT_EQ(members_of(tree, 0, 9, Direction::ascending), std::vector{member(0)});
  EXPECT_EQ(tree.pop(9, Direction::ascending, [](std::string_view, RankKey) {}), 1u);
  tree.check();
}

TEST_P(EverySize, ErasesInEveryOrder) {
  std::vector<std::size_t> order(members_);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<std::size_t>> orders{order, {order.rbegin(), order.rend()}};
  std::shuffle(order.begin(), order.end(), std::mt19937_64(4));
  orders.push_back(order);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {  // from the middle to both ends
    const auto far = [&](std::size_t i) { return i > members_ / 2 ? i - members_ / 2 : members_ / 2 - i; };
    return far(a) < far(b);
  });
  orders.push_back(order);
  for (const auto& each : orders) {
    for (RankKey (*const key)(std::size_t) : {own_number, always_zero}) {
      RankTree tree = filled(members_, key);
      for (std::size_t i = 0; i < members_; ++i) {
        ASSERT_TRUE(tree.erase(member(each[i])));
        if (members_ < 2000 || i % 1000 == 0) tree.check();
      }
      ASSERT_TRUE(tree.empty());
      tree.check();
    }
  }
}

TEST_P(EverySize, LoadsASortedStream) {
  RankTree::Builder builder(1);
  for (std::size_t i = 0; i < members_; ++i) builder.add(member(i), {i / 3});
  RankTree tree = std::move(builder).finish();
  tree.check();
  EXPECT_EQ(tree.size(), members_);
  EXPECT_EQ(tree.is_small(), members_ <= RankTree::kSmallMembers);
  EXPECT_EQ(tree.position_of(member(members_ / 2)), (Position{members_ / 2, {members_ / 2 / 3}}));
  for (std::size_t i = 0; i < members_; i += 2) tree.upsert(member(i), {members_ + i});
  tree.check();
  EXPECT_EQ(tree.rank_of(member(1)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EverySize, ::testing::Values(4, 32, 33, 60, 500, 40'000),
                         [](const auto& size) { return std::to_string(size.param); });

TEST(RankTree, IsEmptyAtFirst) {
  RankTree tree(1);
  tree.check();
  EXPECT_EQ(tree.size(), 0u);
  EXPECT_EQ(tree.pop_min(), std::nullopt);
  EXPECT_FALSE(tree.erase("nobody"));
  EXPECT_TRUE(members_of(tree, 0, 10, Direction::ascending).empty());
  RankTree built = RankTree::Builder(1).finish();
  built.check();
  EXPECT_TRUE(built.empty());
}

TEST(RankTree, BecomesATreeWhenItGrowsAndABlockAgainWhenItShrinks) {
  RankTree tree(1);
  for (std::size_t i = 0; i < RankTree::kSmallMembers; ++i) tree.upsert(member(i), {i});
  EXPECT_TRUE(tree.is_small());
  tree.upsert("one more", {0});
  EXPECT_FALSE(tree.is_small());
  tree.check();
  while (tree.size() > RankTree::kDemoteAt + 1) tree.pop_min();
  EXPECT_FALSE(tree.is_small());
  tree.pop_min();
  EXPECT_TRUE(tree.is_small());
  tree.check();
}

TEST(RankTree, GrowsPastItsSmallFormWithinOneBatch) {
  std::vector<std::string> members;
  for (std::size_t i = 0; i < 100; ++i) members.push_back(member(i));
  const std::vector<std::string_view> views(members.begin(), members.end());
  RankTree tree(1);
  tree.modify(views, [](std::size_t i, std::optional<RankKey>) { return std::optional(RankKey{i}); });
  tree.check();
  EXPECT_EQ(tree.position_of(member(99)), (Position{99, {99}}));
}

TEST(RankTreeDeathTest, RefusesAStreamThatIsNotAscending) {
  RankTree::Builder builder(1);
  builder.add("b", {5});
  EXPECT_DEATH(builder.add("a", {5}), "");
  EXPECT_DEATH(builder.add("b", {5}), "");
  EXPECT_DEATH(builder.add("c", {4}), "");
}

TEST(RankTreeDeathTest, RefusesAStreamWithAMemberTwice) {
  RankTree::Builder builder(1);
  for (std::size_t i = 0; i < 200; ++i) builder.add(member(i), {i});
  builder.add(member(17), {1000});
  EXPECT_DEATH(std::move(builder).finish(), "");
}

TEST(RankTreeDeathTest, RefusesAMemberThatIsTooLong) {
  RankTree tree(1);
  EXPECT_DEATH(tree.upsert(std::string(kMaxMemberBytes + 1, 'x'), {1}), "");
}

}  // namespace
}  // namespace scoreline::ordered
