// The library over PostgreSQL and Redis: two programs with the same leaderboards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <scoreline/scoreline.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/postgres_server.h"
#include "support/redis_server.h"

namespace {

using scoreline::Scoreline;
using scoreline::SharedStores;
using testing::ElementsAre;

class SharedStoresTest : public testing::Test {
 protected:
  void SetUp() override {
    if (scoreline::test::PostgresServer::programs().empty()) GTEST_SKIP() << "PostgreSQL is not installed";
    if (!scoreline::test::RedisServer::installed("redis-server")) GTEST_SKIP() << "redis-server is not installed";
    postgres_.emplace();
    redis_.emplace();
    stores_ = {postgres_->url(), "redis://127.0.0.1:" + std::to_string(redis_->port())};
  }
  static std::vector<std::string> lines(const std::vector<scoreline::Entry>& entries) {
    std::vector<std::string> lines;
    for (const auto& entry : entries) {
      lines.push_back(std::to_string(entry.rank) + " " + entry.player + " " + std::to_string(entry.points));
    }
    return lines;
  }
  /// What one program did, the other learns within a second or two.
  template <typename Condition>
  static bool comes_true(const Condition& condition) {
    for (int i = 0; i < 2'000; ++i) {
      try {
        if (condition()) return true;
      } catch (const scoreline::Failure&) {  // not ready: a season or a definition has just changed
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
  }

  std::optional<scoreline::test::PostgresServer> postgres_;
  std::optional<scoreline::test::RedisServer> redis_;
  SharedStores stores_;
};

TEST_F(SharedStoresTest, WhatOneProgramDoesAnotherOneReads) {
  auto one = Scoreline::open(stores_);
  auto other = Scoreline::open(stores_);
  const auto board = one.leaderboard("main", {.rule = scoreline::Rule::sum, .days = true});
  auto mine = board;
  mine.add_points("alice", 120);
  mine.add_points("bob", 95);
  mine.add_points("carol", 130);
  mine.add_points("bob", 60);
  const auto theirs = [&] { return other.leaderboard("main"); };
  EXPECT_TRUE(comes_true([&] { return theirs().size() == 3; }));
  EXPECT_THAT(lines(theirs().top(3)), ElementsAre("1 bob 155", "2 carol 130", "3 alice 120"));
  EXPECT_THAT(lines(theirs().period("day").around("carol", 1)), ElementsAre("1 bob 155", "2 carol 130", "3 alice 120"));
  EXPECT_THAT(lines(theirs().between(100, 140)), ElementsAre("2 carol 130", "3 alice 120"));
  EXPECT_EQ(theirs().count_above(125), 2U);

  EXPECT_TRUE(other.hide_player("main", "bob", "aimbot"));
  EXPECT_THAT(lines(mine.top(3)), ElementsAre("1 carol 130", "2 alice 120"));
  EXPECT_TRUE(other.restore_player("main", "bob"));
  EXPECT_EQ(mine.rank_of("bob"), 1U);

  one.close_season("main", 1);
  EXPECT_TRUE(comes_true([&] { return other.seasons("main").at(0).state == scoreline::SeasonState::closed; }));
  EXPECT_THAT(lines(other.archive("main", 1)), ElementsAre("1 bob 155", "2 carol 130", "3 alice 120"));
}

TEST_F(SharedStoresTest, StoresOfAnotherKindAreRefusedByName) {
  const auto field_of = [](const SharedStores& stores) -> std::string {
    try {
      Scoreline::open(stores);
    } catch (const scoreline::Failure& failure) {
      return failure.code() + " " + failure.field();
    }
    return "opened";
  };
  EXPECT_EQ(field_of({"", stores_.index}), "usage ledger");
  EXPECT_EQ(field_of({"sqlite:data", stores_.index}), "usage ledger");
  EXPECT_EQ(field_of({stores_.ledger, ""}), "usage index");
  EXPECT_EQ(field_of({stores_.ledger, "memory:"}), "usage index");
}

}  // namespace
