// A world on each pair of stores, looked at live, after a restart, and after every board was made again from the
// ledger.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "contract/cases/case_stores.h"

namespace scoreline::leaderboards {

class CasesTest : public testing::TestWithParam<test::StoresUnderTest> {
 protected:
  void SetUp() override {
    stores_ = GetParam().make();
    if (stores_ == nullptr) GTEST_SKIP() << "the servers of " << GetParam().name << " are not here: ./dev setup";
    world_.emplace(*stores_);
    board_ = world_->board();
  }

  /// Runs `look` now, again after a restart, and again after what outlives one was lost.
  template <typename Look>
  void live_and_rebuilt(const Look& look) {
    {
      SCOPED_TRACE("live");
      look();
    }
    {
      SCOPED_TRACE("after a restart");
      world_->restart();
      look();
    }
    if (!stores_->lose_boards()) return;
    SCOPED_TRACE("made again from the ledger");
    world_->restart();
    look();
  }

  /// How many results the ledger has, of players that are not erased.
  std::size_t stored() {
    std::size_t count = 0;
    test::must(stores_->truth().scan([&](const LedgerRow&) { ++count; }, [](ScanProgress) {}));
    return count;
  }

  void expect_order(const std::vector<std::string>& expected) {
    live_and_rebuilt([&] {
      EXPECT_EQ(world_->top(), expected);
      expect_all_reads_agree();
    });
  }

  /// The rank in the top is the rank of every other read.
  void expect_all_reads_agree() {
    const auto page = world_->service().top(board_, 1000).value();
    std::vector<PlayerId> players;
    for (const Entry& entry : page.entries) players.push_back(entry.player);
    for (const Entry& entry : page.entries) {
      EXPECT_EQ(world_->service().place_of(board_, entry.player)->entry, entry);
      const auto audit = world_->service().audit_rank(board_, entry.player).value();
      EXPECT_TRUE(audit.agrees());
      EXPECT_EQ(audit.recounted->entry, entry);
      const auto around = world_->service().around(board_, entry.player, 2).value();
      EXPECT_NE(std::find(around.entries.begin(), around.entries.end(), entry), around.entries.end());
    }
    if (players.empty()) return;
    const auto friends = world_->service().friends(board_, players).value();
    ASSERT_EQ(friends.entries.size(), page.entries.size());
    for (std::size_t i = 0; i < page.entries.size(); ++i) EXPECT_EQ(friends.entries[i].entry, page.entries[i]);
  }

  Timestamp t(std::int64_t seconds) const { return Timestamp{test::at("2026-10-12T12:00:00Z").ms + seconds * 1000}; }
  Outcome submit(std::string player, std::int64_t points, Timestamp when, std::optional<Uuid> match = {}) {
    return world_->submit(std::move(player), points, when, match).value().outcome;
  }
  Error refused(ingest::Submission submission) {
    const auto receipt = world_->submit(std::move(submission));
    EXPECT_FALSE(receipt);
    return receipt ? Error{} : receipt.error();
  }
  void define(
      Rule rule, const std::function<void(Definition&)>& change = [](Definition&) {}) {
    Definition definition = test::with_rule("main", rule);
    change(definition);
    ASSERT_TRUE(world_->put(definition));
  }

  std::unique_ptr<test::Stores> stores_;
  std::optional<test::WorldOver> world_;
  BoardRef board_;
};

/// The pairs of stores that there are.
inline auto all_stores() {
  return testing::Values(test::StoresUnderTest{"memory", test::model_and_memory},
                         test::StoresUnderTest{"embedded", test::sqlite_and_memory},
                         test::StoresUnderTest{"redis", test::postgres_and_redis},
                         test::StoresUnderTest{"valkey", test::postgres_and_valkey},
                         test::StoresUnderTest{"redis_cluster", test::postgres_and_redis_cluster});
}

}  // namespace scoreline::leaderboards
