// Several nodes on one ledger: what one does while another is in the middle of something.
#include <map>
#include <set>

#include "adapters/postgres/migrations.h"
#include "ledger_fixture.h"

namespace scoreline::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Erase = leaderboards::Ledger::Erase;

leaderboards::BoardId main_board() { return {board_name("main"), {1}}; }

std::multiset<std::string> players_since(PostgresLedger& ledger, Watermark since) {
  std::multiset<std::string> players;
  const auto scanned = ledger.scan_since(since, [&](const LedgerRow& row) { players.emplace(row.player); });
  EXPECT_TRUE(scanned) << scanned.error().detail;
  return players;
}

leaderboards::Definition definition_of(leaderboards::Rule rule) {
  leaderboards::Definition definition{board_name("main")};
  definition.rule = rule;
  return definition;
}

TEST_F(PostgresFaults, ManyNodesMayPrepareANewLedgerAtOnce) {
  std::vector<std::future<std::string>> nodes;
  for (int i = 0; i < 4; ++i) {
    nodes.push_back(std::async(std::launch::async, [this] { return open()->identity().value(); }));
  }
  std::set<std::string> identities;
  for (auto& node : nodes) identities.insert(node.get());
  EXPECT_EQ(identities.size(), 1u);
  EXPECT_EQ(sql("SELECT schema_version FROM ledger"), std::to_string(migrations().back().number));
}

TEST_F(PostgresFaults, ResultCommittedAfterAnErasureCounts) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(std::vector{result(1, "a", 10)}));
  Stranger other_node(url());
  other_node.hold(2, "a");
  EXPECT_EQ(ledger->erase_player(board_name("main"), player_id("a"), Erase::from_boards, {}).value(), 1u);
  other_node.run("COMMIT");
  EXPECT_EQ(test::results_of(*ledger, main_board(), player_id("a")).value().size(), 1u);
  EXPECT_EQ(ledger->append(std::vector{result(1, "a", 10)}).value(), std::vector{Recorded::duplicate});
  EXPECT_EQ(test::results_of(*ledger, main_board(), player_id("a")).value().size(), 1u);
}

TEST_F(PostgresFaults, NothingIsMissedBetweenAScanAndWhatCameSince) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(std::vector{result(1, "before")}));
  Stranger other_node(url());
  other_node.hold(2, "under-way");
  ASSERT_TRUE(ledger->append(std::vector{result(5, "meanwhile")}));
  const Watermark mark = ledger->watermark().value();
  ASSERT_TRUE(ledger->append(std::vector{result(3, "between")}));
  std::multiset<std::string> seen;
  ASSERT_TRUE(ledger->scan([&](const LedgerRow& row) { seen.emplace(row.player); }, nullptr));
  EXPECT_THAT(seen, ElementsAre("before", "between", "meanwhile"));
  other_node.run("COMMIT");
  ASSERT_TRUE(ledger->append(std::vector{result(4, "after")}));
  EXPECT_THAT(players_since(*ledger, mark), ElementsAre("after", "between", "meanwhile", "under-way"));
}

TEST_F(PostgresFaults, OnlyWhatCameSinceIsToldWhereNothingWasUnderWay) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(batch_of(100)));
  const Watermark mark = ledger->watermark().value();
  EXPECT_TRUE(players_since(*ledger, mark).empty());
  ASSERT_TRUE(ledger->append(std::vector{result(1'000, "new")}));
  EXPECT_THAT(players_since(*ledger, mark), ElementsAre("new"));
}

TEST_F(PostgresFaults, RowsOfAnotherServersDumpAreNotToldAsNew) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(batch_of(3)));
  sql("UPDATE match_results SET tx = 9000000000000000000");
  const Watermark mark = ledger->watermark().value();
  ASSERT_TRUE(ledger->append(std::vector{result(1'000, "new")}));
  EXPECT_THAT(players_since(*ledger, mark), ElementsAre("new"));
}

TEST_F(PostgresFaults, ResultsRecordedWhileTheRuleBecomesSumAreFoundByPlayer) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->put_definition(definition_of(leaderboards::Rule::best)));
  Stranger other_node(url());
  other_node.run("BEGIN");
  other_node.run("SELECT pg_advisory_xact_lock_shared(1396921202, hashtext('main') & 63)");  // as append() does
  other_node.insert(1, "a");
  auto defined =
      std::async(std::launch::async, [&] { return ledger->put_definition(definition_of(leaderboards::Rule::sum)); });
  eventually([this] { return !waiting_backend().empty(); });
  other_node.run("COMMIT");
  ASSERT_TRUE(defined.get());
  EXPECT_EQ(test::results_of(*ledger, main_board(), player_id("a")).value().size(), 1u);
  ASSERT_TRUE(ledger->append(std::vector{result(2, "a")}));
  EXPECT_EQ(test::results_of(*ledger, main_board(), player_id("a")).value().size(), 2u);
  EXPECT_EQ(sql("SELECT count(*) FROM match_results WHERE by_player"), "2");
}

TEST_F(PostgresFaults, ResultsBeingRecordedGoWithADroppedLeaderboard) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->put_definition(definition_of(leaderboards::Rule::best)));
  Stranger other_node(url());
  other_node.run("BEGIN");
  other_node.run("SELECT pg_advisory_xact_lock_shared(1396921202, hashtext('main') & 63)");
  other_node.insert(1, "a");
  auto dropped = std::async(std::launch::async, [&] { return ledger->drop_leaderboard(board_name("main")); });
  eventually([this] { return !waiting_backend().empty(); });
  other_node.run("COMMIT");
  ASSERT_TRUE(dropped.get());
  EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresFaults, ResultsOfManyPlayersComeInOneRead) {
  const auto ledger = open();
  for (const auto rule : {leaderboards::Rule::best, leaderboards::Rule::sum}) {
    ASSERT_TRUE(ledger->put_definition(definition_of(rule)));
    ASSERT_TRUE(
        ledger->append(std::vector{result(1, "a", 1), result(2, "a", 2), result(1, "b", 3), result(1, "c", 4)}));
    ASSERT_TRUE(ledger->erase_player(board_name("main"), player_id("d"), Erase::from_boards, {}));
    std::multimap<std::string, std::int64_t> points;
    const std::vector players{player_id("a"), player_id("b"), player_id("nobody")};
    ASSERT_TRUE(
        ledger->results_of(main_board(), players, [&](std::string_view player, const leaderboards::Standing& each) {
          EXPECT_EQ(each.achieved_at.ms, 1'000);
          points.emplace(player, each.points);
        }));
    EXPECT_THAT(points, UnorderedElementsAre(std::pair("a", 1), std::pair("a", 2), std::pair("b", 3)))
        << to_string(rule);
  }
}

TEST_F(PostgresFaults, MoreReadersThanConnectionsReadBesideTheWriter) {
  const auto ledger = open({5s, 60s, 3s, 2s, 2});
  ASSERT_TRUE(ledger->put_definition(definition_of(leaderboards::Rule::sum)));
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 6; ++i) {
    readers.emplace_back([&] {
      std::size_t last = 0;
      while (!done) {
        const auto results = test::results_of(*ledger, main_board(), player_id("a"));
        ASSERT_TRUE(results) << results.error().detail;
        ASSERT_GE(results->size(), last) << "what was seen once stays";
        last = results->size();
      }
    });
  }
  for (std::uint64_t match = 1; match <= 50; ++match) {
    ASSERT_TRUE(ledger->append(std::vector{result(match, "a")}));
    EXPECT_EQ(test::results_of(*ledger, main_board(), player_id("a")).value().size(), match) << "our own write is seen";
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(PostgresFaults, EveryChangeOfDefinitionsIsSeenInTheirVersion) {
  const auto ledger = open(), other_node = open();
  std::uint64_t last = other_node->definitions_version().value();
  const auto grew = [&] {
    const std::uint64_t now = other_node->definitions_version().value();
    return std::exchange(last, now) < now;
  };
  EXPECT_FALSE(grew());
  ASSERT_TRUE(ledger->put_definition(definition_of(leaderboards::Rule::best)));
  EXPECT_TRUE(grew());
  ASSERT_TRUE(ledger->put_season(board_name("main"), {{1}, std::nullopt, std::nullopt}));
  EXPECT_TRUE(grew());
  ASSERT_TRUE(ledger->append(batch_of(1)));
  EXPECT_FALSE(grew());
  ASSERT_TRUE(ledger->drop_leaderboard(board_name("main")));
  EXPECT_TRUE(grew());
}

TEST_F(PostgresFaults, IdentityStaysWithTheLedgerAndNoOtherHasIt) {
  const auto ledger = open();
  const std::string identity = ledger->identity().value();
  ASSERT_TRUE(ledger->append(batch_of(3)));
  EXPECT_EQ(open()->identity().value(), identity);
  EXPECT_NE(open({}, test::new_schema_url(server()))->identity().value(), identity);
  sql("CREATE TABLE restored (LIKE match_results INCLUDING ALL); DROP TABLE match_results;"
      "ALTER TABLE restored RENAME TO match_results");
  EXPECT_NE(ledger->identity().value(), identity) << "made again under the same row of `ledger`";
}

}  // namespace
}  // namespace scoreline::postgres
