// Brokers that go away, topics that are not there, offsets that are gone.
#include <gmock/gmock.h>

#include "faults/kafka/mock_kafka.h"

namespace scoreline::kafka {
namespace {

using ingest::Message;

class KafkaFaults : public KafkaTest {
 protected:
  /// A commit in the group's name, as of somebody who had read up to there.
  void commit_as_group(const ingest::Offsets& next) {
    const auto source = open(settings());
    std::vector<Message> messages;
    poll_until(*source, messages, [&] { return !source->partitions().empty(); });
    ASSERT_TRUE(source->commit(next));
  }

  /// What `source` does when no broker answers it.
  void expect_commit_and_leaving_end(std::unique_ptr<ingest::MessageSource> source, const ingest::Offsets& next) {
    const auto began = clock_.monotonic();
    const auto committed = source->commit(next);
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Code::not_ready);
    source.reset();
    // Twice five seconds; librdkafka by itself would wait for the broker for ever.
    EXPECT_LT(clock_.monotonic() - began, std::chrono::seconds{25});
  }
};

TEST_F(KafkaFaults, ABrokerThatGoesAndComesBackIsNoError) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 100);
  const auto source = open(settings());
  std::vector<Message> messages = read(*source, 100);
  kafka_.go_down();
  std::vector<Message> meanwhile;
  poll_for(*source, std::chrono::milliseconds{1'500}, meanwhile);
  EXPECT_TRUE(meanwhile.empty());
  kafka_.come_up();
  writer_.write_numbers(kTopic, 0, 100, 100);
  poll_until(*source, messages, [&] { return messages.size() >= 200; });
  EXPECT_EQ(values(messages), numbers(0, 200));
  EXPECT_TRUE(source->commit(after(messages)));
}

TEST_F(KafkaFaults, ABrokerThatIsNotThereYetIsWaitedFor) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  kafka_.go_down();
  const auto source = open(settings());
  std::vector<Message> messages;
  poll_for(*source, std::chrono::milliseconds{1'000}, messages);
  kafka_.come_up();
  poll_until(*source, messages, [&] { return messages.size() >= 10; });
  EXPECT_EQ(values(messages), numbers(0, 10));
}

TEST_F(KafkaFaults, CommitAndLeavingEndWhenTheBrokerIsAway) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  auto source = open(settings());
  const auto messages = read(*source, 10);
  kafka_.go_down();
  expect_commit_and_leaving_end(std::move(source), after(messages));
}

TEST_F(KafkaFaults, CommitAndLeavingEndWhenTheBrokerIsFrozen) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  auto with = settings();
  with.passthrough.erase("session.timeout.ms");  // 45 s, after which librdkafka gives a silent broker up anyway
  auto source = open(with);
  const auto messages = read(*source, 10);
  constexpr std::int16_t kOffsetCommit = 8;
  rd_kafka_mock_broker_push_request_error_rtts(&kafka_.cluster(), 1, kOffsetCommit, 1, RD_KAFKA_RESP_ERR_NO_ERROR,
                                               60'000);
  expect_commit_and_leaving_end(std::move(source), after(messages));
}

TEST_F(KafkaFaults, ATopicThatIsMadeLaterIsReadThenAndToldOnce) {
  kafka_.make_topic("another", 1);
  rd_kafka_mock_topic_set_error(&kafka_.cluster(), kTopic, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto source = open(settings());
  std::vector<Message> messages;
  poll_for(*source, std::chrono::milliseconds{2'000}, messages);
  EXPECT_EQ(lines_.count(LogLevel::warning, "topic match-results is not there yet"), 1U);
  rd_kafka_mock_topic_set_error(&kafka_.cluster(), kTopic, RD_KAFKA_RESP_ERR_NO_ERROR);
  writer_.write_numbers(kTopic, 0, 0, 10);
  poll_until(*source, messages, [&] { return messages.size() >= 10; });
  EXPECT_EQ(values(messages), numbers(0, 10));
}

TEST_F(KafkaFaults, ATopicOneMayNotReadIsAnError) {
  kafka_.make_topic(kTopic, 1);
  rd_kafka_mock_topic_set_error(&kafka_.cluster(), kTopic, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const auto source = open(settings());
  const auto until = clock_.monotonic() + kPatience;
  Result<std::vector<Message>> polled;
  while (polled && clock_.monotonic() < until) polled = source->poll(10, kShort, nothing);
  ASSERT_FALSE(polled);
  EXPECT_EQ(polled.error().code, Code::usage);
  EXPECT_EQ(polled.error().field, "kafkaTopic");
  // Rights can be given while it runs.
  rd_kafka_mock_topic_set_error(&kafka_.cluster(), kTopic, RD_KAFKA_RESP_ERR_NO_ERROR);
  writer_.write_numbers(kTopic, 0, 0, 10);
  std::vector<Message> messages;
  while (messages.size() < 10 && clock_.monotonic() < until) {
    polled = source->poll(10, kShort, nothing);
    if (!polled) continue;
    for (auto& message : *polled) messages.push_back(std::move(message));
  }
  EXPECT_EQ(values(messages), numbers(0, 10));
}

TEST_F(KafkaFaults, AnOffsetBehindTheEndStopsThatPartitionOnly) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 0, 0, 10);
  writer_.write_numbers(kTopic, 1, 0, 10);
  commit_as_group({{{kTopic, 0}, 1'000}});
  const auto source = open(settings());
  std::vector<Message> messages;
  poll_until(*source, messages, [&] {
    const auto states = source->partitions();
    return messages.size() >= 10 && states.size() == 2 && states[0].stopped;
  });
  for (const auto& message : messages) EXPECT_EQ(message.from.partition, 1);
  const auto states = source->partitions();
  EXPECT_THAT(
      *states[0].stopped,
      ::testing::StartsWith("offset 1000 is out of range: the broker has 0 up to 10; set the offset of group "));
  EXPECT_EQ(states[1].stopped, std::nullopt);
  EXPECT_EQ(lines_.count(LogLevel::error, "partition 0 of match-results is stopped: offset 1000"), 1U);

  writer_.write_numbers(kTopic, 0, 10, 10);
  writer_.write_numbers(kTopic, 1, 10, 10);
  poll_until(*source, messages, [&] { return messages.size() >= 20; });
  poll_for(*source, std::chrono::milliseconds{500}, messages);
  EXPECT_EQ(values(messages), numbers(0, 20));
}

TEST_F(KafkaFaults, AnOffsetTheBrokerNoLongerHasStopsThatPartition) {
  kafka_.make_topic(kTopic, 1);
  commit_as_group({{{kTopic, 0}, 0}});
  // The mock keeps 5 MB of a partition.
  for (int number = 0; number < 100; ++number) {
    writer_.write(kTopic, 0, std::string(100'000, 'x'));
    writer_.flush();
  }
  const auto source = open(settings());
  std::vector<Message> messages;
  poll_until(*source, messages, [&] {
    const auto states = source->partitions();
    return states.size() == 1 && states[0].stopped;
  });
  EXPECT_TRUE(messages.empty());
  EXPECT_THAT(*source->partitions()[0].stopped, ::testing::StartsWith("offset 0 is out of range: the broker has "));
}

TEST_F(KafkaFaults, ToldToAPartitionOutOfRangeBeginsWithTheFirstThereIs) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  commit_as_group({{{kTopic, 0}, 1'000}});
  auto earliest = settings();
  earliest.out_of_range = OutOfRange::earliest;
  const auto source = open(earliest);
  EXPECT_EQ(values(read(*source, 10)), numbers(0, 10));
  EXPECT_EQ(source->partitions().at(0).stopped, std::nullopt);
}

TEST_F(KafkaFaults, WhereToBeginIsAskedAgainUntilItIsAnswered) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 50);
  commit_as_group({{{kTopic, 0}, 30}});
  constexpr std::int16_t kOffsetFetch = 9;
  rd_kafka_mock_push_request_errors(&kafka_.cluster(), kOffsetFetch, 2, RD_KAFKA_RESP_ERR_UNKNOWN,
                                    RD_KAFKA_RESP_ERR_UNKNOWN);
  const auto source = open(settings());
  EXPECT_EQ(values(read(*source, 20)), numbers(30, 20));
  EXPECT_GE(lines_.count(LogLevel::warning, "where to begin is not known yet"), 1U);
}

TEST_F(KafkaFaults, ARefusedCommitIsAnErrorAndTheNextOneHolds) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  const auto source = open(settings());
  const auto messages = read(*source, 10);
  constexpr std::int16_t kOffsetCommit = 8;
  rd_kafka_mock_push_request_errors(&kafka_.cluster(), kOffsetCommit, 1, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  const auto refused = source->commit(after(messages));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::usage);
  EXPECT_EQ(refused.error().field, "kafkaGroup");
  const auto again = source->commit(after(messages));
  EXPECT_TRUE(again) << again.error().detail;
}

}  // namespace
}  // namespace scoreline::kafka
