// Servers that answer, and say that they cannot now.
#include <atomic>
#include <thread>

#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class Refusals : public IndexFaults {
 protected:
  /// Each call is refused and says when to ask again, by both nodes.
  void expect_all_refused() {
    for (auto* const node : {&*node_, &*other_}) {
      for (const Told& told : ask_everything(*node->index, board_, offer("p3", 13))) {
        ASSERT_TRUE(told.error) << told.call;
        EXPECT_EQ(told.error->code, Code::not_ready) << told.call << ": " << told.error->detail;
        EXPECT_TRUE(told.error->retry_after) << told.call;
      }
    }
  }
  void expect_writes_refused() {
    for (auto* const node : {&*node_, &*other_}) {
      const Offer more = offer("p0", 1'000);
      const auto applied = node->index->apply(board_, {&more, 1}, Ranks::skip);
      EXPECT_EQ(code_of(applied), Code::not_ready);
      expect_unavailable(applied);
      expect_unavailable(node->index->erase(board_, {&more.player, 1}));
      expect_unavailable(node->index->begin_load(board_));
    }
  }
  void expect_back() {
    ASSERT_TRUE(eventually([&] { return index().is_loaded(board_) && other().is_loaded(board_); }));
    expect_right();
    ASSERT_TRUE(submit(index(), "p0", 100).value());
    expect_right();
  }
};
ON_BOTH_SERVERS(Refusals);

TEST_P(Refusals, AMasterThatBecameAReplicaTakesNothing) {
  load_some();
  ASSERT_EQ(admin("REPLICAOF 127.0.0.1 1"), "OK");
  expect_writes_refused();
  ASSERT_EQ(admin("REPLICAOF NO ONE"), "OK");
  expect_back();
}

TEST_P(Refusals, AReplicaOfAnotherServerShowsNoneOfItsBoards) {
  load_some();
  const RedisServer another(path_of(program()), {"--repl-diskless-sync-delay", "0"});
  RedisNode elsewhere("redis://127.0.0.1:" + std::to_string(another.port()), kOptions);
  ModelBoard old(board_);
  old.add("old", 1, Timestamp{0});
  must(reload(*elsewhere.index, board_, old));
  ASSERT_EQ(admin("REPLICAOF 127.0.0.1 " + std::to_string(another.port())), "OK");
  ASSERT_TRUE(eventually([&] { return admin("INFO replication").find("link_status:up") != std::string::npos; }));
  ASSERT_TRUE(eventually([&] { return admin("ZCARD lb:{s12}") == "1"; }));
  expect_all_refused();
  ASSERT_EQ(admin("REPLICAOF NO ONE"), "OK");
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_) && other().is_loaded(board_); }));
  expect_lost_and_healed();
}

TEST_P(Refusals, TooFewReplicasStopWritesAndNoReads) {
  load_some();
  ASSERT_EQ(admin("CONFIG SET min-replicas-to-write 1"), "OK");
  expect_writes_refused();
  expect_right();
  ASSERT_EQ(admin("CONFIG SET min-replicas-to-write 0"), "OK");
  expect_back();
}

TEST_P(Refusals, AReplicaWithoutItsMasterTellsNothing) {
  load_some();
  ASSERT_EQ(admin("CONFIG SET replica-serve-stale-data no"), "OK");
  ASSERT_EQ(admin("REPLICAOF 127.0.0.1 1"), "OK");
  expect_all_refused();
  ASSERT_EQ(admin("REPLICAOF NO ONE"), "OK");
  expect_back();
}

TEST_P(Refusals, AnEndlessScriptOfSomebodyElseIsWaitedFor) {
  load_some();
  ASSERT_EQ(admin("CONFIG SET busy-reply-threshold 50"), "OK");
  std::thread endless([&] { ask_server(server_->port(), {"EVAL", "while true do end", "0"}); });
  EXPECT_TRUE(eventually([&] { return admin("GET x").starts_with("BUSY"); }));
  expect_all_refused();
  EXPECT_TRUE(eventually([&] { return admin("SCRIPT KILL") == "OK"; }));
  endless.join();
  expect_back();
}

TEST_P(Refusals, AServerThatReadsItsDumpShowsNoBoard) {
  start(
      {"--enable-debug-command", "yes", "--key-load-delay", "200", "--loading-process-events-interval-bytes", "1024"});
  load_some();
  ASSERT_EQ(admin("DEBUG POPULATE 2000 key 10"), "OK");
  ASSERT_EQ(admin("SAVE"), "OK");
  server_->crash();
  std::atomic<bool> stop = false, loading = false;
  std::thread reader([&] {
    while (!stop) {
      const auto page = index().range(board_, 1, 10);
      expect_unavailable(page);
      if (!page && page.error().detail.find("LOADING") != std::string::npos) loading = true;
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  });
  server_->start();  // returns once it has read the dump
  stop = true;
  reader.join();
  EXPECT_TRUE(loading);
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_) && other().is_loaded(board_); }));
  expect_lost_and_healed();
}

TEST_P(Refusals, ForgottenScriptsAreSentAgainUnderLoad) {
  load_some();
  std::atomic<bool> stop = false;
  int flushed = 0;
  std::thread forgetting([&] {
    for (; !stop; ++flushed) admin("SCRIPT FLUSH");
  });
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    EXPECT_TRUE(submit(i % 2 == 0 ? index() : other(), "q" + std::to_string(i % 50), i));
    EXPECT_TRUE(index().around(board_, player("p3"), 3));
  }
  stop = true;
  forgetting.join();
  EXPECT_GT(flushed, 10);
  expect_right();
}

}  // namespace
}  // namespace scoreline::test
