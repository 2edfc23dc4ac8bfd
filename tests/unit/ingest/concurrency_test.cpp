// Many threads at once. Run under the thread sanitizer too.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/model_board.h"
#include "support/process.h"

namespace scoreline::ingest {
namespace {

using leaderboards::Outcome;
using leaderboards::Ranks;
using leaderboards::Rule;
using test::World;

class ConcurrencyTest : public testing::TestWithParam<Rule> {};

TEST_P(ConcurrencyTest, EverySubmitterReadsItsOwnWriteAndTheBoardIsThatOfTheLedger) {
  World world;
  ASSERT_TRUE(world.put(test::with_rule("main", GetParam())));
  constexpr int kThreads = 8;
  constexpr int kSubmits = 150;
  std::atomic<int> unseen{0};
  std::atomic<int> duplicates{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      SeededRandom random(static_cast<std::uint64_t>(t) + 1);
      for (int i = 0; i < kSubmits; ++i) {
        const std::string player = "p" + std::to_string(random.below(10));
        // Two threads share each match, so that every result is sent twice.
        const auto match = test::match(static_cast<std::uint64_t>(t / 2) * 100'000 + static_cast<std::uint64_t>(i));
        const auto receipt = world.submit("t" + std::to_string(t / 2), i, Timestamp{i}, match);
        if (receipt->outcome == Outcome::duplicate) ++duplicates;
        const auto place = world.service().place_of(world.board(), test::player("t" + std::to_string(t / 2)));
        if (!place) ++unseen;
        if (!world.submit(player, static_cast<std::int64_t>(random.below(100)), Timestamp{1})) ++unseen;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(unseen, 0);
  EXPECT_EQ(duplicates, kThreads / 2 * kSubmits);

  test::ModelBoard model(world.service().resolve(world.board()).value());
  const auto results = world.ledger.results();
  EXPECT_EQ(results.size(), static_cast<std::size_t>(kThreads / 2 * kSubmits + kThreads * kSubmits));
  for (const auto& result : results) model.add(result.player.text(), result.points, result.achieved_at);
  EXPECT_EQ(test::entries(world.service().top(world.board(), 1000)), model.entries());
}

INSTANTIATE_TEST_SUITE_P(Rules, ConcurrencyTest, testing::Values(Rule::best, Rule::sum),
                         [](const auto& rule) { return std::string(leaderboards::to_string(rule.param)); });

TEST(RedefinitionTest, DefinitionsChangeWhileResultsComeIn) {
  World world;
  std::atomic<bool> all_sent{false};
  std::thread submitter([&] {
    for (int i = 0; i < 500; ++i) {
      Submission submission = World::result("p" + std::to_string(i % 20), i);
      submission.leaderboard = i % 2 == 0 ? "main" : "other";
      submission.season_id = i % 5;
      static_cast<void>(world.submit(submission));
    }
    all_sent = true;
  });
  for (int i = 0; !all_sent; ++i) {
    std::atomic<bool> done{false};
    world.pipeline().exclusive([&] {
      auto& service = world.service();
      if (i % 3 == 2) {
        static_cast<void>(service.drop(test::leaderboard("other")));
      } else {
        static_cast<void>(service.put_definition(test::with_rule("other", i % 2 == 0 ? Rule::sum : Rule::best)));
      }
      done = true;
      done.notify_one();
    });
    done.wait(false);
    static_cast<void>(world.service().top(world.board("other", i % 5), 10));
  }
  submitter.join();
  const auto live = world.top(world.board("main", 2));
  EXPECT_FALSE(live.empty());
  world.restart();
  EXPECT_EQ(world.top(world.board("main", 2)), live);
}

}  // namespace
}  // namespace scoreline::ingest
