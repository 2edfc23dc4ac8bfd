// A node that ends between the ledger and the boards, however it ends, leaves results behind that others must show.
#include "ingest/left_behind.h"

#include "adapters/memory/memory_rank_index.h"
#include "leaderboards/catalogue.h"
#include "ledger_fixture.h"

namespace scoreline::postgres {
namespace {

using leaderboards::AuditAction;
using leaderboards::AuditEntry;
using leaderboards::WriterId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

struct Seen {
  std::vector<WriterId> writers;
  std::multiset<std::string> players;
  std::vector<AuditEntry> changes;
};

Seen left_behind(PostgresLedger& ledger) {
  Seen seen;
  const auto gone = ledger.scan_left_behind([&](const LedgerRow& row) { seen.players.emplace(row.player); },
                                            [&](const AuditEntry& change) { seen.changes.push_back(change); });
  EXPECT_TRUE(gone) << gone.error().detail;
  if (gone) seen.writers = *gone;
  return seen;
}

const ingest::FollowForOthers kNothingToFollow = [](std::span<const AuditEntry>) { return Result<void>(); };

void show_all(PostgresLedger& ledger) {
  ledger.all_shown();
  ASSERT_TRUE(ledger.tell_all_shown());
}

/// The server notices the end of a session a moment after it.
Seen eventually_left_behind(PostgresLedger& ledger) {
  Seen seen;
  eventually([&] {
    seen = left_behind(ledger);
    return !seen.writers.empty();
  });
  return seen;
}

TEST_F(PostgresFaults, NodeThatLivesLeavesNothingBehind) {
  const auto node = open(), other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  EXPECT_THAT(left_behind(*other).writers, IsEmpty());
  show_all(*node);
  EXPECT_THAT(left_behind(*other).writers, IsEmpty());
}

TEST_F(PostgresFaults, WhatAGoneNodeHadNotShownIsTold) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "shown")}));
  show_all(*node);
  ASSERT_TRUE(node->append(std::vector{result(2, "left")}));
  ASSERT_TRUE(node->append(std::vector{result(3, "left too")}));
  node.reset();
  const Seen seen = eventually_left_behind(*other);
  EXPECT_THAT(seen.writers, SizeIs(1));
  EXPECT_THAT(seen.players, ElementsAre("left", "left too"));
  EXPECT_THAT(left_behind(*other).players, SizeIs(2)) << "until somebody has looked after it";
  ASSERT_TRUE(other->forget_writers(seen.writers));
  EXPECT_THAT(left_behind(*other).writers, IsEmpty());
}

TEST_F(PostgresFaults, WhatIsRecordedBeforeTheOthersKnowOfWhatWasShownIsTold) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "shown")}));
  node->all_shown();
  ASSERT_TRUE(node->append(std::vector{result(2, "left")}));
  ASSERT_TRUE(node->tell_all_shown());
  node.reset();
  EXPECT_THAT(eventually_left_behind(*other).players, ElementsAre("left"));
}

TEST_F(PostgresFaults, NodeThatStopsWithEverythingShownLeavesNothing) {
  auto node = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  show_all(*node);
  node.reset();
  EXPECT_EQ(sql("SELECT count(*) FROM writers"), "0");
}

TEST_F(PostgresFaults, NodeThatDiesWithEverythingShownLeavesOnlyItsName) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  show_all(*node);
  server().sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'scoreline'");
  const Seen seen = eventually_left_behind(*other);
  EXPECT_THAT(seen.writers, SizeIs(1));
  EXPECT_THAT(seen.players, IsEmpty());
}

TEST_F(PostgresFaults, NodeThatLostItsConnectionGoesOnUnderAnotherName) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  server().sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'scoreline'");
  settle(*node, {result(2, "b")});
  const Seen first = eventually_left_behind(*other);
  EXPECT_THAT(first.writers, SizeIs(1));
  ASSERT_TRUE(other->forget_writers(first.writers));
  node.reset();
  EXPECT_THAT(eventually_left_behind(*other).players, ElementsAre("b"));
}

TEST_F(PostgresFaults, OneWhoseRowSomebodyDeletedEntersAgain) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  show_all(*node);
  sql("DELETE FROM writers");
  ASSERT_TRUE(node->append(std::vector{result(2, "b")}));
  node.reset();
  EXPECT_THAT(eventually_left_behind(*other).players, ElementsAre("b"));
}

TEST_F(PostgresFaults, LedgersInOtherSchemasOfTheDatabaseDoNotHoldEachOthersNames) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  const auto stranger = open({}, test::new_schema_url(server()));
  ASSERT_TRUE(stranger->append(std::vector{result(1, "a")}));  // the first number of its ledger too
  node.reset();
  EXPECT_THAT(eventually_left_behind(*other).players, ElementsAre("a"));
}

TEST_F(PostgresFaults, ChangesThatAGoneNodeMayNotHaveHeardOfAreTold) {
  auto node = open();
  const auto other = open();
  const auto main = board_name("main");
  ASSERT_TRUE(other->put_definition(leaderboards::Definition{main}));
  ASSERT_TRUE(other->append(std::vector{result(1, "a"), result(2, "b")}));
  ASSERT_TRUE(other->hide_player(main, player_id("a"), {}));
  ASSERT_TRUE(node->append(std::vector{result(3, "c")}));
  show_all(*node);
  ASSERT_TRUE(other->void_match(main, result(2, "x").match_id, {}));
  ASSERT_TRUE(node->append(std::vector{result(4, "d")}));
  ASSERT_TRUE(other->void_match(main, result(4, "x").match_id, {}));
  ASSERT_TRUE(other->erase_player(main, player_id("c"), leaderboards::Ledger::Erase::from_ledger, {}));
  node.reset();
  const Seen seen = eventually_left_behind(*other);
  ASSERT_THAT(seen.changes, SizeIs(2)) << "those since it began to record what it had not shown";
  EXPECT_EQ(seen.changes[0].match, result(4, "x").match_id);
  EXPECT_EQ(seen.changes[1].action, AuditAction::erase_player);
  ASSERT_TRUE(other->forget_writers(seen.writers));
  EXPECT_THAT(left_behind(*other).changes, IsEmpty());
}

TEST_F(PostgresFaults, NodeThatStopsBeforeItCouldTellThatAllIsShownLeavesItToOthers) {
  auto node = open();
  const auto other = open();
  ASSERT_TRUE(node->append(std::vector{result(1, "a")}));
  node->all_shown();
  node.reset();
  EXPECT_THAT(eventually_left_behind(*other).players, ElementsAre("a"));
}

TEST_F(PostgresFaults, BoardsShowWhatWasLeftBehind) {
  auto node = open();
  const auto other = open();
  auto catalogue = leaderboards::Catalogue::open(*other).value();
  leaderboards::Definition totals{board_name("totals")};
  totals.rule = leaderboards::Rule::sum;
  memory::MemoryRankIndex index(1);
  const auto points_on = [&](const char* board, const char* player) {
    const std::vector players{player_id(player)};
    const auto standings = index.standings(catalogue->board(board, {1}).value(), players).value();
    return standings.front() ? standings.front()->points : -1;
  };
  auto total = result(1, "a", 7);
  total.leaderboard = totals.name;
  ASSERT_TRUE(node->append(std::vector{result(1, "a", 10), result(2, "a", 30), result(3, "b", 20), total}));
  node.reset();
  eventually([&] { return !left_behind(*other).writers.empty(); });

  const auto too_early = ingest::show_left_behind(*catalogue, *other, index, SystemClock().now(), kNothingToFollow);
  ASSERT_FALSE(too_early) << "nobody here knows these leaderboards and seasons yet";
  EXPECT_EQ(too_early.error().code, Code::not_ready);
  ASSERT_TRUE(other->put_definition(totals));
  for (const auto& name : {board_name("main"), totals.name}) {
    ASSERT_TRUE(other->put_season(name, {{1}, std::nullopt, std::nullopt}));
  }
  ASSERT_TRUE(catalogue->refresh());
  EXPECT_EQ(ingest::show_left_behind(*catalogue, *other, index, SystemClock().now(), kNothingToFollow).value(), 1u);
  EXPECT_EQ(points_on("main", "a"), 30);
  EXPECT_EQ(points_on("main", "b"), 20);
  EXPECT_EQ(points_on("totals", "a"), 7);
  EXPECT_EQ(ingest::show_left_behind(*catalogue, *other, index, SystemClock().now(), kNothingToFollow).value(), 0u);
}

}  // namespace
}  // namespace scoreline::postgres
