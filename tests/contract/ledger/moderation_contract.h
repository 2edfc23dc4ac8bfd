// What every ledger does with hidden players and void matches, and how it logs it: part of the contract in
// ledger_contract.h.
#pragma once

#include "contract/ledger/ledger_contract.h"

namespace scoreline::leaderboards {

/// The log as `hide-player main p by eve: cheats`.
inline std::vector<std::string> log_of(Ledger& ledger) {
  std::vector<std::string> lines;
  const auto entries = ledger.audit_log(0, kMaxEntries).value();
  for (const auto& [id, entry] : entries) {
    std::string line(to_string(entry.action));
    line += " " + entry.leaderboard.text();
    if (entry.season) line += " season " + std::to_string(entry.season->value);
    if (entry.player) line += " " + entry.player->text();
    if (entry.match) line += " " + format_uuid(*entry.match);
    lines.push_back(line + " by " + entry.note.by + ": " + entry.note.detail);
  }
  return lines;
}

inline AuditNote noted(std::string detail, std::int64_t at = 7) { return {{at}, "eve", std::move(detail)}; }

TEST_P(LedgerContract, AHiddenPlayerDoesNotCountUntilRestored) {
  for (const Rule rule : {Rule::best, Rule::sum}) {
    SCOPED_TRACE(to_string(rule));
    Definition definition{board_name("b-" + std::string(to_string(rule)))};
    definition.rule = rule;
    const std::string& name = definition.name.text();
    ASSERT_TRUE(ledger().put_definition(definition));
    append({result(1, "p", 10, name), result(2, "q", 20, name)});
    EXPECT_EQ(ledger().hide_player(definition.name, player_id("p"), noted("cheats")).value(), true);
    EXPECT_EQ(ledger().hide_player(definition.name, player_id("p"), noted("again")).value(), false);
    EXPECT_EQ(append({result(3, "p", 30, name)}), std::vector{Recorded::recorded});
    reopen();
    EXPECT_EQ(rows_of(ledger()).count(row_of(result(1, "p", 10, name))), 0u);
    EXPECT_EQ(rows_of(ledger()).count(row_of(result(2, "q", 20, name))), 1u);
    EXPECT_TRUE(results_of(ledger(), name, 1, "p").empty());
    EXPECT_TRUE(kept(ledger(), {result(1, "p", 10, name)}).empty());
    EXPECT_TRUE(ledger().contains(definition.name, match(3), player_id("p")).value());
    EXPECT_TRUE(ledger().has_results(definition.name).value());
    EXPECT_EQ(append({result(3, "p", 30, name)}), std::vector{Recorded::duplicate});
    std::vector<HiddenPlayer> hidden;
    const auto records = ledger().leaderboards().value();
    for (const LeaderboardRecord& record : records) {
      if (record.definition.name == definition.name) hidden = record.hidden;
    }
    EXPECT_EQ(hidden, (std::vector{HiddenPlayer{player_id("p"), {7}, "cheats"}}));

    EXPECT_EQ(ledger().restore_player(definition.name, player_id("p"), noted("sorry")).value(), true);
    EXPECT_EQ(ledger().restore_player(definition.name, player_id("p"), noted("again")).value(), false);
    EXPECT_EQ(results_of(ledger(), name, 1, "p").size(), 2u);
    EXPECT_EQ(rows_of(ledger()).count(row_of(result(3, "p", 30, name))), 1u);
  }
  EXPECT_EQ(log_of(ledger()),
            (std::vector<std::string>{"hide-player b-best p by eve: cheats", "restore-player b-best p by eve: sorry",
                                      "hide-player b-sum p by eve: cheats", "restore-player b-sum p by eve: sorry"}));
}

TEST_P(LedgerContract, NobodyIsHiddenOnALeaderboardThatIsNotThere) {
  const auto hidden = ledger().hide_player(board_name("nowhere"), player_id("p"), {});
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().code, Code::not_found);
  EXPECT_EQ(hidden.error().field, "leaderboard");
  EXPECT_TRUE(log_of(ledger()).empty());
}

TEST_P(LedgerContract, ErasingAHiddenPlayerLeavesThePlayerHidden) {
  ASSERT_TRUE(ledger().put_definition({board_name("main")}));
  append({result(1, "p", 10)});
  ASSERT_TRUE(ledger().hide_player(board_name("main"), player_id("p"), {}));
  EXPECT_EQ(erase("main", "p", Ledger::Erase::from_ledger), 1u);
  append({result(2, "p", 20)});
  EXPECT_TRUE(rows_of(ledger()).empty());
  ASSERT_TRUE(ledger().restore_player(board_name("main"), player_id("p"), {}));
  EXPECT_EQ(rows_of(ledger()), (std::multiset{row_of(result(2, "p", 20))}));
}

TEST_P(LedgerContract, DroppingALeaderboardForgetsWhoWasHiddenAndWhatWasVoid) {
  const Definition main{board_name("main")};
  ASSERT_TRUE(ledger().put_definition(main));
  append({result(1, "p", 10)});
  ASSERT_TRUE(ledger().hide_player(main.name, player_id("p"), {}));
  ASSERT_TRUE(ledger().void_match(main.name, match(1), {}));
  ASSERT_TRUE(ledger().drop_leaderboard(main.name));
  ASSERT_TRUE(ledger().put_definition(main));
  EXPECT_EQ(append({result(1, "p", 10)}), std::vector{Recorded::recorded});
  EXPECT_EQ(rows_of(ledger()).size(), 1u);
}

TEST_P(LedgerContract, AVoidMatchStopsCountingAndItsIdStaysTaken) {
  ASSERT_TRUE(ledger().put_definition({board_name("main")}));
  append({result(1, "p", 10), result(1, "q", 20), result(2, "p", 5)});
  const auto players = ledger().void_match(board_name("main"), match(1), noted("fixed"));
  ASSERT_TRUE(players) << players.error().detail;
  EXPECT_EQ(std::set<PlayerId>(players->begin(), players->end()), (std::set{player_id("p"), player_id("q")}));
  EXPECT_TRUE(ledger().void_match(board_name("main"), match(1), noted("again")).value().empty());
  reopen();
  // Of whoever was in it, and of whoever comes late: the same match of another leaderboard is another one.
  EXPECT_EQ(append({result(1, "p", 99), result(1, "r", 30), result(1, "p", 40, "other"), result(3, "r", 1)}),
            (std::vector{Recorded::duplicate, Recorded::duplicate, Recorded::recorded, Recorded::recorded}));
  EXPECT_EQ(rows_of(ledger()),
            (std::multiset{row_of(result(2, "p", 5)), row_of(result(1, "p", 40, "other")), row_of(result(3, "r", 1))}));
  EXPECT_TRUE(kept(ledger(), {result(1, "p", 10), result(1, "r", 30)}).empty());
  EXPECT_EQ(results_of(ledger(), "main", 1, "p").size(), 1u);
  EXPECT_TRUE(ledger().contains(board_name("main"), match(1), player_id("r")).value());
  EXPECT_EQ(erase("main", "p", Ledger::Erase::from_ledger), 1u);  // that of the void match had stopped before
  EXPECT_EQ(append({result(1, "p", 10)}), std::vector{Recorded::duplicate});
  EXPECT_EQ(log_of(ledger()), (std::vector<std::string>{"void-match main " + format_uuid(match(1)) + " by eve: fixed",
                                                        "erase-player main p by anonymous: "}));
}

TEST_P(LedgerContract, AMatchThatNobodyPlayedCannotBeVoided) {
  ASSERT_TRUE(ledger().put_definition({board_name("main")}));
  const auto voided = ledger().void_match(board_name("main"), match(1), {});
  ASSERT_FALSE(voided);
  EXPECT_EQ(voided.error().code, Code::not_found);
  EXPECT_EQ(voided.error().field, "matchId");
  EXPECT_EQ(append({result(1, "p", 10)}), std::vector{Recorded::recorded});
  EXPECT_TRUE(log_of(ledger()).empty());
}

TEST_P(LedgerContract, TheResultsOfPlayersAreThoseThatCountOnAnySeason) {
  ASSERT_TRUE(ledger().put_definition({board_name("main")}));
  append({result(1, "p", 10), result(2, "p", 20, "main", 2), result(3, "q", 30), result(4, "r", 40),
          result(5, "p", 50, "other"), result(6, "p", 60), result(7, "s", 70)});
  ASSERT_TRUE(ledger().hide_player(board_name("main"), player_id("q"), {}));
  ASSERT_TRUE(ledger().void_match(board_name("main"), match(6), {}));
  std::multiset<Row> rows;
  const std::vector players{player_id("p"), player_id("q"), player_id("r")};
  ASSERT_TRUE(ledger().results_of_players(board_name("main"), players, [&](const LedgerRow& r) {
    rows.insert({std::string(r.leaderboard), r.season.value, std::string(r.player), r.match_id, r.points,
                 r.achieved_at.ms, r.extra});
  }));
  EXPECT_EQ(rows, (std::multiset{row_of(result(1, "p", 10)), row_of(result(2, "p", 20, "main", 2)),
                                 row_of(result(4, "r", 40))}));
}

TEST_P(LedgerContract, ThePlayersOfAMatchAreThoseWhoseResultsAreKept) {
  ASSERT_TRUE(ledger().put_definition({board_name("main")}));
  append({result(1, "p", 10), result(1, "q", 20), result(1, "r", 30, "main", 2), result(2, "s", 1),
          result(1, "t", 5, "other")});
  const auto players_of = [&](std::uint64_t number) {
    const auto players = ledger().players_of_match(board_name("main"), match(number)).value();
    return std::set<PlayerId>(players.begin(), players.end());
  };
  const std::set all{player_id("p"), player_id("q"), player_id("r")};
  EXPECT_EQ(players_of(1), all);
  EXPECT_TRUE(players_of(3).empty());
  ASSERT_TRUE(ledger().hide_player(board_name("main"), player_id("p"), {}));
  ASSERT_TRUE(ledger().void_match(board_name("main"), match(1), {}));
  EXPECT_EQ(players_of(1), all) << "whether or not they count";
  erase("main", "q", Ledger::Erase::from_ledger);
  EXPECT_EQ(players_of(1), (std::set{player_id("p"), player_id("r")}));
}

TEST_P(LedgerContract, TheLastLineOfTheAuditLogIsKnown) {
  EXPECT_EQ(ledger().last_audit_id().value(), 0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ledger().add_to_audit({AuditAction::rebuild_board, board_name("main")}));
    EXPECT_EQ(ledger().last_audit_id().value(), ledger().audit_log(0, kMaxEntries).value().back().id);
  }
  reopen();
  EXPECT_EQ(ledger().last_audit_id().value(), ledger().audit_log(0, kMaxEntries).value().back().id);
}

TEST_P(LedgerContract, TheAuditLogComesInPagesWithEveryField) {
  const AuditEntry entry{AuditAction::close_season, board_name("main"), SeasonId{12},
                         player_id("Ünï"),          match(9),           {{1'700'000'000'123}, "key 1", "line\nbreak"}};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(ledger().add_to_audit(entry));
  reopen();
  const auto first = ledger().audit_log(0, 3).value();
  ASSERT_EQ(first.size(), 3u);
  const auto rest = ledger().audit_log(first.back().id, 3).value();
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_GT(rest.front().id, first.back().id);
  const AuditEntry& read = rest.back().entry;
  EXPECT_EQ(read.action, entry.action);
  EXPECT_EQ(read.leaderboard, entry.leaderboard);
  EXPECT_EQ(read.season, entry.season);
  EXPECT_EQ(read.player, entry.player);
  EXPECT_EQ(read.match, entry.match);
  EXPECT_EQ(read.note.at, entry.note.at);
  EXPECT_EQ(read.note.by, entry.note.by);
  EXPECT_EQ(read.note.detail, entry.note.detail);
}

}  // namespace scoreline::leaderboards
