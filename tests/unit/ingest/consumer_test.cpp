#include "ingest/consumer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <vector>

#include "ingest/consumer_metrics.h"
#include "support/eventually.h"
#include "support/model_topic.h"

namespace scoreline::ingest {
namespace {

using std::chrono::milliseconds;
using test::eventually;
using test::ModelTopic;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Answers when it is told to.
class ModelIntake final : public MessageIntake {
 public:
  void take(MessageBatch batch, Done done) override {
    const std::lock_guard lock(mutex_);
    ++taken_;
    for (const Message& message : *batch) seen_.push_back(message.value.value_or("null"));
    if (holding_) {
      held_.push_back(std::move(done));
    } else {
      done(answer_);
    }
  }

  void hold() {
    const std::lock_guard lock(mutex_);
    holding_ = true;
  }
  /// Answers those held, and whatever comes at once.
  void let_go() {
    const std::lock_guard lock(mutex_);
    holding_ = false;
    for (const Done& done : held_) done(answer_);
    held_.clear();
  }
  void set_answer(Result<Taken> answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  std::vector<std::string> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::size_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> seen_;
  std::vector<Done> held_;
  Result<Taken> answer_ = Taken{};
  std::size_t taken_ = 0;
  bool holding_ = false;
};

class ConsumerTest : public testing::Test {
 protected:
  ~ConsumerTest() override { intake_.let_go(); }

  void start() {
    consumer_.emplace(
        source_, intake_, clock_, metrics_,
        [this](const std::string& what) {
          const std::lock_guard lock(mutex_);
          told_.push_back(what);
        },
        options_);
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::int64_t committed(std::int32_t partition = 0) const { return topic_.committed("g", partition); }
  void send(int count, std::int32_t partition = 0) {
    for (int i = 0; i < count; ++i) topic_.send(partition, std::to_string(sent_++));
  }
  std::string metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  ConsumerOptions options_{.batch = 10,
                           .gather = milliseconds{2},
                           .commit_every = milliseconds{1},
                           .patience = milliseconds{20},
                           .first_retry = milliseconds{5},
                           .longest_retry = milliseconds{20},
                           .drain = milliseconds{500}};
  SystemClock clock_;
  prometheus::Registry registry_;
  ConsumerMetrics metrics_{registry_, "g"};
  ModelTopic topic_{2};
  ModelTopic::Source source_ = topic_.source("g");
  ModelIntake intake_;
  std::mutex mutex_;
  std::vector<std::string> told_;
  int sent_ = 0;
  std::optional<Consumer> consumer_;  // last: it uses all of the above
};

TEST_F(ConsumerTest, WhatIsTakenInIsCommittedPartitionByPartition) {
  send(25, 0);
  send(3, 1);
  start();
  ASSERT_TRUE(eventually([&] { return committed(0) == 25 && committed(1) == 3; }));
  EXPECT_EQ(intake_.seen().size(), 28U);
}

TEST_F(ConsumerTest, NothingIsCommittedBeforeItIsTakenIn) {
  intake_.hold();
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.held() == 1; }));
  const std::size_t polls = source_.polls();
  ASSERT_TRUE(eventually([&] { return source_.polls() > polls + 5; }));
  EXPECT_EQ(committed(), 0);
  intake_.let_go();
  EXPECT_TRUE(eventually([&] { return committed() == 10; }));
}

TEST_F(ConsumerTest, NoBatchIsTakenInBeforeAnEarlierOneThatFailed) {
  intake_.hold();
  send(20);
  start();
  ASSERT_TRUE(eventually([&] { return source_.is_paused(); }));
  EXPECT_EQ(intake_.held(), 1U);
  intake_.set_answer(fail(Code::storage_failed, "the ledger is away"));
  intake_.let_go();
  ASSERT_TRUE(eventually([&] { return intake_.taken() >= 3; }));
  for (const std::string& value : intake_.seen()) EXPECT_LT(std::stoi(value), 10);
  intake_.set_answer(Taken{});
  EXPECT_TRUE(eventually([&] { return committed() == 20; }));
}

TEST_F(ConsumerTest, OffsetsWaitUntilTheIntakeSaysSo) {
  const auto may = std::make_shared<std::atomic<bool>>(false);
  intake_.set_answer(Taken{[may] { return may->load(); }});
  send(5);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.taken() == 1; }));
  send(5);
  ASSERT_TRUE(eventually([&] { return intake_.taken() == 2; }));  // it does not hold up what comes behind it
  EXPECT_EQ(committed(), 0);
  *may = true;
  EXPECT_TRUE(eventually([&] { return committed() == 10; }));
}

TEST_F(ConsumerTest, AnIntakeThatCannotFollowPausesTheSourceWhichIsPolledOn) {
  intake_.hold();
  send(100);
  start();
  ASSERT_TRUE(eventually([&] { return source_.is_paused(); }));
  EXPECT_EQ(intake_.held(), 1U);
  EXPECT_EQ(intake_.seen().size(), 10U);
  const std::size_t polls = source_.polls();
  EXPECT_TRUE(eventually([&] { return source_.polls() > polls + 3; }));
  EXPECT_THAT(metrics(), HasSubstr("scoreline_kafka_paused{group=\"g\"} 1"));
  intake_.let_go();
  ASSERT_TRUE(eventually([&] { return committed() == 100; }));
  EXPECT_FALSE(source_.is_paused());
}

TEST_F(ConsumerTest, ABatchThatFailsComesAgainUntilItIsTakenIn) {
  intake_.set_answer(fail(Code::storage_failed, "the ledger is away"));
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.taken() >= 3; }));
  EXPECT_EQ(committed(), 0);
  intake_.set_answer(Taken{});
  ASSERT_TRUE(eventually([&] { return committed() == 10; }));
  EXPECT_TRUE(eventually([&] { return told().size() == 2; }));
  EXPECT_THAT(told(),
              ElementsAre("messages cannot be taken in: the ledger is away", "over: messages cannot be taken in"));
  EXPECT_THAT(metrics(),
              HasSubstr("scoreline_kafka_failures_total{group=\"g\"} " + std::to_string(intake_.taken() - 1) + "\n"));
}

TEST_F(ConsumerTest, NothingMoreIsReadWhileABatchFails) {
  intake_.set_answer(fail(Code::storage_failed, "the ledger is away"));
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return source_.is_paused(); }));
  send(10);
  const std::size_t taken = intake_.taken();
  ASSERT_TRUE(eventually([&] { return intake_.taken() > taken + 1; }));
  for (const std::string& value : intake_.seen()) EXPECT_LT(std::stoi(value), 10);
}

TEST_F(ConsumerTest, PartitionsThatGoAreCommittedAsFarAsTheyAreTakenIn) {
  intake_.hold();
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.held() == 1; }));
  source_.revoke();
  const std::size_t polls = source_.polls();
  ASSERT_TRUE(eventually([&] { return source_.polls() > polls; }));
  EXPECT_EQ(committed(), 0);  // within the poll it waits for the batch
  intake_.let_go();
  ASSERT_TRUE(eventually([&] { return committed() == 10; }));
  EXPECT_EQ(intake_.seen().size(), 10U);
}

TEST_F(ConsumerTest, WhatIsNotTakenInWhenPartitionsGoComesAgainToWhoeverHasThem) {
  options_.drain = milliseconds{10};
  intake_.hold();
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.held() == 1; }));
  source_.revoke();
  ASSERT_TRUE(eventually([&] { return intake_.held() == 2; }));
  EXPECT_EQ(committed(), 0);
  EXPECT_EQ(intake_.seen().size(), 20U);
  intake_.let_go();
  EXPECT_TRUE(eventually([&] { return committed() == 10; }));
}

TEST_F(ConsumerTest, CommitsThatFailAreTriedAgain) {
  topic_.refuse_commits(true);
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return !told().empty(); }));
  EXPECT_THAT(told().front(), HasSubstr("the coordinator is away"));
  topic_.refuse_commits(false);
  EXPECT_TRUE(eventually([&] { return committed() == 10; }));
  EXPECT_EQ(intake_.taken(), 1U);
}

TEST_F(ConsumerTest, TheEndWaitsForWhatIsInHandAndCommitsIt) {
  options_.commit_every = std::chrono::hours{1};
  send(10);
  start();
  ASSERT_TRUE(eventually([&] { return intake_.taken() == 1; }));
  consumer_.reset();
  EXPECT_EQ(committed(), 10);
}

TEST_F(ConsumerTest, LagIsTold) {
  intake_.hold();
  send(50);
  start();
  ASSERT_TRUE(eventually([&] {
    return metrics().find(R"(scoreline_kafka_lag_messages{group="g",partition="0",topic="match-results"} 40)") !=
           std::string::npos;
  })) << metrics();
  EXPECT_THAT(metrics(), HasSubstr("scoreline_kafka_partitions{group=\"g\"} 2"));
}

}  // namespace
}  // namespace scoreline::ingest
