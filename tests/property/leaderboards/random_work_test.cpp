// Random work over every kind of leaderboard: after each step every read says what sorting all results says, the order
// of arrival does not show, and a restart changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/model_board.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

using ingest::Submission;

using Kind = std::tuple<Rule, Order, Ties, KeyKind, int>;

Definition definition_of(const Kind& kind) {
  Definition definition{.name = test::leaderboard("main")};
  std::tie(definition.rule, definition.order, definition.ties, definition.key, definition.scale) = kind;
  // A packed key holds nothing below 0.
  definition.min_points = definition.key == KeyKind::wide ? -1'000'000 : 0;
  return definition;
}

std::string name_of(const testing::TestParamInfo<Kind>& kind) {
  const Definition definition = definition_of(kind.param);
  std::string name;
  name += to_string(definition.rule);
  for (const std::string_view word :
       {to_string(definition.order), to_string(definition.ties), to_string(definition.key)}) {
    name += '_';
    name += word;
  }
  return name + "_" + std::to_string(definition.scale);
}

class RandomWorkTest : public testing::TestWithParam<Kind> {
 protected:
  static constexpr int kSteps = 60;
  static constexpr std::uint64_t kPlayers = 25;

  void start(test::World& world) {
    ASSERT_TRUE(world.put(definition_of(GetParam())));
    test::must(world.open_season("main", {SeasonId{12}, kStart, {}}));
  }

  /// Few players, few points, few times: so that ties of every kind come up again and again.
  Submission random_result(Random& random) {
    const Definition definition = definition_of(GetParam());
    Submission submission = test::World::result("p" + std::to_string(random.below(kPlayers)), 0);
    const auto spread = static_cast<std::int64_t>(random.below(7));
    submission.points = decimal_from(definition.min_points < 0 ? spread - 3 : spread);
    if (submission.points.digits != 0) submission.points.exponent -= definition.scale;
    submission.achieved_at = Timestamp{kStart.ms + static_cast<std::int64_t>(random.below(8)) * 400};
    submission.match_id = test::match(random.below(400));
    return submission;
  }

  void expect_reads_agree(test::World& world, const test::ModelBoard& model, Random& random) {
    const BoardRef board = world.board();
    Service& service = world.service();
    const std::vector<Entry> expected = model.entries();
    ASSERT_EQ(test::entries(service.top(board, 1000)), expected);
    const auto players = expected.size();

    const std::uint64_t from = 1 + random.below(players + 3);
    const std::size_t limit = 1 + random.below(10);
    const auto slice = [&](std::uint64_t first, std::uint64_t end) {
      first = std::min<std::uint64_t>(first, players);
      end = std::min<std::uint64_t>(end, players);
      return std::vector<Entry>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                expected.begin() + static_cast<std::ptrdiff_t>(end));
    };
    EXPECT_EQ(test::entries(service.range(board, from, limit)), slice(from - 1, from - 1 + limit));
    if (players == 0) return;

    const std::uint64_t above = random.below(players);  // equals may share a rank, never a position
    const Entry& someone = expected[above];
    EXPECT_EQ(service.place_of(board, someone.player)->entry, someone);
    EXPECT_EQ(service.place_of(board, someone.player)->players, players);
    const std::size_t radius = random.below(6);
    EXPECT_EQ(test::entries(service.around(board, someone.player, radius)),
              slice(above - std::min<std::uint64_t>(above, radius), above + radius + 1));
    EXPECT_EQ(test::entries(service.range_after(board, someone.player, someone.standing, limit)),
              slice(above + 1, above + 1 + limit));

    std::vector<PlayerId> asked;
    std::set<std::string> distinct;
    for (int i = 0; i < 8; ++i) {
      asked.push_back(test::player("p" + std::to_string(random.below(kPlayers + 5))));
      distinct.insert(asked.back().text());
    }
    const auto friends = service.friends(board, asked).value();
    std::vector<Entry> expected_friends;
    std::copy_if(expected.begin(), expected.end(), std::back_inserter(expected_friends),
                 [&](const Entry& entry) { return distinct.contains(entry.player.text()); });
    ASSERT_EQ(friends.entries.size(), expected_friends.size());
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < expected_friends.size(); ++i) {
      const bool level = i > 0 && expected_friends[i].rank == expected_friends[i - 1].rank;
      if (!level) ++different;
      std::uint64_t among = level ? friends.entries[i - 1].rank_among : i + 1;
      if (std::get<Ties>(GetParam()) == Ties::dense) among = different;
      EXPECT_EQ(friends.entries[i].rank_among, among);
    }
    EXPECT_EQ(friends.entries.size() + friends.absent.size(), distinct.size());
    for (std::size_t i = 0; i < expected_friends.size(); ++i) {
      EXPECT_EQ(friends.entries[i].entry, expected_friends[i]);
    }
  }

  const Timestamp kStart = test::at("2026-10-01T00:00:00Z");
};

TEST_P(RandomWorkTest, EveryReadSaysWhatSortingAllResultsSays) {
  test::World world;
  start(world);
  SeededRandom random(20'261'012);
  test::ModelBoard model(world.service().resolve(world.board()).value());
  std::set<std::pair<std::string, Uuid>> known;
  for (int step = 0; step < kSteps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    std::vector<Submission> batch;
    for (std::uint64_t i = 0; i < 1 + random.below(6); ++i) batch.push_back(random_result(random));
    const auto receipts = world.pipeline().submit(batch, Ranks::tell).value();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_TRUE(receipts[i]) << receipts[i].error().detail;
      const Submission& sent = batch[i];
      const bool is_new = known.insert({sent.player_id, *sent.match_id}).second;
      const auto before = model.standing(sent.player_id);
      if (is_new) {
        model.add(sent.player_id, to_scaled(sent.points, definition_of(GetParam()).scale).value(), *sent.achieved_at);
      }
      Outcome expected = Outcome::duplicate;
      if (is_new) expected = model.standing(sent.player_id) == before ? Outcome::unchanged : Outcome::improved;
      EXPECT_EQ(receipts[i]->outcome, expected);
      if (is_new) {
        EXPECT_EQ(receipts[i]->standing, *model.standing(sent.player_id));
      }
    }
    // A rank that was told is the one after the whole batch.
    const auto entries = model.entries();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      // A duplicate of a player who was erased has none.
      ASSERT_EQ(receipts[i]->rank.has_value(), model.standing(batch[i].player_id).has_value());
      if (!receipts[i]->rank) continue;
      const auto at = std::find_if(entries.begin(), entries.end(),
                                   [&](const Entry& entry) { return entry.player.text() == batch[i].player_id; });
      EXPECT_EQ(at->rank, *receipts[i]->rank);
    }
    if (random.below(10) == 0) {
      const std::string gone = "p" + std::to_string(random.below(kPlayers));
      ASSERT_TRUE(
          world.service().erase_player(test::leaderboard("main"), test::player(gone), Ledger::Erase::from_boards));
      model.erase(gone);
    }
    expect_reads_agree(world, model, random);
    if (step % 20 == 19) {
      world.restart();
      expect_reads_agree(world, model, random);
    }
  }
}

TEST_P(RandomWorkTest, TheOrderOfArrivalDoesNotShow) {
  SeededRandom random(42);
  std::vector<Submission> results;
  for (std::uint64_t i = 0; i < 200; ++i) {
    results.push_back(random_result(random));
    results.back().match_id = test::match(i);
  }
  std::vector<Entry> first;
  for (int round = 0; round < 4; ++round) {
    test::World world;
    start(world);
    for (std::size_t from = 0; from < results.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random.below(40), results.size() - from);
      const auto begin = results.begin() + static_cast<std::ptrdiff_t>(from);
      const auto receipts = world.pipeline().submit({begin, begin + static_cast<std::ptrdiff_t>(count)}, Ranks::skip);
      for (const auto& receipt : *receipts) ASSERT_TRUE(receipt);
      from += count;
    }
    const auto entries = test::entries(world.service().top(world.board(), 1000));
    if (round == 0) first = entries;
    EXPECT_EQ(entries, first);
    world.restart();
    EXPECT_EQ(test::entries(world.service().top(world.board(), 1000)), first);
    for (std::size_t i = results.size(); i > 1; --i) std::swap(results[i - 1], results[random.below(i)]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomWorkTest,
                         testing::Combine(testing::Values(Rule::best, Rule::least, Rule::sum, Rule::latest),
                                          testing::Values(Order::descending, Order::ascending),
                                          testing::Values(Ties::first, Ties::last, Ties::shared, Ties::dense),
                                          testing::Values(KeyKind::wide, KeyKind::packed), testing::Values(0, 3)),
                         name_of);

}  // namespace
}  // namespace scoreline::leaderboards
