// Who listens to a board hears what it is now: at first, after each change, and after a return.
#include "http/event_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/process.h"

namespace scoreline::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Waker : AnswerSink {
  void deliver(Response) override {}
  void wake() override { ++woken; }
  int woken = 0;
};

class EventHubTest : public testing::Test {
 protected:
  std::shared_ptr<BodyStream> listen(std::optional<std::string> player = {}, std::string_view last_id = {},
                                     std::size_t top = 2) {
    std::optional<leaderboards::PlayerId> id;
    if (player) id = test::player(*player);
    return hub_.listen({"main", leaderboards::SeasonId{12}, top}, id, last_id, waker_).value();
  }
  void submit(const std::string& player, std::int64_t points) { ASSERT_TRUE(world_.submit(player, points)); }
  std::string heard(BodyStream& stream) {
    hub_.tick();
    return stream.next();
  }
  /// The id of the last event in `text`.
  static std::string id_in(const std::string& text) {
    const std::size_t at = text.rfind("id: ") + 4;
    return text.substr(at, text.find('\n', at) - at);
  }

  test::World world_;
  std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  EventHub hub_{world_.service(), std::chrono::milliseconds{0}};
};

TEST_F(EventHubTest, AListenerHearsTheTopAtFirstAndWithEachChange) {
  submit("alice", 10);
  const auto stream = listen();
  const std::string first = heard(*stream);
  EXPECT_THAT(first, StartsWith("retry: "));
  EXPECT_THAT(first, HasSubstr("event: top\n"));
  EXPECT_THAT(first, HasSubstr(R"(data: {"season":12,"period":"season","players":1,"entries":[{"rank":1,)"
                               R"("playerId":"alice","points":10,)"));
  EXPECT_THAT(first, Not(HasSubstr("event: rank")));
  EXPECT_THAT(heard(*stream), IsEmpty());
  submit("bob", 20);
  EXPECT_THAT(heard(*stream), HasSubstr(R"("players":2,"entries":[{"rank":1,"playerId":"bob")"));
  EXPECT_THAT(heard(*stream), IsEmpty());
}

TEST_F(EventHubTest, WhoIsSlowHearsOnlyTheEnd) {
  submit("alice", 10);
  const auto stream = listen();
  heard(*stream);
  for (int points = 11; points <= 15; ++points) {
    submit("alice", points);
    hub_.tick();
  }
  const std::string news = stream->next();
  EXPECT_THAT(news, HasSubstr(R"("points":15)"));
  EXPECT_THAT(news, Not(HasSubstr(R"("points":14)")));
  EXPECT_THAT(stream->next(), IsEmpty());
}

TEST_F(EventHubTest, AfterAReturnPointsThatMovedNoRankAreHeard) {
  for (const auto& [player, points] : {std::pair{"alice", 30}, {"bob", 20}, {"carol", 10}}) submit(player, points);
  const std::string left = id_in(heard(*listen("carol", {}, 1)));
  EXPECT_THAT(heard(*listen("carol", left, 1)), Not(HasSubstr("event: rank")));
  submit("carol", 15);
  EXPECT_THAT(heard(*listen("carol", left, 1)), HasSubstr(R"("rank":3,"playerId":"carol","points":15,)"));
}

TEST_F(EventHubTest, AfterAReturnWhoWasAbsentHasJoined) {
  submit("alice", 30);
  const std::string left = id_in(heard(*listen("carol")));
  EXPECT_THAT(heard(*listen("carol", left)), Not(HasSubstr("event: rank")));
  submit("carol", 10);
  EXPECT_THAT(heard(*listen("carol", left)), HasSubstr(R"("previousRank":null,"change":"joined")"));
}

TEST_F(EventHubTest, APlayerHearsOfTheirRank) {
  submit("alice", 10);
  submit("bob", 5);
  const auto stream = listen("alice", {}, 1);
  EXPECT_THAT(heard(*stream), HasSubstr(R"("rank":1,"playerId":"alice","points":10,)"));
  submit("bob", 20);
  std::string news = heard(*stream);
  EXPECT_THAT(news, HasSubstr("event: rank\n"));
  EXPECT_THAT(news, HasSubstr(R"("players":2,"previousRank":1,"change":"overtaken","inTop":false,"top":"left"})"));
  submit("alice", 30);
  EXPECT_THAT(heard(*stream), HasSubstr(R"("previousRank":2,"change":"risen","inTop":true,"top":"entered"})"));
  submit("alice", 40);
  EXPECT_THAT(heard(*stream), HasSubstr(R"("points":40,)"));
  submit("bob", 25);
  EXPECT_THAT(heard(*stream), Not(HasSubstr("event: rank"))) << "alice stands where she stood";
}

TEST_F(EventHubTest, APlayerWhoComesAndGoesIsTold) {
  submit("alice", 10);
  const auto stream = listen("bob");
  EXPECT_THAT(heard(*stream), HasSubstr(R"("rank":null,"playerId":"bob","previousRank":null,"change":"first")"));
  submit("bob", 5);
  EXPECT_THAT(heard(*stream), HasSubstr(R"("previousRank":null,"change":"joined")"));
  ASSERT_TRUE(world_.service().erase_player(test::leaderboard("main"), test::player("bob"),
                                            leaderboards::Ledger::Erase::from_boards));
  EXPECT_THAT(heard(*stream), HasSubstr(R"("rank":null,"playerId":"bob","previousRank":2,"change":"left")"));
}

TEST_F(EventHubTest, WhoComesBackHearsWhatChangedMeanwhile) {
  submit("alice", 10);
  const auto first = listen("alice");
  const std::string id = id_in(heard(*first));
  EXPECT_THAT(heard(*listen("alice", id)), Not(HasSubstr("data:"))) << "nothing has changed";
  submit("bob", 20);
  const std::string news = heard(*listen("alice", id));
  EXPECT_THAT(news, HasSubstr("event: top\n"));
  EXPECT_THAT(news, HasSubstr(R"("previousRank":1,"change":"overtaken")"));
  EXPECT_THAT(heard(*listen("alice", "what is this")), HasSubstr(R"("change":"first")"));
}

TEST_F(EventHubTest, IdsCannotBreakOutOfAnEvent) {
  submit("a\"},\\{\xE2\x80\xA8", 10);
  const std::string first = heard(*listen());
  EXPECT_THAT(first, HasSubstr(R"("playerId":"a\"},\\{)"));
  const std::size_t data = first.find("data: ");
  EXPECT_EQ(first.find('\n', data), first.size() - 2) << "one line of data";
}

TEST_F(EventHubTest, OnlyWhoHasNewsIsWoken) {
  submit("alice", 10);
  const auto stream = listen("alice");
  heard(*stream);
  waker_->woken = 0;
  hub_.tick();
  EXPECT_EQ(waker_->woken, 0);
  submit("bob", 20);
  hub_.tick();
  EXPECT_EQ(waker_->woken, 1);
  submit("carol", 30);
  hub_.tick();
  EXPECT_EQ(waker_->woken, 1) << "it has not taken what it was woken for";
}

TEST_F(EventHubTest, OverTheLimitNobodyMoreIsLetIn) {
  hub_.allow(1);
  auto stream = listen();
  const auto refused = hub_.listen({"main", leaderboards::SeasonId{12}, 2}, {}, {}, waker_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::overloaded);
  stream.reset();
  EXPECT_NE(listen(), nullptr);
}

TEST_F(EventHubTest, WhoJoinsHasNoOtherBoardLookedAt) {
  EventHub hub{world_.service(), std::chrono::hours{1}};
  const auto join = [&](std::size_t top) {
    const auto stream = hub.listen({"main", leaderboards::SeasonId{12}, top}, std::nullopt, {}, waker_).value();
    for (int turn = 0; turn < 1'000; ++turn) {
      if (stream->next().find("event: top") != std::string::npos) return stream;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    ADD_FAILURE() << "who joined heard nothing";
    return stream;
  };
  submit("alice", 10);
  const auto first = join(2);
  submit("bob", 20);
  const auto second = join(3);
  EXPECT_THAT(first->next(), IsEmpty());
  const auto third = join(2);
  EXPECT_THAT(first->next(), HasSubstr("bob"));
}

TEST_F(EventHubTest, WhoIsGoneCostsNothing) {
  submit("alice", 10);
  auto stream = listen();
  EXPECT_EQ(hub_.listeners(), 1U);
  stream.reset();
  EXPECT_EQ(hub_.listeners(), 0U);
  hub_.tick();
}

TEST_F(EventHubTest, TheNextSeasonTakesThePlaceOfTheCurrentOne) {
  const auto at = [&](std::int64_t seconds) { return Timestamp{world_.clock.now().ms + seconds * 1000}; };
  ASSERT_TRUE(world_.open_season("main", {.id = {1}, .start = at(-100), .end = at(100)}));
  ASSERT_TRUE(world_.open_season("main", {.id = {2}, .start = at(100), .end = at(200)}));
  auto result = test::World::result("alice", 10);
  result.season_id = 1;
  ASSERT_TRUE(world_.submit(result));
  const auto stream = hub_.listen({"main", std::nullopt, 2}, test::player("alice"), {}, waker_).value();
  EXPECT_THAT(heard(*stream), HasSubstr(R"({"season":1,)"));
  world_.clock.advance(std::chrono::seconds{100});
  const std::string news = heard(*stream);
  EXPECT_THAT(news, HasSubstr(R"({"season":2,"period":"season","players":0,"entries":[]})"));
  EXPECT_THAT(news, HasSubstr(R"({"season":2,"period":"season","rank":null,"playerId":"alice")"));
}

}  // namespace
}  // namespace scoreline::http
