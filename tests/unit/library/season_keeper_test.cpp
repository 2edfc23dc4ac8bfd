// Seasons by schedule, opened and closed by the keeper while a clock of the test runs through years.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "app/engine.h"
#include "support/scratch_folder.h"

namespace scoreline::app {
namespace {

using leaderboards::Definition;
using leaderboards::LeaderboardName;
using leaderboards::Season;
using leaderboards::SeasonId;
using leaderboards::SeasonState;

/// Read by the keeper's thread while the test sets it.
class SharedClock final : public Clock {
 public:
  explicit SharedClock(Timestamp start) : wall_(start.ms) {}
  Timestamp now() const override { return {wall_}; }
  Monotonic monotonic() const override { return SystemClock().monotonic(); }
  void set(Timestamp to) { wall_ = to.ms; }

 private:
  std::atomic<std::int64_t> wall_;
};

constexpr std::chrono::milliseconds kLength = std::chrono::hours{19 * 24 + 6};
const Timestamp kFrom = *parse_timestamp("2026-01-05T03:00:00Z");

class SeasonKeeperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Definition definition{LeaderboardName::trusted("ladder")};
    definition.schedule.every = kLength;
    definition.schedule.from = kFrom;
    options_.data = folder_.path() / "data";
    options_.definitions = {definition};
    options_.clock = &clock_;
    options_.look_after_seasons = std::chrono::milliseconds{2};
    open();
  }
  void open() {
    engine_.reset();
    engine_ = *Engine::open(options_);
    ASSERT_TRUE(engine_->rebuild());
  }

  std::vector<Season> seasons() { return (*engine_->service().catalogue().find("ladder"))->seasons; }
  SeasonState state(std::int32_t id) { return leaderboards::find_season(*record(), SeasonId{id})->state; }
  std::shared_ptr<const leaderboards::LeaderboardRecord> record() {
    return *engine_->service().catalogue().find("ladder");
  }
  template <typename Condition>
  static bool soon(Condition condition) {
    for (int i = 0; i < 5'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{2});
    return condition();
  }
  Result<ingest::Receipt> submit(std::string player, std::int32_t season, Timestamp at) {
    ingest::Submission submission;
    submission.leaderboard = "ladder";
    submission.player_id = std::move(player);
    submission.season_id = season;
    submission.points = *parse_decimal("7");
    submission.achieved_at = at;
    return engine_->pipeline().submit({submission}, leaderboards::Ranks::skip)->front();
  }

  test::ScratchFolder folder_;
  SharedClock clock_{{kFrom.ms - 60'000}};
  EngineOptions options_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(SeasonKeeperTest, FixedLengthRunsThroughYearsWithoutAGap) {
  ASSERT_TRUE(soon([&] { return seasons().size() == 1; })) << "opened ahead of its start";
  constexpr int kSeasons = 60;
  for (int n = 1; n <= kSeasons; ++n) {
    const Timestamp start{kFrom.ms + (n - 1) * kLength.count()};
    clock_.set({start.ms + 1});
    ASSERT_TRUE(submit("p" + std::to_string(n), n, start)) << n;
    // Its end, and the end of its grace.
    clock_.set({start.ms + kLength.count() + std::chrono::milliseconds{std::chrono::minutes{10}}.count()});
    ASSERT_TRUE(soon([&] {
      return state(n) == SeasonState::closed && seasons().size() == static_cast<std::size_t>(n) + 1;
    })) << n;
  }
  for (int n = 1; n <= kSeasons; ++n) {
    const Season season = *leaderboards::find_season(*record(), SeasonId{n});
    EXPECT_EQ(season.start->ms, kFrom.ms + (n - 1) * kLength.count());
    EXPECT_EQ(season.end->ms, season.start->ms + kLength.count());
    EXPECT_EQ(season.players, 1u);
    const auto top = engine_->service().top({"ladder", SeasonId{n}}, 10);
    ASSERT_TRUE(top);
    EXPECT_EQ(top->entries.at(0).player.text(), "p" + std::to_string(n));
    // The index has given its memory back.
    const auto board = *engine_->service().catalogue().board("ladder", SeasonId{n});
    EXPECT_TRUE(soon([&] { return engine_->index().range(board, 1, 1)->players == 0; })) << n;
  }
  open();
  EXPECT_EQ(engine_->service().top({"ladder", SeasonId{7}}, 10)->players, 1u);
}

TEST_F(SeasonKeeperTest, LateResultGoesToTheOldSeasonUntilItsGraceIsOver) {
  const Timestamp end{kFrom.ms + kLength.count()};
  clock_.set({end.ms - 1'000});
  ASSERT_TRUE(soon([&] { return seasons().size() == 2; }));
  clock_.set({end.ms + 5'000});
  EXPECT_EQ(leaderboards::state_at(seasons()[0], clock_.now()), SeasonState::closing);
  EXPECT_TRUE(submit("late", 1, {end.ms - 1}));
  EXPECT_EQ(submit("late", 1, end).error().field, "achievedAt");
  EXPECT_TRUE(submit("new", 2, end));
  clock_.set({end.ms + std::chrono::milliseconds{std::chrono::minutes{10}}.count()});
  ASSERT_TRUE(soon([&] { return state(1) == SeasonState::closed; }));
  EXPECT_EQ(submit("later", 1, {end.ms - 1}).error().field, "seasonId");
  EXPECT_EQ(engine_->service().top({"ladder", SeasonId{1}}, 10)->players, 1u);
  EXPECT_EQ(engine_->service().top({"ladder", SeasonId{2}}, 10)->players, 1u);
}

}  // namespace
}  // namespace scoreline::app
