// The same random work on the memory index and on Redis, Valkey and a cluster gives the same answers: every kind of
// board, the ends of 64 bits, ties by the thousand, ids of any bytes. A million steps on each with SCORELINE_LONG=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "leaderboards/rank_key_codec.h"
#include "support/loaded_index.h"
#include "support/process.h"
#include "support/redis_cluster.h"
#include "support/redis_index.h"

namespace scoreline::test {
namespace {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::KeyKind;
using leaderboards::Offer;
using leaderboards::Order;
using leaderboards::PlayerId;
using leaderboards::Ranks;
using leaderboards::Rule;
using leaderboards::Standing;
using leaderboards::Ties;

using Kind = std::tuple<Rule, Order, Ties, KeyKind>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t kPlayers = 3'000;

Board board_of(const Kind& kind) {
  Board board{{leaderboard("main"), leaderboards::SeasonId{12}}, {}, {}, {}, {}, at("2026-10-01T00:00:00Z")};
  std::tie(board.rule, board.order, board.ties, board.key) = kind;
  return board;
}

enum class Servers { redis, valkey, cluster };
using Where = std::tuple<Servers, Kind>;

std::string name_of(const testing::TestParamInfo<Where>& where) {
  const auto& [servers, kind] = where.param;
  const Board board = board_of(kind);
  std::string name = servers == Servers::redis ? "redis_" : servers == Servers::valkey ? "valkey_" : "cluster_";
  name += to_string(board.rule);
  for (const auto word : {to_string(board.order), to_string(board.ties), to_string(board.key)}) {
    name += '_';
    name += word;
  }
  return name;
}

std::string id(std::uint64_t n) {
  const std::string number = std::to_string(n);
  switch (n % 8) {
    case 0: return "{" + number + "}:s12";
    case 1: return number + "\r\n$3\r\nSET";
    case 2: return std::string("\0\xff", 2) + number;
    case 3: return "\xC3\xA9\x01" + number;
    case 4: return std::string(128 - number.size(), 'x') + number;
    case 5: return number + std::string(8, '\0');
    default: return "p" + number;
  }
}

/// One for the tests of all kinds of boards; each drops its board.
struct OnServer {
  explicit OnServer(const std::string& program)
      : server(program), node("redis://127.0.0.1:" + std::to_string(server.port())) {}
  const RedisServer server;
  RedisNode node;
};
struct OnCluster {
  const RedisCluster cluster;
  RedisNode node{cluster.url()};
};

class RandomWorkTest : public testing::TestWithParam<Where> {
 protected:
  static RedisNode& node() {
    switch (std::get<Servers>(GetParam())) {
      case Servers::redis: {
        static OnServer redis(path_of(Program::redis));
        return redis.node;
      }
      case Servers::valkey: {
        static OnServer valkey(path_of(Program::valkey));
        return valkey.node;
      }
      case Servers::cluster: break;
    }
    static OnCluster cluster;
    return cluster.node;
  }
  void SetUp() override {
    if (std::get<Servers>(GetParam()) == Servers::valkey) SKIP_UNLESS_INSTALLED(Program::valkey);
    redis_.emplace(std::shared_ptr<leaderboards::RankIndex>(std::shared_ptr<void>(), node().index.get()));
  }
  void TearDown() override {
    if (redis_) (void)redis_->drop(board_);
  }

  PlayerId someone() { return player(id(random_.below(kPlayers))); }

  /// Many ties, and for wide boards the ends of the range and where doubles round.
  Standing some_standing() {
    const Timestamp start = board_.season_start;
    Standing standing{static_cast<std::int64_t>(random_.below(4)),
                      Timestamp{start.ms + static_cast<std::int64_t>(random_.below(4)) * 1'000}};
    if (board_.key == KeyKind::packed) {
      if (random_.below(50) == 0) standing.points = leaderboards::kMaxPackedPoints;
      if (random_.below(50) == 0) standing.achieved_at.ms += leaderboards::kMaxPackedSeconds * 1'000 - 4'000;
      standing.achieved_at.ms += static_cast<std::int64_t>(random_.below(2)) * 400;
      return standing;
    }
    const std::int64_t near[] = {0, std::int64_t{1} << 53, -(std::int64_t{1} << 53), kLeast + 3, kMost - 6};
    if (random_.below(3) == 0)
      standing.points += near[random_.below(std::size(near))] - (random_.below(2) == 0 ? 3 : 0);
    if (random_.below(50) == 0) standing.achieved_at = random_.below(2) == 0 ? kMinTimestamp : kMaxTimestamp;
    return standing;
  }

  std::vector<Offer> some_offers() {
    std::vector<Offer> offers;
    for (std::uint64_t i = 0, count = 1 + random_.below(random_.below(20) == 0 ? 3'000 : 8); i < count; ++i) {
      offers.push_back({someone(), some_standing(), board_.rule == Rule::sum ? ++results_ : 0});
    }
    return offers;
  }

  std::vector<PlayerId> some_players(std::uint64_t most) {
    std::vector<PlayerId> players;
    for (std::uint64_t i = 0, count = 1 + random_.below(most); i < count; ++i) players.push_back(someone());
    return players;
  }

  void apply() {
    const auto offers = some_offers();
    const Ranks ranks = random_.below(2) == 0 ? Ranks::tell : Ranks::skip;
    const auto ours = memory_.apply(board_, offers, ranks).value();
    const auto theirs = redis_->apply(board_, offers, ranks).value();
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(theirs[i].changed, ours[i].changed) << i;
      ASSERT_EQ(theirs[i].standing, ours[i].standing) << i;
      ASSERT_EQ(theirs[i].rank, ours[i].rank) << i;
      ASSERT_EQ(theirs[i].previous_rank, ours[i].previous_rank) << i;
    }
  }

  /// The board as it is loaded again: nothing may change.
  void load_again() {
    std::vector<Offer> offers;
    for (std::uint64_t first = 1;; first += 1'000) {
      const auto page = memory_.range(board_, first, 1'000).value();
      for (const auto& entry : page.entries) offers.push_back({entry.player, entry.standing, ++results_});
      if (page.entries.size() < 1'000) break;
    }
    if (board_.order == Order::descending) std::reverse(offers.begin(), offers.end());
    must(redis_->begin_load(board_));
    auto next = offers.begin();
    must(redis_->load(board_, offers.size(),
                      [&] { return next == offers.end() ? std::nullopt : std::optional(*next++); }));
  }

  void read() {
    const auto who = someone();
    const std::size_t limit = random_.below(30);
    const std::uint64_t first = 1 + random_.below(kPlayers + 10);
    const Standing place = some_standing();
    const auto players = some_players(20);
    const auto same_pages = [](const leaderboards::Page& ours, const leaderboards::Page& theirs) {
      EXPECT_EQ(theirs.players, ours.players);
      EXPECT_EQ(theirs.entries, ours.entries);
    };
    same_pages(memory_.range(board_, first, limit).value(), redis_->range(board_, first, limit).value());
    same_pages(memory_.around(board_, who, limit).value(), redis_->around(board_, who, limit).value());
    same_pages(memory_.range_after(board_, who, place, limit).value(),
               redis_->range_after(board_, who, place, limit).value());
    const auto ours = memory_.place_of(board_, who).value();
    const auto theirs = redis_->place_of(board_, who).value();
    ASSERT_EQ(theirs.has_value(), ours.has_value());
    if (ours) {
      EXPECT_EQ(theirs->entry, ours->entry);
      EXPECT_EQ(theirs->players, ours->players);
      same_pages(memory_.range_after(board_, who, ours->entry.standing, limit).value(),
                 redis_->range_after(board_, who, ours->entry.standing, limit).value());
    }
    EXPECT_EQ(redis_->ranks_of(board_, players).value(), memory_.ranks_of(board_, players).value());
    EXPECT_EQ(redis_->standings(board_, players).value(), memory_.standings(board_, players).value());
  }

  void expect_the_same_board() {
    for (std::uint64_t first = 1;; first += 1'000) {
      const auto ours = memory_.range(board_, first, 1'000).value();
      const auto theirs = redis_->range(board_, first, 1'000).value();
      ASSERT_EQ(theirs.entries, ours.entries);
      if (ours.entries.size() < 1'000) return;
    }
  }

  Board board_ = board_of(std::get<Kind>(GetParam()));
  SeededRandom random_{20'261'202};
  std::uint64_t results_ = 0;
  memory::MemoryRankIndex memory_{7};
  std::optional<LoadedIndex> redis_;
};

TEST_P(RandomWorkTest, TheSameWorkGivesTheSameAnswersInMemoryAndOnRedis) {
  const int steps = std::getenv("SCORELINE_LONG") != nullptr ? 1'000'000 / 32 : 150;
  for (int step = 0; step < steps && !HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const auto what = random_.below(100);
    if (what < 50) {
      apply();
    } else if (what < 60) {
      const auto gone = some_players(random_.below(10) == 0 ? 500 : 3);
      EXPECT_EQ(redis_->erase(board_, gone).value(), memory_.erase(board_, gone).value());
    } else if (what == 60 && random_.below(10) == 0) {
      load_again();
    } else {
      read();
    }
  }
  expect_the_same_board();
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomWorkTest,
    testing::Combine(testing::Values(Servers::redis, Servers::valkey, Servers::cluster),
                     testing::Combine(testing::Values(Rule::best, Rule::least, Rule::latest, Rule::sum),
                                      testing::Values(Order::descending, Order::ascending),
                                      testing::Values(Ties::first, Ties::last, Ties::shared, Ties::dense),
                                      testing::Values(KeyKind::wide, KeyKind::packed))),
    name_of);

}  // namespace
}  // namespace scoreline::test
