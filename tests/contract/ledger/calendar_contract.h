// What every ledger keeps of the days, weeks and seasons of a leaderboard: part of the contract in ledger_contract.h.
#pragma once

#include "contract/ledger/ledger_contract.h"

namespace scoreline::leaderboards {

TEST_P(LedgerContract, ACalendarGoesAsItCame) {
  const Definition plain{board_name("main")};
  Definition periodic = plain;
  periodic.periods.weeks = true;
  Definition scheduled = plain;
  scheduled.schedule = {std::nullopt, std::chrono::hours{462}, Timestamp{7}};
  for (const Definition& definition : {periodic, scheduled, plain, scheduled, periodic}) {
    ASSERT_TRUE(ledger().put_definition(definition));
    reopen();
    EXPECT_EQ(ledger().leaderboards().value().at(0).definition, definition);
    EXPECT_EQ(rows_of(ledger()).size(), 0u);
  }
  ASSERT_TRUE(ledger().drop_leaderboard(plain.name));
  ASSERT_TRUE(ledger().put_definition(plain));
  EXPECT_EQ(ledger().leaderboards().value().at(0).definition, plain);
}

}  // namespace scoreline::leaderboards
