// What the embedded store does when its ledger fails, and what its queues in memory do then.
#include "queues/embedded_job_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/eventually.h"
#include "support/model_job_ledger.h"

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;
using test::ModelJobLedger;
using Fault = ModelJobLedger::Fault;
using Names = std::vector<std::string>;

/// In virtual time.
class EmbeddedStoreCases : public testing::Test {
 protected:
  void fault(Fault fault) {
    ledger_.next = [fault, over = false]() mutable { return std::exchange(over, true) ? Fault::none : fault; };
  }
  template <typename T, typename Call>
  Result<T> ask(Call call) {
    std::optional<Result<T>> answer;
    call([&](Result<T> result) { answer = std::move(result); });
    for (int i = 0; i < 5 && !answer; ++i) store_->step();
    if (answer) return *std::move(answer);
    ADD_FAILURE() << "no answer";
    return fail(Code::internal, "no answer");
  }
  Result<std::vector<EnqueueAnswer>> push(const std::string& id) {
    std::vector<JobSpec> jobs(1);
    jobs[0].id = id;
    return ask<std::vector<EnqueueAnswer>>([&](auto done) { store_->enqueue(queue_, jobs, done); });
  }
  Result<std::vector<StoredJob>> take(std::size_t max = 1) {
    return ask<std::vector<StoredJob>>([&](auto done) { store_->take(queue_, {max, milliseconds{100}, {}}, done); });
  }
  Result<void> set(Durability durability) {
    QueueOptions options;
    options.durability = durability;
    return ask<void>([&](auto done) { store_->set_options(queue_, options, done); });
  }
  Names ready() {
    Names ids;
    store_->list(queue_, {JobState::ready, 0, 100}, [&](Result<std::vector<StoredJob>> jobs) {
      ASSERT_TRUE(jobs) << jobs.error().detail;
      for (const StoredJob& job : *jobs) ids.push_back(job.id);
    });
    return ids;
  }
  void reopen() {
    store_.reset();
    open();
  }
  void open() {
    store_ = EmbeddedJobStore::open(&ledger_, clock_, random_, EmbeddedJobStore::Driven::by_steps).value();
    store_->step();
  }
  void pass(std::int64_t ms) {
    clock_.advance(milliseconds{ms});
    store_->step();
  }

  ManualClock clock_{Timestamp{1'800'000'000'000}};
  SeededRandom random_{1};
  ModelJobLedger ledger_;
  std::unique_ptr<EmbeddedJobStore> store_ = [this] {
    return EmbeddedJobStore::open(&ledger_, clock_, random_, EmbeddedJobStore::Driven::by_steps).value();
  }();
  std::string queue_ = "mail";
};

TEST_F(EmbeddedStoreCases, CallsThatCameMeanwhileShareOneCommit) {
  int answered = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<JobSpec> jobs(1);
    jobs[0].id = std::to_string(i);
    store_->enqueue(queue_, jobs, [&](auto answers) { answered += answers.has_value(); });
  }
  EXPECT_EQ(answered, 0) << "nothing is answered before it is kept";
  store_->step();
  EXPECT_EQ(answered, 50);
  EXPECT_EQ(ledger_.commits, 1);
  EXPECT_EQ(ledger_.jobs.size(), 50u);
}

TEST_F(EmbeddedStoreCases, AJobThatCameAndWentMeanwhileIsNeverWritten) {
  ASSERT_TRUE(push("first"));
  const std::size_t written = ledger_.written;
  bool polled = false;
  std::vector<JobSpec> jobs(1);
  store_->poll(queue_, [](auto) {});
  store_->enqueue(queue_, jobs, [](auto) {});
  store_->poll(queue_, [&](auto job) { polled = job && *job; });
  store_->step();
  EXPECT_TRUE(polled);
  EXPECT_EQ(ledger_.written, written + 1) << "the first one's end, and nothing of the other";
  EXPECT_TRUE(ledger_.jobs.empty());
}

TEST_F(EmbeddedStoreCases, WithoutRoomNothingIsTakenInAndWithRoomAgainItIs) {
  ASSERT_TRUE(push("a"));
  fault(Fault::full);
  const auto refused = push("b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::storage_full);
  EXPECT_EQ(ready(), Names{"a"});
  EXPECT_TRUE(push("b"));
  EXPECT_EQ(ready(), (Names{"a", "b"}));
}

TEST_F(EmbeddedStoreCases, AQueueThatCouldNotBeKeptHasNotComeIntoBeing) {
  fault(Fault::full);
  ASSERT_FALSE(push("a"));
  store_->stats(queue_, [](auto stats) {
    ASSERT_FALSE(stats);
    EXPECT_EQ(stats.error().code, Code::not_found);
  });
  EXPECT_TRUE(push("a"));
  reopen();
  EXPECT_EQ(ready(), Names{"a"});
}

TEST_F(EmbeddedStoreCases, NamesUnderWhichNothingGoodIsSaidTakeNoRoom) {
  for (std::size_t i = 0; i < kMaxQueues + 10; ++i) {
    queue_ = "q" + std::to_string(i);
    EXPECT_EQ(push("bad\n").error().field, "id");
  }
  EXPECT_TRUE(push("a"));
}

TEST_F(EmbeddedStoreCases, ATakeThatCouldNotBeKeptLeavesTheJobInItsPlace) {
  for (const char* const id : {"a", "b"}) ASSERT_TRUE(push(id));
  fault(Fault::full);
  ASSERT_FALSE(take());
  EXPECT_EQ(ready(), (Names{"a", "b"}));
  const auto again = take();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->at(0).id, "a");
  EXPECT_EQ(again->at(0).attempt(), 1);
}

TEST_F(EmbeddedStoreCases, AnUnknownOutcomeIsSettledByTheSameBatchAgain) {
  for (const Fault lost : {Fault::lost_answer, Fault::lost_request}) {
    fault(lost);
    EXPECT_TRUE(push(lost == Fault::lost_answer ? "a" : "b"));
  }
  EXPECT_EQ(ledger_.jobs.size(), 2u);
}

TEST_F(EmbeddedStoreCases, WhatIsUnknownToTheEndIsAsTheLedgerHasIt) {
  ASSERT_TRUE(push("a"));
  int sent = 0;
  ledger_.next = [&sent] { return sent++ == 0 ? Fault::lost_answer : Fault::full; };
  const auto set = [&](const Schedule& schedule) {
    return ask<void>([&](auto done) { store_->put_schedule(queue_, schedule, done); });
  };
  const auto unknown = set({"tick", "0 * * * *"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::unknown_outcome);
  ledger_.next = nullptr;
  store_->schedules(queue_, [&](auto schedules) { EXPECT_EQ(schedules->size(), 1u) << "it was kept after all"; });
  ASSERT_EQ(ledger_.schedules.size(), 1u);
}

TEST_F(EmbeddedStoreCases, AStoreThatWasJustOpenedTellsTheNextTick) {
  ASSERT_TRUE(ask<void>([&](auto done) { store_->put_schedule(queue_, {"tick", "0 * * * *"}, done); }));
  const auto next = [this] {
    std::optional<Timestamp> tick;
    store_->schedules(queue_, [&](auto schedules) { tick = schedules->front().next; });
    return tick;
  };
  const auto before = next();
  ASSERT_TRUE(before && *before > clock_.now());
  store_.reset();
  store_ = EmbeddedJobStore::open(&ledger_, clock_, random_, EmbeddedJobStore::Driven::by_steps).value();
  EXPECT_EQ(next(), before) << "before anything has looked after the queue";
}

TEST_F(EmbeddedStoreCases, WhileTheLedgerIsAwayNothingIsReadThatItMayNotHave) {
  ASSERT_TRUE(push("a"));
  fault(Fault::away);
  ledger_.away = 0;
  std::vector<JobSpec> jobs(1);
  bool refused = false;
  store_->enqueue(queue_, jobs, [&](auto answers) { refused = !answers; });
  // One step, in which the undo finds the ledger away.
  while (!refused) store_->step();
  if (store_->trouble()) {
    store_->stats(queue_, [](auto stats) { EXPECT_FALSE(stats); });
    EXPECT_FALSE(push("c"));
  }
  for (int i = 0; i < 5; ++i) store_->step();
  EXPECT_FALSE(store_->trouble());
  EXPECT_EQ(ready(), Names{"a"});
}

TEST_F(EmbeddedStoreCases, OverABrokenLedgerReadsAndQueuesInMemoryGoOn) {
  ASSERT_TRUE(push("a"));
  queue_ = "cache";
  ASSERT_TRUE(set(Durability::memory));
  queue_ = "mail";
  fault(Fault::broken);
  ASSERT_FALSE(push("b"));
  EXPECT_FALSE(take());
  EXPECT_EQ(ready(), Names{"a"});
  EXPECT_TRUE(store_->trouble());
  queue_ = "cache";
  EXPECT_TRUE(push("x"));
  EXPECT_EQ(take()->size(), 1u);
  EXPECT_FALSE(set(Durability::disk)) << "that would need the ledger";
}

TEST_F(EmbeddedStoreCases, WhatIsDueWhileNothingCanBeWrittenIsDoneLaterAndCostsNoSpinning) {
  ASSERT_TRUE(push("a"));
  ASSERT_TRUE(take());
  ledger_.next = [] { return Fault::full; };
  const int commits = ledger_.commits;
  for (int ms = 0; ms < 1'000; ++ms) pass(1);
  EXPECT_GE(ledger_.commits, commits + 2) << "it tries again";
  EXPECT_LE(ledger_.commits, commits + 20);
  EXPECT_EQ(ready(), Names{});
  ledger_.next = nullptr;
  for (int ms = 0; ms < 300; ++ms) pass(1);
  EXPECT_EQ(ready(), Names{"a"});
}

TEST_F(EmbeddedStoreCases, JobsInMemoryNeverReachTheLedgerAndFollowTheirQueueIntoIt) {
  ASSERT_TRUE(set(Durability::memory));
  for (const char* const id : {"a", "b"}) ASSERT_TRUE(push(id));
  EXPECT_TRUE(ledger_.jobs.empty());
  ASSERT_TRUE(set(Durability::os));
  EXPECT_EQ(ledger_.jobs.size(), 2u);
  reopen();
  EXPECT_EQ(ready(), (Names{"a", "b"}));
  ASSERT_TRUE(push("c"));
  ASSERT_TRUE(set(Durability::memory));
  EXPECT_TRUE(ledger_.jobs.empty());
  EXPECT_EQ(ready(), (Names{"a", "b", "c"}));
  reopen();
  EXPECT_EQ(ready(), Names{});
}

TEST_F(EmbeddedStoreCases, WhenLeavingTheLedgerFailsNothingIsLost) {
  ASSERT_TRUE(push("a"));
  fault(Fault::full);
  bool failed = false;
  QueueOptions options;
  options.durability = Durability::memory;
  store_->set_options(queue_, options, [&](Result<void> set) { failed = !set; });
  std::vector<JobSpec> jobs(1);
  jobs[0].id = "b";
  bool refused = false;
  store_->enqueue(queue_, jobs, [&](auto answers) { refused = !answers; });
  store_->step();
  EXPECT_TRUE(failed && refused);
  EXPECT_EQ(ready(), Names{"a"});
  reopen();
  EXPECT_EQ(ready(), Names{"a"});
}

TEST_F(EmbeddedStoreCases, WhatComesInWhileItsQueueLeavesTheLedgerLeavesItToo) {
  ASSERT_TRUE(push("a"));
  QueueOptions options;
  options.durability = Durability::memory;
  store_->set_options(queue_, options, [](Result<void>) {});
  std::vector<JobSpec> jobs(1);
  jobs[0].id = "b";
  store_->enqueue(queue_, jobs, [](auto) {});
  store_->step();
  EXPECT_TRUE(ledger_.jobs.empty());
  EXPECT_EQ(ready(), (Names{"a", "b"}));
}

TEST_F(EmbeddedStoreCases, AQueueThatOnlyPutsOffItsSyncsIsNotSynced) {
  ASSERT_TRUE(set(Durability::os));
  const int synced = ledger_.synced;
  ASSERT_TRUE(push("a"));
  EXPECT_EQ(ledger_.synced, synced);
}

TEST_F(EmbeddedStoreCases, ATickIsPutInOnceAlsoWhenItsCommitFailsAndAfterARestart) {
  ASSERT_TRUE(ask<void>([&](auto done) { store_->put_schedule(queue_, {"hourly", "0 * * * *"}, done); }));
  fault(Fault::full);
  pass(3'600'000);
  pass(200);
  pass(1'100);
  ASSERT_EQ(ready().size(), 1u);
  const std::string id = ready()[0];
  ASSERT_EQ(take()->size(), 1u);
  reopen();
  EXPECT_EQ(ledger_.jobs.size(), 1u) << "this tick has been put in";
  store_.reset();
  clock_.advance(std::chrono::hours{5});
  open();
  pass(1);
  EXPECT_EQ(ready().size(), 2u) << "the last of those that were missed, and the one whose lease ended";
}

TEST_F(EmbeddedStoreCases, TheWallClockSetForwardWakesWhoWaitsForADelayedJob) {
  std::vector<JobSpec> jobs(1);
  jobs[0].id = "late";
  jobs[0].delay = std::chrono::hours{1};
  ASSERT_TRUE(ask<std::vector<EnqueueAnswer>>([&](auto done) { store_->enqueue(queue_, jobs, done); }));
  std::size_t got = 0;
  store_->take(queue_, {1, milliseconds{100}, std::chrono::minutes{1}}, [&](auto taken) { got = taken->size(); });
  pass(1'000);
  EXPECT_EQ(got, 0u);
  clock_.set_wall(Timestamp{clock_.now().ms + 3'600'000});
  store_->step();
  EXPECT_EQ(got, 1u);
}

TEST_F(EmbeddedStoreCases, TakesThatWaitHaveALimitAndOneThatIsCancelledMakesRoom) {
  const TakeSpec spec{1, milliseconds{100}, std::chrono::minutes{1}};
  std::size_t ended = 0, refused = 0;
  std::optional<Code> code;
  TakeTicket last;
  const auto wait = [&] {
    last = store_->take(queue_, spec, [&](Result<std::vector<StoredJob>> taken) {
      taken ? ++ended : ++refused;
      if (!taken) code = taken.error().code;
    });
  };
  for (std::size_t i = 0; i < kMaxWaitingTakes; ++i) wait();
  store_->step();
  EXPECT_EQ(refused, 0u);
  const TakeTicket waiting = last;
  wait();
  EXPECT_EQ(refused, 1u);
  EXPECT_EQ(code, Code::overloaded);
  store_->cancel(waiting);
  EXPECT_EQ(refused, 2u);
  wait();
  EXPECT_EQ(refused, 2u);
  pass(60'000);
  EXPECT_EQ(ended, kMaxWaitingTakes);
  wait();
  EXPECT_EQ(refused, 2u) << "their room is free again";
  store_.reset();
  EXPECT_EQ(refused, 3u);
}

TEST_F(EmbeddedStoreCases, TakesThatWaitCostNothingUntilTheirTime) {
  int served = 0;
  for (int i = 0; i < 10'000; ++i) {
    store_->take(queue_, {1, milliseconds{100}, std::chrono::minutes{5}},
                 [&](auto taken) { served += taken->size() == 1; });
  }
  store_->step();
  ASSERT_TRUE(store_->next_step());
  EXPECT_EQ(*store_->next_step() - clock_.monotonic(), std::chrono::minutes{5});
  ASSERT_TRUE(push("a"));
  EXPECT_EQ(served, 1);
  store_.reset();
}

TEST_F(EmbeddedStoreCases, WhatWaitsIsAnsweredWhenTheStoreEnds) {
  std::optional<Code> code;
  store_->take(queue_, {1, milliseconds{100}, std::chrono::minutes{1}}, [&](auto taken) { code = taken.error().code; });
  store_->step();
  store_.reset();
  EXPECT_EQ(code, Code::not_ready);
}

// Many threads, each with jobs of its own, over a ledger that fails now and then: calls that were applied and could not
// know yet that what they stand on is not there must be taken back, too.
TEST(EmbeddedStoreThreads, WhateverFailsMeanwhileMemoryEndsAsTheLedger) {
  ModelJobLedger ledger;
  SeededRandom chance(3), random(4);
  bool was_lost = false;  // twice in a row, and so on, would be told to the callers as unknown
  ledger.next = [&chance, &was_lost] {
    const bool fails = !was_lost && chance.below(4) == 0;
    const auto fault = fails ? static_cast<Fault>(1 + chance.below(3)) : Fault::none;
    was_lost = fault == Fault::lost_answer || fault == Fault::lost_request;
    return fault;
  };
  const SystemClock clock;
  auto store = EmbeddedJobStore::open(&ledger, clock, random).value();
  const auto answered = [](auto call) {
    auto promise = std::make_shared<std::promise<bool>>();
    call([promise](const auto& result) { promise->set_value(result.has_value()); });
    return promise->get_future().get();
  };
  std::atomic<int> kept{0}, gone{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string queue = t < 2 ? "mail" : "images";
      for (int i = 0; i < 300; ++i) {
        std::vector<JobSpec> jobs(1);
        jobs[0].id = std::to_string(t) + "-" + std::to_string(i);
        kept += answered([&](auto done) {
          store->enqueue(queue, jobs, [done](Result<std::vector<EnqueueAnswer>> result) { done(result); });
        });
        if (i % 3 != 0) continue;
        gone += answered([&](auto done) {
          store->poll(queue, [done](Result<std::optional<StoredJob>> result) {
            done(result && *result ? Result<void>() : fail(Code::internal, "none"));
          });
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(test::eventually([&] { return !store->trouble(); }));
  std::size_t ready = 0;
  for (const char* const queue : {"mail", "images"}) {
    store->stats(queue, [&](Result<QueueStats> stats) { ready += stats ? stats->ready : 0; });
  }
  store.reset();
  EXPECT_EQ(ready, ledger.jobs.size());
  EXPECT_EQ(ledger.jobs.size(), static_cast<std::size_t>(kept - gone));
}

}  // namespace
}  // namespace scoreline::queues
