// Servers that hang, and connections that are cut with half of the work done.
#include <atomic>
#include <mutex>
#include <thread>

#include "faults/redis/index_fixture.h"
#include "support/tcp_proxy.h"

namespace scoreline::test {
namespace {

class Connections : public IndexFaults {
 protected:
  /// The first node goes through the proxy from now on.
  void through(const TcpProxy& proxy) {
    node_.reset();
    node_.emplace("redis://127.0.0.1:" + std::to_string(proxy.port()), kOptions,
                  redis::ClientOptions{.deadline = std::chrono::milliseconds{300}});
  }
};
ON_BOTH_SERVERS(Connections);

TEST_P(Connections, AHungServerIsUnavailableUntilItGoesOnAndNothingIsLost) {
  start({}, {.deadline = std::chrono::milliseconds{300}});
  load_some();
  server_->hang();
  for (int round = 0; round < 3; ++round) {
    for (const Told& told : ask_everything(index(), board_, offer("p3", 13))) {
      ASSERT_TRUE(told.error) << told.call;
      EXPECT_TRUE(told.error->retry_after) << told.call << ": " << told.error->detail;
      const bool writes = told.call == "apply" || told.call == "erase";
      EXPECT_TRUE(writes || told.error->code != Code::unknown_outcome) << told.call;
    }
  }
  EXPECT_FALSE(submit(other(), "late", 100));  // it is in the ledger
  server_->resume();
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_) && submit(other(), "late", 100); }));
  expect_right();
}

TEST_P(Connections, AReadThatIsNotAnsweredIsNoUnknownOutcome) {
  load_some();
  TcpProxy proxy(server_->port());
  through(proxy);
  expect_right();
  proxy.set(TcpProxy::Mode::mute);
  expect_unavailable(index().range(board_, 1, 10));
}

TEST_P(Connections, AChangeWhoseAnswerWasLostIsSentAgainWithoutHarm) {
  load_some();
  TcpProxy proxy(server_->port());
  through(proxy);
  ASSERT_TRUE(submit(index(), "p0", 50).value());  // its script is there
  for (int i = 0; i < 3; ++i) {
    expect_right();
    proxy.set(TcpProxy::Mode::mute);
    EXPECT_EQ(code_of(submit(index(), "p" + std::to_string(i), 100 + i)), Code::unknown_outcome);
    expect_as_ledger(other(), board_, ledger_);  // it was done, and nobody here could know
    proxy.reset();
    proxy.set(TcpProxy::Mode::pass);
    ASSERT_TRUE(eventually([&] { return submit(index(), "p" + std::to_string(i), 100 + i).has_value(); }));
  }
  expect_right();
}

TEST_P(Connections, ALoadCutAgainAndAgainIsRightInTheEndAndNeverSeenInPart) {
  for (int i = 0; i < 12'000; ++i) ledger_.add("q" + std::to_string(i), i % 700, Timestamp{0});
  must(reload(other(), board_, ledger_));
  TcpProxy proxy(server_->port());
  through(proxy);
  std::mutex ledger_mutex;
  std::atomic<bool> done = false;
  std::thread cutting([&] {
    for (int i = 0; i < 30 && !done; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5 + 5 * i});
      proxy.reset();
    }
  });
  int failures = 0;
  std::thread loading([&] {
    const auto load = [&]() -> Result<void> {
      if (const auto begun = index().begin_load(board_); !begun) return begun;
      const auto as_read = [&] {
        const std::lock_guard lock(ledger_mutex);
        return ledger_;
      }();
      return finish_load(index(), board_, as_read);
    };
    while (!load()) ++failures;
    done = true;
  });
  for (int i = 0; !done && !HasFailure(); ++i) {
    Offer better = offer("q" + std::to_string(i % 12'000), 1'000 + i);
    {
      const std::lock_guard lock(ledger_mutex);
      ledger_.add(better.player.text(), better.standing.points, Timestamp{0});
    }
    EXPECT_TRUE(other().apply(board_, {&better, 1}, Ranks::skip));
    const auto page = other().range(board_, 1, 1);
    EXPECT_EQ(page.map([](const auto& seen) { return seen.players; }).value_or(0), 12'000U);
  }
  loading.join();
  cutting.join();
  EXPECT_GT(failures, 0);
  ASSERT_TRUE(eventually([&] { return index().is_loaded(board_).has_value(); }));
  expect_right();
}

}  // namespace
}  // namespace scoreline::test
