// What every ledger keeps of criteria: of definitions, and of results as one number. Part of the contract in
// ledger_contract.h.
#pragma once

#include <limits>

#include "contract/ledger/ledger_contract.h"

namespace scoreline::leaderboards {

inline MatchResult with_extra(MatchResult result, std::uint64_t extra) {
  result.extra = extra;
  return result;
}

TEST_P(LedgerContract, CriteriaOfADefinitionGoAsTheyCame) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const Definition plain{board_name("main")};
  Definition one = plain;
  one.criteria = {{"winRate", Order::descending, 2, 0, 10'000}};
  Definition three = plain;
  three.criteria = {{"z_1", Order::ascending, 0, -5, 5}, one.criteria[0], {"a", Order::descending, 9, kLeast, -1}};
  ASSERT_TRUE(ledger().put_definition({board_name("beside"), Rule::sum}));
  for (const Definition& definition : {one, three, plain, three, one}) {
    ASSERT_TRUE(ledger().put_definition(definition));
    ASSERT_TRUE(ledger().put_season(definition.name, {{1}, std::nullopt, std::nullopt}));
    ASSERT_TRUE(ledger().put_season(definition.name, {{2}, std::nullopt, std::nullopt}));
    reopen();
    const auto records = ledger().leaderboards().value();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_TRUE(records[0].definition.criteria.empty());
    EXPECT_EQ(records[1].definition, definition);
    EXPECT_EQ(records[1].seasons.size(), 2u);
    EXPECT_EQ(rows_of(ledger()).size(), 0u);
  }
  ASSERT_TRUE(ledger().drop_leaderboard(plain.name));
  ASSERT_TRUE(ledger().put_definition(plain));
  EXPECT_EQ(ledger().leaderboards().value().at(1).definition, plain);
  EXPECT_EQ(rows_of(ledger()).size(), 0u);
}

TEST_P(LedgerContract, CriteriaOfAResultComeBackFromEveryRead) {
  Definition definition{board_name("main")};
  definition.criteria = {{"any", Order::descending, 0, std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()}};
  ASSERT_TRUE(ledger().put_definition(definition));
  const std::vector<MatchResult> results{with_extra(result(1, "a", 10), 1), result(2, "a", 10),
                                         with_extra(result(3, "a", 10), ~std::uint64_t{0}),
                                         with_extra(result(4, "b", 10), std::uint64_t{1} << 63)};
  EXPECT_EQ(append(results), std::vector(4, Recorded::recorded));
  EXPECT_EQ(append({with_extra(result(1, "a", 10), 2)}), std::vector{Recorded::duplicate});
  reopen();
  std::multiset<Row> expected;
  for (const MatchResult& each : results) expected.insert(row_of(each));
  EXPECT_EQ(rows_of(ledger()), expected);
  EXPECT_EQ(kept(ledger(), results), expected);

  std::multiset<std::uint64_t> of_a;
  ASSERT_TRUE(ledger().results_of({definition.name, {1}}, std::vector{player_id("a")},
                                  [&](std::string_view, const Standing& each) { of_a.insert(each.extra); }));
  EXPECT_EQ(of_a, (std::multiset<std::uint64_t>{0, 1, ~std::uint64_t{0}}));
  std::multiset<std::uint64_t> of_both;
  ASSERT_TRUE(ledger().results_of_players(definition.name, std::vector{player_id("a"), player_id("b")},
                                          [&](const LedgerRow& each) { of_both.insert(each.extra); }));
  EXPECT_EQ(of_both, (std::multiset<std::uint64_t>{0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}));

  EXPECT_EQ(erase("main", "a", Ledger::Erase::from_ledger), 3u);
  EXPECT_EQ(rows_of(ledger()), (std::multiset{row_of(results[3])}));
}

}  // namespace scoreline::leaderboards
