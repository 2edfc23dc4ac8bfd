// A board is made again while results keep coming, and compared with its ledger.
#include "leaderboards/board_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/model_board.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

using test::World;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const BoardMaker::Progress kUnheard = [](ScanProgress) {};

class BoardMakerTest : public testing::Test {
 protected:
  Board board() { return world_.service().resolve(world_.board()).value(); }
  BoardMaker& maker() { return world_.service().maker(); }
  Drift drift() { return maker().compare(board(), kUnheard).value(); }

  World world_;
};

TEST_F(BoardMakerTest, BoardThatIsRightHasNoDrift) {
  ASSERT_TRUE(world_.submit("a", 5));
  ASSERT_TRUE(world_.submit("b", 7));
  const Drift found = drift();
  EXPECT_EQ(found.players, 0U);
  EXPECT_EQ(found.ledger.players, 2U);
  EXPECT_EQ(found.ledger, found.index);
  EXPECT_NE(found.ledger.checksum, 0U);
}

TEST_F(BoardMakerTest, EachWayToDifferIsFoundAndMadeRight) {
  for (const char* player : {"same", "lost", "lower"}) ASSERT_TRUE(world_.submit(player, 5, Timestamp{1'000}));
  const Standing wrong{9, {1'000}};
  const std::vector strangers{Offer{PlayerId::trusted("lower"), wrong}, Offer{PlayerId::trusted("nobody"), wrong}};
  ASSERT_TRUE(world_.index().apply(board(), strangers, Ranks::skip));
  const std::vector lost{PlayerId::trusted("lost")};
  ASSERT_TRUE(world_.index().erase(board(), lost));

  const Drift found = drift();
  EXPECT_EQ(found.players, 3U);
  EXPECT_EQ(found.ledger.players, 3U);
  EXPECT_EQ(found.index.players, 3U);
  EXPECT_NE(found.ledger.checksum, found.index.checksum) << "the counts alone do not tell";
  ASSERT_THAT(found.differing, SizeIs(3));
  const Standing right{5, {1'000}};
  EXPECT_EQ(found.differing[0].player.text(), "lost");
  EXPECT_EQ(found.differing[0].ledger, right);
  EXPECT_EQ(found.differing[0].index, std::nullopt);
  EXPECT_EQ(found.differing[1].player.text(), "lower");
  EXPECT_EQ(found.differing[1].ledger, right);
  EXPECT_EQ(found.differing[1].index, wrong);
  EXPECT_EQ(found.differing[2].player.text(), "nobody");
  EXPECT_EQ(found.differing[2].ledger, std::nullopt);

  ASSERT_TRUE(maker().make(board(), kUnheard));
  EXPECT_EQ(drift().players, 0U);
  EXPECT_THAT(world_.top(), ElementsAre("same=5", "lower=5", "lost=5"));
}

TEST_F(BoardMakerTest, OnlyTheFirstOfManyDifferencesAreShown) {
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(world_.submit("p" + std::to_string(i), i));
  ASSERT_TRUE(world_.index().drop(board()));
  const Drift found = drift();
  EXPECT_EQ(found.players, 25U);
  EXPECT_THAT(found.differing, SizeIs(Drift::kMaxShown));
  EXPECT_EQ(found.index, BoardSum{});
}

TEST_F(BoardMakerTest, ScanThatFailsLeavesTheBoardAndTheNextOneWorks) {
  ASSERT_TRUE(world_.submit("a", 5));
  world_.ledger.fail_scans(Error{Code::damaged, "a row", {}, std::nullopt});
  EXPECT_EQ(maker().make(board(), kUnheard).error().code, Code::damaged);
  EXPECT_EQ(maker().compare(board(), kUnheard).error().code, Code::damaged);
  EXPECT_THAT(world_.top(), ElementsAre("a=5"));
  world_.ledger.fail_scans(std::nullopt);
  ASSERT_TRUE(world_.submit("b", 6));
  ASSERT_TRUE(maker().make(board(), kUnheard));
  EXPECT_THAT(world_.top(), ElementsAre("b=6", "a=5"));
}

TEST_F(BoardMakerTest, ErasedPlayerDoesNotComeBackWithARebuild) {
  ASSERT_TRUE(world_.submit("a", 5));
  ASSERT_TRUE(world_.submit("b", 6));
  ASSERT_TRUE(
      world_.service().erase_player(test::leaderboard("main"), PlayerId::trusted("a"), Ledger::Erase::from_boards));
  ASSERT_TRUE(maker().make(board(), kUnheard));
  EXPECT_THAT(world_.top(), ElementsAre("b=6"));
}

class BoardUnderLoadTest : public testing::TestWithParam<Rule> {};

TEST_P(BoardUnderLoadTest, NothingIsLostAndNobodySeesAPartOfTheBoardWhileItIsMadeAgainAndAgain) {
  World world;
  ASSERT_TRUE(world.put(test::with_rule("main", GetParam())));
  SeededRandom random(7);
  const auto some_results = [&](std::size_t count) {
    std::vector<ingest::Submission> batch;
    for (std::size_t i = 0; i < count; ++i) {
      batch.push_back(World::result("p" + std::to_string(random.below(300)),
                                    static_cast<std::int64_t>(random.below(50)),
                                    Timestamp{static_cast<std::int64_t>(random.below(1'000))}));
    }
    return batch;
  };
  std::vector<ingest::Submission> first;
  for (int i = 0; i < 300; ++i) first.push_back(World::result("p" + std::to_string(i), 1, Timestamp{1}));
  ASSERT_TRUE(world.pipeline().submit(first, Ranks::skip));

  std::atomic<bool> done{false};
  std::thread making([&] {
    const Board board = world.service().resolve(world.board()).value();
    while (!done) EXPECT_TRUE(world.service().maker().make(board, kUnheard));
  });
  std::thread reading([&] {
    while (!done) EXPECT_EQ(world.service().top(world.board(), 1'000)->entries.size(), 300U);
  });
  std::thread comparing([&] {
    while (!done) {
      const auto drift = world.service().maker().compare(world.service().resolve(world.board()).value(), kUnheard);
      ASSERT_TRUE(drift);
      EXPECT_EQ(drift->ledger.players, 300U);
    }
  });
  for (int i = 0; i < 150; ++i) ASSERT_TRUE(world.pipeline().submit(some_results(20), Ranks::skip));
  done = true;
  making.join();
  reading.join();
  comparing.join();

  test::ModelBoard model(world.service().resolve(world.board()).value());
  for (const auto& result : world.ledger.results()) {
    model.add(result.player.text(), result.points, result.achieved_at);
  }
  EXPECT_EQ(test::entries(world.service().top(world.board(), 1'000)), model.entries());
  EXPECT_EQ(world.service().maker().compare(world.service().resolve(world.board()).value(), kUnheard)->players, 0U);
}

INSTANTIATE_TEST_SUITE_P(Rules, BoardUnderLoadTest, testing::Values(Rule::best, Rule::least, Rule::sum, Rule::latest),
                         [](const auto& rule) { return std::string(to_string(rule.param)); });

}  // namespace
}  // namespace scoreline::leaderboards
