// Readers who come while one asks are asked for together, and each is told of its own player.
#include "adapters/redis/joined_reads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace scoreline::redis {
namespace {

using leaderboards::Entry;
using leaderboards::Place;
using leaderboards::PlayerId;

/// Tells of each player the number in its name; nobody is called `p0`.
std::vector<JoinedReads::Answer> places_of(std::span<const PlayerId> players) {
  std::vector<JoinedReads::Answer> answers;
  for (const PlayerId& player : players) {
    const std::uint64_t rank = std::stoull(player.text().substr(1));
    answers.push_back(rank == 0 ? std::nullopt : std::optional(Place{Entry{rank, player, {}}, 1'000}));
  }
  return answers;
}

PlayerId player(std::size_t number) { return PlayerId::trusted("p" + std::to_string(number)); }

TEST(JoinedReads, OneReaderAlone) {
  JoinedReads reads;
  EXPECT_EQ(reads.read("board", player(7), places_of).value()->entry.rank, 7U);
  EXPECT_FALSE(reads.read("board", player(0), places_of).value());
  const auto fails = [](std::span<const PlayerId> players) {
    return std::vector<JoinedReads::Answer>(players.size(), fail(Code::not_ready, "lost"));
  };
  EXPECT_EQ(reads.read("board", player(7), fails).error().code, Code::not_ready);
}

TEST(JoinedReads, WhoComesMeanwhileIsAskedForTogetherAndToldItsOwn) {
  constexpr std::size_t kReaders = 100, kRounds = 50;
  JoinedReads reads;
  std::atomic<std::size_t> calls{0}, most{0}, at_once{0};
  const JoinedReads::Ask ask = [&](std::span<const PlayerId> players) {
    EXPECT_EQ(++at_once, 1U) << "one call of a board at a time";
    ++calls;
    if (players.size() > most) most = players.size();
    std::this_thread::yield();
    auto answers = places_of(players);
    --at_once;
    return answers;
  };
  std::vector<std::thread> threads;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    threads.emplace_back([&, reader] {
      for (std::size_t round = 1; round <= kRounds; ++round) {
        const auto place = reads.read("board", player(reader * kRounds + round), ask);
        ASSERT_TRUE(place && *place);
        ASSERT_EQ((*place)->entry.rank, reader * kRounds + round);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(calls, kReaders * kRounds);
  EXPECT_GT(most, 1U);
  EXPECT_LE(most, 64U);
}

TEST(JoinedReads, BoardsDoNotWaitForEachOther) {
  JoinedReads reads;
  const auto outer = reads.read("one", player(1), [&](std::span<const PlayerId> players) {
    EXPECT_EQ(reads.read("two", player(2), places_of).value()->entry.rank, 2U);
    return places_of(players);
  });
  EXPECT_EQ(outer.value()->entry.rank, 1U);
}

}  // namespace
}  // namespace scoreline::redis
