#include "adapters/memory/memory_rank_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "contract/rank_index/rank_index_order_contract.h"

namespace scoreline::test {
namespace {

std::unique_ptr<leaderboards::RankIndex> make_memory_index() { return std::make_unique<memory::MemoryRankIndex>(7); }

INSTANTIATE_TEST_SUITE_P(Memory, RankIndexContract, testing::Values(IndexUnderTest{"memory", &make_memory_index}),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Memory, RankIndexOrderContract, testing::Values(IndexUnderTest{"memory", &make_memory_index}),
                         testing::PrintToStringParamName());

using leaderboards::Board;
using leaderboards::Offer;
using leaderboards::Ranks;

Board board() {
  return Board{{leaderboard("main"), leaderboards::SeasonId{12}},
               leaderboards::Rule::best,
               leaderboards::Order::descending,
               leaderboards::Ties::first,
               leaderboards::KeyKind::wide,
               Timestamp{}};
}

TEST(MemoryRankIndexTest, LoadingNothingCostsNothing) {
  memory::MemoryRankIndex index(1);
  must(index.load(board(), 0, [] { return std::nullopt; }));
  EXPECT_EQ(index.boards(), 0U);
}

TEST(MemoryRankIndexTest, ReadersSeeWholeBoardsWhileAWriterChangesAndReplacesThem) {
  memory::MemoryRankIndex index(1);
  constexpr int kPlayers = 200;
  // Every state that the writer leaves behind has all players on one common number of points.
  const auto offers_at = [](std::int64_t points) {
    std::vector<Offer> offers;
    for (int i = 0; i < kPlayers; ++i) {
      offers.push_back({player("p" + std::to_string(1000 + i)), {points, Timestamp{0}}});
    }
    return offers;
  };
  ASSERT_TRUE(index.apply(board(), offers_at(0), Ranks::skip));
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::thread reader([&] {
    while (!stop) {
      const auto page = index.around(board(), player("p1100"), 100).value();
      bool whole = page.players == kPlayers && page.entries.size() == kPlayers;
      for (const auto& entry : page.entries) whole = whole && entry.standing == page.entries.front().standing;
      const auto place = index.place_of(board(), player("p1000")).value();
      whole = whole && place && place->entry.rank == kPlayers && place->players == kPlayers;
      torn += whole ? 0 : 1;
    }
  });
  for (int points = 1; points <= 200; ++points) {
    if (points % 10 == 0) {
      const auto offers = offers_at(points);
      auto next = offers.begin();
      must(index.load(board(), offers.size(),
                      [&] { return next == offers.end() ? std::nullopt : std::optional(*next++); }));
    } else {
      ASSERT_TRUE(index.apply(board(), offers_at(points), Ranks::skip));
    }
  }
  stop = true;
  reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace scoreline::test
