// Loads: beside everything that goes on meanwhile, lost on the way, wanted by two at once.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class Loads : public IndexFaults {
 protected:
  /// One result or erasure after the other, of players that nobody else writes, until told to stop.
  void write(leaderboards::RankIndex& to, const std::string& prefix) {
    SeededRandom random(7);
    int erased = 0;
    while (!stop_) {
      const std::string id = prefix + std::to_string(random.below(500));
      Offer now{player(id), {}};
      {
        const std::lock_guard lock(ledger_mutex_);
        ledger_.add(id, 100 + static_cast<std::int64_t>(random.below(100'000)), Timestamp{0});
        now.standing = *ledger_.standing(id);
      }
      const auto applied = to.apply(board_, {&now, 1}, Ranks::skip);
      if (!applied) return failed(applied.error().detail);
      if (random.below(10) > 0 || erased == 300) continue;
      const PlayerId gone = player(prefix + "gone" + std::to_string(erased++));
      {
        const std::lock_guard lock(ledger_mutex_);
        ledger_.erase(gone.text());
      }
      const auto taken = to.erase(board_, {&gone, 1});
      if (!taken) return failed(taken.error().detail);
    }
  }

  /// Every page whole, in order, and of no player a standing worse than seen before.
  void read(leaderboards::RankIndex& from) {
    std::map<std::string, std::int64_t> seen;
    while (!stop_) {
      const auto page = from.range(board_, 1, 10'000);
      if (!page) return failed(page.error().detail);
      if (page->players != page->entries.size() || page->players < 2'000) {
        return failed(std::to_string(page->players) + " players");
      }
      for (std::size_t i = 0; i < page->entries.size(); ++i) {
        const auto& entry = page->entries[i];
        std::int64_t& before = seen[entry.player.text()];
        if (entry.rank != i + 1 || entry.standing.points < before) {
          return failed(entry.player.text() + " went back");
        }
        before = entry.standing.points;
      }
    }
  }

  void failed(const std::string& how) {
    ADD_FAILURE() << how;
    stop_ = true;
  }

  std::mutex ledger_mutex_;  // of ledger_, while there are threads
  std::atomic<bool> stop_ = false;
};
ON_EVERY_SERVER(Loads);

TEST_P(Loads, UnderWritesErasuresAndReadersEachSeesAWholeBoardAndNothingIsLost) {
  for (int i = 0; i < 2'000; ++i) ledger_.add("stays" + std::to_string(i), 100, Timestamp{0});
  for (const char* const prefix : {"a", "b"}) {
    for (int i = 0; i < 300; ++i) ledger_.add(prefix + ("gone" + std::to_string(i)), 100, Timestamp{0});
  }
  must(reload(index(), board_, ledger_));
  std::vector<std::thread> threads;
  threads.emplace_back([&] { write(index(), "a"); });
  threads.emplace_back([&] { write(other(), "b"); });
  threads.emplace_back([&] { read(index()); });
  threads.emplace_back([&] { read(other()); });
  RedisNode loader(url(), kOptions);
  for (int i = 0; i < 8 && !stop_; ++i) {
    EXPECT_TRUE(loader.index->begin_load(board_));
    const auto as_read = [&] {
      const std::lock_guard lock(ledger_mutex_);
      return ledger_;
    }();
    EXPECT_TRUE(finish_load(*loader.index, board_, as_read));
  }
  stop_ = true;
  for (auto& thread : threads) thread.join();
  expect_right();
}

TEST_P(Loads, WhatIsAppliedOrErasedWhileALostBoardIsLoadedCountsThere) {
  fill_ledger();
  const ModelBoard as_read = ledger_;
  must(index().begin_load(board_));
  EXPECT_EQ(code_of(submit(other(), "late", 70)), Code::not_ready);
  EXPECT_EQ(code_of(submit(index(), "p1", 80)), Code::not_ready);
  const PlayerId gone = player("p2");
  EXPECT_EQ(code_of(other().erase(board_, {&gone, 1})), Code::not_ready);
  ledger_.erase("p2");
  expect_not_ready();
  must(finish_load(index(), board_, as_read));
  expect_right();
}

TEST_P(Loads, ABoardOfManyPiecesComesWhole) {
  for (int i = 0; i < 20'500; ++i) ledger_.add("q" + std::to_string(i), i * 7 % 9'999, Timestamp{0});
  must(reload(index(), board_, ledger_));
  expect_right();
}

TEST_P(Loads, OfTwoAtOnceExactlyOneGoesOn) {
  fill_ledger();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> began = 0, ready = 0;
    const auto begin = [&](leaderboards::RankIndex& by) {
      for (++ready; ready < 2;) continue;
      const auto begun = by.begin_load(board_);
      if (begun) return ++began, true;
      EXPECT_EQ(begun.error().code, Code::conflict);
      EXPECT_TRUE(begun.error().retry_after);
      return false;
    };
    bool other_began = false;
    std::thread second([&] { other_began = begin(other()); });
    const bool first_began = begin(index());
    second.join();
    EXPECT_EQ(began, 1);
    EXPECT_EQ(code_of(finish_load(first_began ? other() : index(), board_, ledger_)), Code::conflict);
    must(finish_load(first_began ? index() : other(), board_, ledger_));
    EXPECT_NE(first_began, other_began);
    expect_right();
  }
}

TEST_P(Loads, ALoaderThatDiesIsFollowedByTheNextAndHasNoSayAnyMore) {
  fill_ledger();
  RedisNode dying(url(), {.epoch = "ledger", .load_lease = std::chrono::milliseconds{300}});
  must(dying.index->begin_load(board_));
  const auto second = index().begin_load(board_);
  ASSERT_EQ(code_of(second), Code::conflict);
  ASSERT_TRUE(second.error().retry_after);
  EXPECT_LE(*second.error().retry_after, std::chrono::milliseconds{301});  // rounded up
  ASSERT_TRUE(eventually([&] { return index().begin_load(board_).has_value(); }));
  ModelBoard stray(board_);
  stray.add("stray", 1, Timestamp{0});
  EXPECT_EQ(code_of(finish_load(*dying.index, board_, stray)), Code::conflict);
  EXPECT_EQ(code_of(index().range(board_, 1, 10)), Code::not_ready);
  must(finish_load(index(), board_, ledger_));
  expect_right();
}

TEST_P(Loads, ALoaderThatIsHeardOfKeepsItsLoad) {
  fill_ledger();
  RedisNode slow(url(), {.epoch = "ledger", .load_lease = std::chrono::milliseconds{200}});
  must(slow.index->begin_load(board_));
  for (int i = 0; i < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    must(slow.index->begin_load(board_));
    EXPECT_EQ(code_of(index().begin_load(board_)), Code::conflict);
  }
  must(finish_load(*slow.index, board_, ledger_));
  expect_right();
}

TEST_P(Loads, ALoadThatTheServerLostPutsNoPartOfABoardInPlace) {
  for (int i = 0; i < 12'000; ++i) ledger_.add("q" + std::to_string(i), i, Timestamp{0});
  for (const char* const fault : {"FLUSHALL", "DEL lb:{s12}:rebuild", "DEL lb:{s12}:meta"}) {
    SCOPED_TRACE(fault);
    const auto entries = ledger_.entries();
    auto next = entries.rbegin();
    must(index().begin_load(board_));
    const auto loaded = index().load(board_, entries.size(), [&]() -> std::optional<Offer> {
      if (next - entries.rbegin() == 9'500) admin(fault);  // some of it is there already
      if (next == entries.rend()) return std::nullopt;
      const auto& entry = *next++;
      return Offer{entry.player, entry.standing};
    });
    EXPECT_EQ(code_of(loaded), Code::conflict);
    EXPECT_EQ(code_of(index().range(board_, 1, 10)), Code::not_ready);
    must(reload(other(), board_, ledger_));
    expect_right();
    admin("FLUSHALL");
  }
}

// There is no piece whose script could tell that the load is over: only its end can.
TEST_P(Loads, ALoadOfNothingThatIsOverPutsNoEmptyBoardInPlace) {
  fill_ledger();
  const ModelBoard nothing(board_);
  RedisNode dying(url(), {.epoch = "ledger", .load_lease = std::chrono::milliseconds{1}});
  must(dying.index->begin_load(board_));
  ASSERT_TRUE(eventually([&] { return reload(index(), board_, ledger_).has_value(); }));
  EXPECT_EQ(code_of(finish_load(*dying.index, board_, nothing)), Code::conflict);
  expect_right();
  must(index().begin_load(board_));
  admin("FLUSHALL");
  EXPECT_EQ(code_of(finish_load(index(), board_, nothing)), Code::conflict);
  expect_lost_and_healed();
}

TEST_P(Loads, ATotalOfFewerResultsDoesNotComeBack) {
  board_.rule = leaderboards::Rule::sum;
  must(index().begin_load(board_));
  std::optional<Offer> only = Offer{player("a"), {10, Timestamp{0}}, 3};
  must(index().load(board_, 1, [&] { return std::exchange(only, std::nullopt); }));
  const auto applied = [&](std::int64_t points, std::uint64_t results) {
    const Offer total{player("a"), {points, Timestamp{0}}, results};
    return other().apply(board_, {&total, 1}, Ranks::skip).value().front();
  };
  EXPECT_FALSE(applied(7, 2).changed);
  EXPECT_EQ(applied(7, 2).standing.points, 10);
  EXPECT_TRUE(applied(5, 4).changed);
  EXPECT_FALSE(applied(10, 3).changed);
  EXPECT_EQ(index().place_of(board_, player("a")).value()->entry.standing.points, 5);
}

}  // namespace
}  // namespace scoreline::test
