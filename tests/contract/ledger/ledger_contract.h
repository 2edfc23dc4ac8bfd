// What every Ledger must do, whatever stores it. An adapter's test includes this, and says with
// INSTANTIATE_TEST_SUITE_P(NAME, LedgerContract, ::testing::Values(LedgerMaker{…})) how its ledger is made.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/limits.h"
#include "leaderboards/ledger.h"
#include "support/ledger_words.h"
#include "support/model_ledger.h"

namespace scoreline::leaderboards {

/// One store under test, empty at first.
class LedgerHarness {
 public:
  virtual ~LedgerHarness() = default;
  virtual Ledger& ledger() = 0;
  /// Closes the ledger and opens it again over the same store.
  virtual void reopen() = 0;
};

struct LedgerMaker {
  std::string name;
  std::function<std::unique_ptr<LedgerHarness>()> make;
  friend std::ostream& operator<<(std::ostream& out, const LedgerMaker& maker) { return out << maker.name; }
};

inline LeaderboardName board_name(std::string text) { return LeaderboardName::trusted(std::move(text)); }
inline PlayerId player_id(std::string text) { return PlayerId::trusted(std::move(text)); }

inline Uuid match(std::uint64_t number) {
  Uuid uuid;
  for (std::size_t i = 0; i < 8; ++i) uuid.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return uuid;
}

inline MatchResult result(std::uint64_t match_number, std::string player, std::int64_t points,
                          std::string leaderboard = "main", std::int32_t season = 1, std::int64_t at = 1'000) {
  return {
      board_name(std::move(leaderboard)), match(match_number), player_id(std::move(player)), {season}, points, {at}};
}

/// A row of a scan, kept; comparable in any order.
using Row = std::tuple<std::string, std::int32_t, std::string, Uuid, std::int64_t, std::int64_t, std::uint64_t>;

inline Row row_of(const MatchResult& r) {
  return {r.leaderboard.text(), r.season.value, r.player.text(), r.match_id, r.points, r.achieved_at.ms, r.extra};
}

inline std::multiset<Row> rows_of(Ledger& ledger) {
  std::multiset<Row> rows;
  const auto scanned = ledger.scan(
      [&rows](const LedgerRow& r) {
        rows.insert({std::string(r.leaderboard), r.season.value, std::string(r.player), r.match_id, r.points,
                     r.achieved_at.ms, r.extra});
      },
      [](ScanProgress) {});
  EXPECT_TRUE(scanned) << scanned.error().detail;
  return rows;
}

/// What is kept under the keys of these.
inline std::multiset<Row> kept(Ledger& ledger, const std::vector<MatchResult>& like) {
  std::multiset<Row> rows;
  const auto read = ledger.visit_kept(like, [&rows](const LedgerRow& r) {
    rows.insert({std::string(r.leaderboard), r.season.value, std::string(r.player), r.match_id, r.points,
                 r.achieved_at.ms, r.extra});
  });
  EXPECT_TRUE(read) << read.error().detail;
  return rows;
}

inline std::multiset<std::pair<std::int64_t, std::int64_t>> results_of(Ledger& ledger, const std::string& leaderboard,
                                                                       std::int32_t season, const std::string& player) {
  const auto results = test::results_of(ledger, {board_name(leaderboard), {season}}, player_id(player));
  EXPECT_TRUE(results) << results.error().detail;
  std::multiset<std::pair<std::int64_t, std::int64_t>> all;
  for (const auto& [points, at] : results.value()) all.emplace(points, at.ms);
  return all;
}

class LedgerContract : public ::testing::TestWithParam<LedgerMaker> {
 protected:
  Ledger& ledger() { return harness_->ledger(); }
  void reopen() { harness_->reopen(); }

  std::vector<Recorded> append(const std::vector<MatchResult>& batch) {
    auto answers = ledger().append(batch);
    EXPECT_TRUE(answers) << answers.error().detail;
    return answers ? *answers : std::vector<Recorded>{};
  }
  std::uint64_t erase(const std::string& leaderboard, const std::string& player, Ledger::Erase mode) {
    const auto stopped = ledger().erase_player(board_name(leaderboard), player_id(player), mode, {});
    EXPECT_TRUE(stopped) << stopped.error().detail;
    return stopped.value_or(0);
  }

 private:
  std::unique_ptr<LedgerHarness> harness_ = GetParam().make();
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(LedgerContract, NewLedgerHasNothing) {
  EXPECT_THAT(rows_of(ledger()), IsEmpty());
  EXPECT_THAT(ledger().leaderboards().value(), IsEmpty());
  EXPECT_FALSE(ledger().has_results(board_name("main")).value());
  EXPECT_FALSE(ledger().contains(board_name("main"), match(1), player_id("a")).value());
  EXPECT_THAT(results_of(ledger(), "main", 1, "a"), IsEmpty());
}

TEST_P(LedgerContract, AnswersComeInTheOrderOfTheBatch) {
  append({result(5, "e", 1), result(3, "c", 1)});
  EXPECT_THAT(append({result(9, "i", 1), result(5, "e", 1), result(1, "a", 1), result(3, "c", 1), result(2, "b", 1)}),
              ElementsAre(Recorded::recorded, Recorded::duplicate, Recorded::recorded, Recorded::duplicate,
                          Recorded::recorded));
}

TEST_P(LedgerContract, SecondOfTwoEqualKeysInOneBatchIsADuplicate) {
  EXPECT_THAT(append({result(1, "a", 10), result(1, "a", 10), result(1, "b", 10)}),
              ElementsAre(Recorded::recorded, Recorded::duplicate, Recorded::recorded));
  EXPECT_EQ(rows_of(ledger()).size(), 2u);
}

TEST_P(LedgerContract, FirstPointsWinOverLaterOnesOfTheSameMatch) {
  append({result(1, "a", 10)});
  EXPECT_THAT(append({result(1, "a", 99, "main", 2, 7)}), ElementsAre(Recorded::duplicate));
  EXPECT_THAT(append({result(2, "b", 1), result(2, "b", 2)}), ElementsAre(Recorded::recorded, Recorded::duplicate));
  EXPECT_EQ(rows_of(ledger()), (std::multiset<Row>{row_of(result(1, "a", 10)), row_of(result(2, "b", 1))}));
}

TEST_P(LedgerContract, AllOfABatchMayBeDuplicates) {
  const std::vector<MatchResult> batch{result(1, "a", 10), result(2, "b", 20)};
  append(batch);
  EXPECT_THAT(append(batch), ElementsAre(Recorded::duplicate, Recorded::duplicate));
  EXPECT_EQ(rows_of(ledger()).size(), 2u);
}

TEST_P(LedgerContract, LargestBatchIsTaken) {
  std::vector<MatchResult> batch;
  for (std::uint64_t i = 0; i < kMaxBatch; ++i) batch.push_back(result(i, "player-" + std::to_string(i % 977), 1));
  EXPECT_THAT(append(batch), ::testing::Each(Recorded::recorded));
  EXPECT_EQ(rows_of(ledger()).size(), kMaxBatch);
}

TEST_P(LedgerContract, SameMatchAndPlayerOnTwoLeaderboardsAreTwoResults) {
  EXPECT_THAT(append({result(1, "a", 10, "main"), result(1, "a", 10, "blitz"), result(1, "b", 10, "blitz")}),
              ::testing::Each(Recorded::recorded));
  EXPECT_TRUE(ledger().has_results(board_name("blitz")).value());
  EXPECT_THAT(results_of(ledger(), "blitz", 1, "b"), ElementsAre(std::pair(10, 1'000)));
  EXPECT_THAT(results_of(ledger(), "main", 1, "b"), IsEmpty());
}

TEST_P(LedgerContract, ResultsOfAPlayerAreThoseOfTheBoard) {
  append({result(1, "a", 10, "main", 1, 5), result(2, "a", 7, "main", 1, 6), result(3, "a", 8, "main", 2, 7),
          result(4, "aa", 9, "main", 1, 8), result(5, "a", 3, "blitz", 1, 9)});
  EXPECT_THAT(results_of(ledger(), "main", 1, "a"), ElementsAre(std::pair(7, 6), std::pair(10, 5)));
  EXPECT_THAT(results_of(ledger(), "main", 2, "a"), ElementsAre(std::pair(8, 7)));
  EXPECT_THAT(results_of(ledger(), "main", 3, "a"), IsEmpty());
}

TEST_P(LedgerContract, ContainsIsByLeaderboardMatchAndPlayer) {
  append({result(1, "a", 10)});
  EXPECT_TRUE(ledger().contains(board_name("main"), match(1), player_id("a")).value());
  EXPECT_FALSE(ledger().contains(board_name("main"), match(1), player_id("b")).value());
  EXPECT_FALSE(ledger().contains(board_name("main"), match(2), player_id("a")).value());
  EXPECT_FALSE(ledger().contains(board_name("blitz"), match(1), player_id("a")).value());
}

TEST_P(LedgerContract, ExtremeValuesComeBackExactly) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  std::string longest;
  while (longest.size() < kMaxPlayerIdBytes) longest += "\xF0\x9F\x8F\x86";  // a four-byte character
  const std::vector<MatchResult> extremes{
      result(1, "a", kLeast, "main", 0, kMinTimestamp.ms),
      result(2, "b", kMost, "main", 2'147'483'647, kMaxTimestamp.ms),
      result(3, longest, -1, std::string(kMaxLeaderboardNameBytes, 'x'), 1, -1),
      result(std::numeric_limits<std::uint64_t>::max(), "Ærøskøbing ñ 大阪", 9'007'199'254'740'993),
      result(4, "a", 0, "main", 1, 0)};
  append(extremes);
  reopen();
  std::multiset<Row> expected;
  for (const auto& r : extremes) expected.insert(row_of(r));
  EXPECT_EQ(rows_of(ledger()), expected);
  EXPECT_THAT(results_of(ledger(), extremes[2].leaderboard.text(), 1, longest), ElementsAre(std::pair(-1, -1)));
}

TEST_P(LedgerContract, IdsAreTextAndNeverSql) {
  const std::vector<std::string> ids{"x'); DROP TABLE match_results; --",
                                     "' OR '1'='1",
                                     "\"",
                                     "%",
                                     "_",
                                     "?1",
                                     ":a",
                                     "a b",
                                     "/etc/passwd",
                                     "Alice",
                                     "alice",
                                     "a\\",
                                     "{}",
                                     "42",
                                     "1e5",
                                     "NULL"};
  std::vector<MatchResult> batch;
  for (std::size_t i = 0; i < ids.size(); ++i) batch.push_back(result(i, ids[i], std::int64_t(i)));
  EXPECT_THAT(append(batch), ::testing::Each(Recorded::recorded));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_THAT(results_of(ledger(), "main", 1, ids[i]), ElementsAre(std::pair(std::int64_t(i), 1'000))) << ids[i];
  }
  EXPECT_EQ(erase("main", ids[0], Ledger::Erase::from_ledger), 1u);
  EXPECT_EQ(rows_of(ledger()).size(), ids.size() - 1);
}

TEST_P(LedgerContract, ErasedFromBoardsStopsCountingForEver) {
  append({result(1, "a", 10), result(2, "a", 20, "main", 2), result(1, "b", 5), result(1, "a", 7, "blitz")});
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_boards), 2u);
  reopen();
  EXPECT_EQ(rows_of(ledger()), (std::multiset<Row>{row_of(result(1, "b", 5)), row_of(result(1, "a", 7, "blitz"))}));
  EXPECT_THAT(results_of(ledger(), "main", 2, "a"), IsEmpty());
  EXPECT_TRUE(ledger().has_results(board_name("main")).value());
  EXPECT_TRUE(ledger().contains(board_name("main"), match(1), player_id("a")).value());
  EXPECT_THAT(append({result(1, "a", 10)}), ElementsAre(Recorded::duplicate));
  EXPECT_THAT(results_of(ledger(), "main", 1, "a"), IsEmpty());
}

TEST_P(LedgerContract, WhatIsKeptUnderAKeyIsShownAsItWasRecorded) {
  append({result(1, "a", 10), result(1, "b", 20, "main", 2, 5), result(1, "a", 7, "blitz"), result(2, "c", 30)});
  const std::vector asked{result(1, "a", 99), result(1, "b", 99), result(2, "a", 99), result(2, "c", 30)};
  EXPECT_EQ(kept(ledger(), asked),
            (std::multiset<Row>{row_of(result(1, "a", 10)), row_of(result(1, "b", 20, "main", 2, 5)),
                                row_of(result(2, "c", 30))}));
  erase("main", "a", Ledger::Erase::from_boards);
  append({result(2, "a", 3)});
  EXPECT_EQ(kept(ledger(), asked), (std::multiset<Row>{row_of(result(1, "b", 20, "main", 2, 5)),
                                                       row_of(result(2, "a", 3)), row_of(result(2, "c", 30))}))
      << "what is erased does not count";
}

TEST_P(LedgerContract, ResultsAfterAnErasureCount) {
  append({result(1, "a", 10)});
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_boards), 1u);
  EXPECT_THAT(append({result(2, "a", 3)}), ElementsAre(Recorded::recorded));
  EXPECT_THAT(results_of(ledger(), "main", 1, "a"), ElementsAre(std::pair(3, 1'000)));
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_boards), 1u) << "only the one that counted";
  EXPECT_THAT(rows_of(ledger()), IsEmpty());
  EXPECT_FALSE(ledger().has_results(board_name("main")).value());
}

TEST_P(LedgerContract, ErasedFromLedgerLeavesNoTrace) {
  append({result(1, "a", 10), result(2, "a", 20, "main", 2), result(1, "b", 5)});
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_ledger), 2u);
  reopen();
  EXPECT_EQ(rows_of(ledger()), std::multiset<Row>{row_of(result(1, "b", 5))});
  EXPECT_FALSE(ledger().contains(board_name("main"), match(1), player_id("a")).value());
  EXPECT_THAT(append({result(1, "a", 11)}), ElementsAre(Recorded::recorded))
      << "nothing is known of the match any more";
  EXPECT_THAT(results_of(ledger(), "main", 1, "a"), ElementsAre(std::pair(11, 1'000)));
}

TEST_P(LedgerContract, ErasedFromBoardsThenFromLedger) {
  append({result(1, "a", 10)});
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_boards), 1u);
  append({result(2, "a", 4)});
  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_ledger), 1u) << "the other had stopped counting";
  EXPECT_FALSE(ledger().contains(board_name("main"), match(1), player_id("a")).value());
  EXPECT_THAT(rows_of(ledger()), IsEmpty());
}

TEST_P(LedgerContract, ErasingAStrangerStopsNothing) {
  append({result(1, "a", 10)});
  EXPECT_EQ(erase("main", "nobody", Ledger::Erase::from_boards), 0u);
  EXPECT_EQ(erase("main", "nobody", Ledger::Erase::from_ledger), 0u);
  EXPECT_THAT(append({result(2, "nobody", 1)}), ElementsAre(Recorded::recorded));
  EXPECT_EQ(rows_of(ledger()).size(), 2u);
}

TEST_P(LedgerContract, DefinitionsAndSeasonsComeBackInEveryField) {
  Definition plain{board_name("main")};
  Definition other{board_name("a.b_c-9")};
  other.rule = Rule::sum;
  other.order = Order::ascending;
  other.scale = 9;
  other.ties = Ties::last;
  other.key = KeyKind::packed;
  other.min_points = std::numeric_limits<std::int64_t>::min();
  other.max_points = std::numeric_limits<std::int64_t>::max();
  other.grace = kMaxGrace;
  other.top = 1'000;
  other.periods = {true, true, "Australia/Lord_Howe", leaderboards::Weekday::sunday, 366, 104};
  other.schedule = {"30 2 * * mon", std::nullopt, Timestamp{-1}};
  ASSERT_TRUE(ledger().put_definition(plain));
  ASSERT_TRUE(ledger().put_definition(other));
  const Season first{{0}, std::nullopt, std::nullopt}, second{{7}, kMinTimestamp, kMaxTimestamp},
      third{{2'147'483'647}, std::nullopt, Timestamp{-1}};
  for (const Season& season : {first, second, third}) ASSERT_TRUE(ledger().put_season(other.name, season));

  reopen();
  const auto records = ledger().leaderboards().value();
  ASSERT_EQ(records.size(), 2u);
  const auto& a = records[0].definition.name == other.name ? records[0] : records[1];
  const auto& b = &a == &records[0] ? records[1] : records[0];
  EXPECT_EQ(a.definition, other);
  EXPECT_THAT(a.seasons, ::testing::UnorderedElementsAre(first, second, third));
  EXPECT_EQ(b.definition, plain);
  EXPECT_THAT(b.seasons, IsEmpty());
}

TEST_P(LedgerContract, EveryRuleOrderTiesAndKeyComesBack) {
  std::vector<Definition> all;
  for (const Rule rule : {Rule::best, Rule::least, Rule::sum, Rule::latest}) {
    for (const Order order : {Order::descending, Order::ascending}) {
      for (const Ties ties : {Ties::first, Ties::last}) {
        for (const KeyKind key : {KeyKind::wide, KeyKind::packed}) {
          Definition definition{board_name("b" + std::to_string(all.size()))};
          definition.rule = rule;
          definition.order = order;
          definition.ties = ties;
          definition.key = key;
          ASSERT_TRUE(ledger().put_definition(definition));
          all.push_back(definition);
        }
      }
    }
  }
  std::vector<Definition> found;
  const auto records = ledger().leaderboards().value();
  for (const auto& record : records) found.push_back(record.definition);
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(all));
}

TEST_P(LedgerContract, LaterDefinitionAndSeasonReplaceEarlier) {
  Definition definition{board_name("main")};
  ASSERT_TRUE(ledger().put_definition(definition));
  ASSERT_TRUE(ledger().put_season(definition.name, {{1}, Timestamp{5}, std::nullopt}));
  definition.top = 7;
  ASSERT_TRUE(ledger().put_definition(definition));
  ASSERT_TRUE(ledger().put_season(definition.name, {{1}, Timestamp{5}, Timestamp{9}}));
  const auto records = ledger().leaderboards().value();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].definition.top, 7);
  EXPECT_THAT(records[0].seasons, ElementsAre(Season{{1}, Timestamp{5}, Timestamp{9}}));
}

TEST_P(LedgerContract, ResultsOfAPlayerDoNotDependOnTheRule) {
  Definition definition{board_name("main")};
  for (const Rule rule : {Rule::best, Rule::sum, Rule::latest, Rule::sum}) {
    definition.rule = rule;
    ASSERT_TRUE(ledger().put_definition(definition));
    const auto number = rows_of(ledger()).size();
    append({result(number, "a", static_cast<std::int64_t>(number))});
    EXPECT_EQ(results_of(ledger(), "main", 1, "a").size(), number + 1) << to_string(rule);
    reopen();
    EXPECT_EQ(results_of(ledger(), "main", 1, "a").size(), number + 1) << to_string(rule);
  }
}

TEST_P(LedgerContract, SeasonOfNoLeaderboardIsRefused) {
  const auto put = ledger().put_season(board_name("nowhere"), {{1}, std::nullopt, std::nullopt});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Code::not_found);
  EXPECT_EQ(put.error().field, "leaderboard");
  EXPECT_THAT(ledger().leaderboards().value(), IsEmpty());
}

TEST_P(LedgerContract, DroppedLeaderboardTakesAllOfItsOwnAndNothingElse) {
  for (const char* name : {"main", "main2"}) {
    ASSERT_TRUE(ledger().put_definition({board_name(name)}));
    ASSERT_TRUE(ledger().put_season(board_name(name), {{1}, std::nullopt, std::nullopt}));
    append({result(1, "a", 10, name), result(1, "b", 10, name), result(1, "c", 10, name)});
    erase(name, "b", Ledger::Erase::from_boards);
  }
  ASSERT_TRUE(ledger().drop_leaderboard(board_name("main")));
  reopen();
  EXPECT_EQ(rows_of(ledger()),
            (std::multiset<Row>{row_of(result(1, "a", 10, "main2")), row_of(result(1, "c", 10, "main2"))}));
  const auto records = ledger().leaderboards().value();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].definition.name.text(), "main2");
  EXPECT_EQ(records[0].seasons.size(), 1u);
  EXPECT_THAT(append({result(1, "b", 3, "main")}), ElementsAre(Recorded::recorded)) << "no tombstone is left either";
  EXPECT_THAT(results_of(ledger(), "main", 1, "b"), ElementsAre(std::pair(3, 1'000)));

  const auto again = ledger().drop_leaderboard(board_name("nowhere"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::not_found);
}

TEST_P(LedgerContract, ScanTellsHowFarItIs) {
  append({result(1, "a", 1), result(2, "a", 2), result(3, "a", 3)});
  ScanProgress last;
  ASSERT_TRUE(ledger().scan([](const LedgerRow&) {}, [&last](ScanProgress now) { last = now; }));
  EXPECT_EQ(last.rows_done, 3u);
  EXPECT_EQ(last.rows_total, 3u);
}

/// Few names, players and matches, so that everything meets everything.
class RandomWork {
 public:
  explicit RandomWork(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  LeaderboardName leaderboard() { return board_name("b" + std::to_string(below(3))); }
  PlayerId player() { return player_id("p" + std::to_string(below(12))); }
  MatchResult any_result() {
    return {leaderboard(),
            match(below(60)),
            player(),
            {static_cast<std::int32_t>(below(3))},
            static_cast<std::int64_t>(below(100)) - 50,
            {static_cast<std::int64_t>(below(1'000))}};
  }

  /// The same step on both; false when they answer differently.
  bool step(Ledger& one, Ledger& other) {
    switch (below(16)) {
      case 0: {
        const auto name = leaderboard();
        const auto id = player();
        const auto mode = below(2) == 0 ? Ledger::Erase::from_boards : Ledger::Erase::from_ledger;
        return one.erase_player(name, id, mode, {}).value() == other.erase_player(name, id, mode, {}).value();
      }
      case 1: {
        Definition definition{leaderboard()};
        definition.rule = below(2) == 0 ? Rule::sum : Rule::best;
        definition.top = static_cast<int>(1 + below(5));
        return one.put_definition(definition).has_value() == other.put_definition(definition).has_value();
      }
      case 2: {
        const auto name = leaderboard();
        const Season season{{static_cast<std::int32_t>(below(3))}, std::nullopt, Timestamp{std::int64_t(below(9))}};
        return one.put_season(name, season).has_value() == other.put_season(name, season).has_value();
      }
      case 3: {
        const auto name = leaderboard();
        if (below(6) != 0) return one.has_results(name).value() == other.has_results(name).value();
        return one.drop_leaderboard(name).has_value() == other.drop_leaderboard(name).has_value();
      }
      default: {
        std::vector<MatchResult> batch;
        for (std::uint64_t i = 1 + below(9); i > 0; --i) batch.push_back(any_result());
        return one.append(batch).value() == other.append(batch).value();
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

inline std::string describe(const std::vector<LeaderboardRecord>& records) {
  std::set<std::string> lines;
  for (const auto& [definition, seasons, hidden] : records) {
    lines.insert(definition.name.text() + " top " + std::to_string(definition.top));
    for (const Season& season : seasons) {
      lines.insert(definition.name.text() + " season " + std::to_string(season.id.value) + " ends " +
                   std::to_string(season.end->ms));
    }
  }
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

TEST_P(LedgerContract, AgreesWithThePlainModelAfterRandomWork) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto harness = GetParam().make();
    test::ModelLedger model;
    RandomWork work(seed);
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(work.step(harness->ledger(), model)) << "step " << i;
      if (i % 100 != 99) continue;
      if (i % 200 == 199) harness->reopen();
      ASSERT_EQ(rows_of(harness->ledger()), rows_of(model)) << "step " << i;
      for (int board = 0; board < 3 * 3 * 12; ++board) {
        const std::string name = "b" + std::to_string(board % 3), player = "p" + std::to_string(board / 9);
        const std::int32_t season = board / 3 % 3;
        ASSERT_EQ(results_of(harness->ledger(), name, season, player), results_of(model, name, season, player));
      }
      ASSERT_EQ(describe(harness->ledger().leaderboards().value()), describe(model.leaderboards().value()));
    }
  }
}

}  // namespace scoreline::leaderboards
