// Random work on a Line, beside a std::map.
#include <gtest/gtest.h>

#include <iterator>
#include <map>

#include "base/random.h"
#include "queues/line.h"

namespace scoreline::queues {
namespace {

using Model = std::map<Line::Key, Slot>;

void expect_same(const Line& line, const Model& model) {
  line.check();
  ASSERT_EQ(line.size(), model.size());
  auto at = model.begin();
  line.visit(0, [&](const Line::Entry& entry) {
    EXPECT_EQ(entry.key, at->first);
    EXPECT_EQ(entry.slot, at->second);
    ++at;
    return true;
  });
  EXPECT_EQ(at, model.end());
}

/// `times`: how many different times there are; few of them: keys come near one another.
void work(std::uint64_t seed, std::uint64_t times, int steps, std::uint64_t grow) {
  SeededRandom random(seed);
  Line line;
  Model model;
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t kind = random.below(10);
    // Mostly in order, as a queue is.
    const Line::Key key{kind < 3 ? step : static_cast<std::int64_t>(random.below(times)), std::uint64_t(step)};
    if (model.empty() || kind < grow) {
      line.insert(key, static_cast<Slot>(step));
      model.emplace(key, static_cast<Slot>(step));
    } else if (kind < 8) {
      ASSERT_EQ(line.front().key, model.begin()->first);
      ASSERT_EQ(line.back().key, model.rbegin()->first);
      const Line::Entry* const second = line.near_front(1);
      ASSERT_TRUE(second == nullptr || second->key == std::next(model.begin())->first);
      line.pop_front();
      model.erase(model.begin());
    } else {
      auto victim = model.lower_bound({static_cast<std::int64_t>(random.below(times)), 0});
      if (victim == model.end()) victim = model.begin();
      ASSERT_EQ(line.rank(victim->first), std::distance(model.begin(), victim));
      line.erase(victim->first);
      model.erase(victim);
    }
    if (step % 997 == 0) expect_same(line, model);
  }
  expect_same(line, model);
  while (!model.empty()) {
    const auto victim = std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())));
    line.erase(victim->first);
    model.erase(victim);
    if (model.size() % 97 == 0) expect_same(line, model);
  }
  EXPECT_TRUE(line.empty());
}

TEST(LineWork, StaysSortedAndCounted) {
  for (const std::uint64_t grow : {4u, 6u}) {
    work(1 + grow, 20'000, 20'000, grow);
    work(2 + grow, 10, 5'000, grow);
  }
}

TEST(LineWork, GivesItsMemoryBackWhenItIsEmptiedInAnyOrder) {
  Line line;
  constexpr std::int64_t kJobs = 100'000;
  for (std::int64_t i = 0; i < kJobs; ++i) line.insert({i * 7919 % kJobs, 0}, 0);
  for (std::int64_t i = 0; i < kJobs; ++i) {
    if (i % 50 != 0) line.erase({i, 0});
  }
  line.check();
  EXPECT_EQ(line.size(), kJobs / 50);
  EXPECT_LT(line.memory_bytes(), kJobs * 12) << "one job in fifty is left, and not one block for each";
}

}  // namespace
}  // namespace scoreline::queues
