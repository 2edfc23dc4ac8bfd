// Servers that die, hang, or do not get their answers through.
#include "faults/redis_jobs/job_store_fixture.h"

namespace scoreline::test {
namespace {

class LostAnswers : public JobFaults {
 protected:
  static milliseconds since(Monotonic begin) {
    return std::chrono::duration_cast<milliseconds>(SystemClock().monotonic() - begin);
  }
};
JOBS_ON_BOTH_SERVERS(LostAnswers);

TEST_P(LostAnswers, AServerThatWasKilledHasEveryJobAndLeaseAgain) {
  start({"--appendonly", "yes", "--appendfsync", "always"});
  JobProcess process(server_->port());
  for (const char* const id : {"held", "ready"}) ASSERT_TRUE(process.push(id));
  ASSERT_TRUE(process.push("later", milliseconds{300'000}));
  const StoredJob held = only(process.take(), "held");
  server_->crash();
  const auto refused = process.push("while it is away");
  EXPECT_EQ(code_of(refused), Code::storage_failed);
  EXPECT_TRUE(refused.error().retry_after);
  server_->start();
  ASSERT_TRUE(eventually([&] { return process.push("ready").has_value(); }));
  EXPECT_EQ(process.push("held")->front().state, JobState::leased) << "nobody else may have it";
  EXPECT_EQ(process.push("later")->front().state, JobState::delayed);
  EXPECT_TRUE(process.ack(only(process.take(), "ready")));
  EXPECT_TRUE(process.take()->empty());
  EXPECT_TRUE(process.ack(held));
}

TEST_P(LostAnswers, AHungServerCostsItsCallersTheDeadlineAndNoMore) {
  start();
  JobProcess process(server_->port(), {.deadline = milliseconds{300}});
  ASSERT_TRUE(process.push("a"));
  auto waiting = process.take_later(milliseconds{800});
  ASSERT_TRUE(process.ack(only(waiting.get(), "a")));
  waiting = process.take_later(milliseconds{800});
  ASSERT_TRUE(eventually([&] { return admin("PUBSUB NUMSUB queue:wake").empty(); }));  // an array has no text
  std::this_thread::sleep_for(milliseconds{100});
  server_->hang();
  const Monotonic begin = SystemClock().monotonic();
  const auto pushed = process.push("b");
  EXPECT_FALSE(pushed);
  EXPECT_LT(since(begin), milliseconds{2'000});
  const auto took = waiting.get();
  EXPECT_LT(since(begin), milliseconds{3'000});
  EXPECT_TRUE(!took || took->empty());
  server_->resume();
  ASSERT_TRUE(eventually([&] { return process.push("b").has_value(); }));
  EXPECT_TRUE(eventually([&] {
    const auto taken = process.take();
    return taken && taken->size() == 1 && process.ack(taken->front());
  }));
}

TEST_P(LostAnswers, WhatWasDoneAndNotAnsweredIsSettledBySendingItAgain) {
  start();
  TcpProxy proxy(server_->port());
  JobProcess process(proxy.port(), {.deadline = milliseconds{300}});
  ASSERT_TRUE(process.push("first"));
  const StoredJob first = only(process.take(), "first");
  ASSERT_TRUE(process.give_back(first));
  const StoredJob held = only(process.take(), "first");

  proxy.set(TcpProxy::Mode::mute);
  EXPECT_EQ(code_of(process.push("second")), Code::unknown_outcome);
  proxy.set(TcpProxy::Mode::pass);
  Result<std::vector<EnqueueAnswer>> again = fail(Code::internal, {});
  ASSERT_TRUE(eventually([&] { return (again = process.push("second")).has_value(); }));
  EXPECT_EQ(again->front().outcome, EnqueueOutcome::duplicate);

  proxy.set(TcpProxy::Mode::mute);
  EXPECT_EQ(code_of(process.ack(held)), Code::unknown_outcome);
  proxy.set(TcpProxy::Mode::pass);
  Result<void> acked;
  ASSERT_TRUE(eventually([&] {
    acked = process.ack(held);
    return !acked && acked.error().code == Code::conflict;
  }));
  EXPECT_EQ(process.stats().acked, 1u);

  proxy.set(TcpProxy::Mode::mute);
  EXPECT_EQ(code_of(process.take(milliseconds{2'000})), Code::unknown_outcome);
  proxy.set(TcpProxy::Mode::pass);
  ASSERT_TRUE(eventually([&] { return process.push("third").has_value(); }));
  EXPECT_TRUE(process.ack(only(process.take(), "third"))) << "the second is leased, to nobody";
  const auto back = process.take_later(milliseconds{8'000}).get();
  EXPECT_EQ(only(back, "second").crashes, 1);
}

TEST_P(LostAnswers, ASubscriptionThatBreaksIsMadeAgainAndNothingIsMissed) {
  start();
  JobProcess worker(server_->port()), producer(server_->port());
  for (int round = 0; round < 5; ++round) {
    auto waiting = worker.take_later(milliseconds{20'000});
    std::this_thread::sleep_for(milliseconds{50});
    admin("CLIENT KILL TYPE pubsub");
    ASSERT_TRUE(producer.push("x"));
    ASSERT_EQ(waiting.wait_for(milliseconds{2'000}), std::future_status::ready) << round;
    ASSERT_TRUE(worker.ack(only(waiting.get(), "x")));
  }
}

TEST_P(LostAnswers, AnEndingStoreAnswersWhatStillWaits) {
  start();
  JobProcess process(server_->port());
  auto waiting = process.take_later(milliseconds{60'000});
  std::this_thread::sleep_for(milliseconds{50});
  process.end();
  EXPECT_EQ(code_of(waiting.get()), Code::not_ready);
}

}  // namespace
}  // namespace scoreline::test
