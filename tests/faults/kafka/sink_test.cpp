// The sink over librdkafka's mock cluster.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "adapters/kafka/kafka_sink.h"
#include "faults/kafka/mock_kafka.h"

namespace scoreline::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class KafkaSink : public KafkaTest {
 protected:
  KafkaSettings to_send() const {
    auto with = settings();
    with.passthrough["message.timeout.ms"] = "3000";
    return with;
  }
  std::unique_ptr<ingest::MessageSink> connect(const KafkaSettings& with) {
    auto sink = open_sink(with, clock_, lines_.log());
    EXPECT_TRUE(sink) << sink.error().detail;
    return sink ? std::move(*sink) : nullptr;
  }
};

TEST_F(KafkaSink, WhatIsSentIsReadInOrderOfEachKey) {
  kafka_.make_topic(kTopic, 4);
  const auto sink = connect(to_send());
  for (int number = 0; number < 500; ++number) {
    for (const char* player : {"alice", "bob", "carol", "dave", "eve"}) {
      ASSERT_TRUE(sink->send(player, player + std::to_string(number)));
    }
  }
  ASSERT_TRUE(sink->flush(seconds{20}));
  EXPECT_EQ(sink->deliveries().sent, 2'500U);
  EXPECT_EQ(sink->deliveries().failed, 0U);

  const auto source = open(settings());
  std::map<std::string, std::vector<int>> of;
  std::map<std::string, std::set<std::int32_t>> partitions;
  for (const auto& message : read(*source, 2'500)) {
    const auto digits = message.value->find_first_of("0123456789");
    const auto player = message.value->substr(0, digits);
    of[player].push_back(std::stoi(message.value->substr(digits)));
    partitions[player].insert(message.from.partition);
  }
  EXPECT_EQ(of.size(), 5U);
  for (const auto& [player, all] : of) {
    EXPECT_EQ(all.size(), 500U) << player;
    EXPECT_TRUE(std::ranges::is_sorted(all)) << player;
    EXPECT_EQ(partitions[player].size(), 1U) << player;
  }
}

TEST_F(KafkaSink, ATopicThatIsNotThereIsNotMade) {
  kafka_.make_topic("another", 1);
  const auto sink = open_sink(to_send(), clock_, lines_.log());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, Code::not_found);
  EXPECT_EQ(sink.error().field, "kafkaTopic");
  const auto again = open_sink(to_send(), clock_, lines_.log());
  EXPECT_FALSE(again) << "asking has made it";
}

TEST_F(KafkaSink, MoreThanFitsUnderWayWaitsForRoom) {
  kafka_.make_topic(kTopic, 1);
  auto small = to_send();
  small.passthrough["queue.buffering.max.messages"] = "10";
  const auto sink = connect(small);
  for (int number = 0; number < 1'000; ++number) ASSERT_TRUE(sink->send("", std::to_string(number)));
  ASSERT_TRUE(sink->flush(seconds{20}));
  EXPECT_EQ(sink->deliveries().sent, 1'000U);
  const auto source = open(settings());
  EXPECT_EQ(values(read(*source, 1'000)), numbers(0, 1'000));
}

TEST_F(KafkaSink, WhatNoBrokerTakesInTimeIsCountedWithItsReason) {
  kafka_.make_topic(kTopic, 1);
  const auto sink = connect(to_send());
  kafka_.go_down();
  for (int number = 0; number < 10; ++number) ASSERT_TRUE(sink->send("a", std::to_string(number)));
  EXPECT_EQ(sink->flush(milliseconds{100}).error().code, Code::not_ready);
  ASSERT_TRUE(sink->flush(seconds{20}));
  EXPECT_EQ(sink->deliveries().sent, 0U);
  EXPECT_EQ(sink->deliveries().failed, 10U);
  EXPECT_EQ(sink->deliveries().first_reason, "Local: Message timed out");
}

TEST_F(KafkaSink, ABrokerThatComesBackGetsEverythingOnce) {
  kafka_.make_topic(kTopic, 1);
  auto patient = to_send();
  patient.passthrough["message.timeout.ms"] = "30000";
  const auto sink = connect(patient);
  kafka_.go_down();
  for (int number = 0; number < 100; ++number) ASSERT_TRUE(sink->send("a", std::to_string(number)));
  EXPECT_FALSE(sink->flush(milliseconds{500}));
  kafka_.come_up();
  ASSERT_TRUE(sink->flush(seconds{25}));
  EXPECT_EQ(sink->deliveries().sent, 100U);
  const auto source = open(settings());
  EXPECT_EQ(values(read(*source, 100)), numbers(0, 100));
}

TEST_F(KafkaSink, AMessageTheBrokerWouldRefuseFailsAlone) {
  kafka_.make_topic(kTopic, 1);
  const auto sink = connect(to_send());
  ASSERT_TRUE(sink->send("a", std::string(2'000'000, 'x')));
  ASSERT_TRUE(sink->send("a", "small"));
  ASSERT_TRUE(sink->flush(seconds{20}));
  EXPECT_EQ(sink->deliveries().sent, 1U);
  EXPECT_EQ(sink->deliveries().failed, 1U);
  EXPECT_THAT(sink->deliveries().first_reason, ::testing::HasSubstr("Message size too large"));
}

TEST_F(KafkaSink, NoBrokerIsNotReadyAndGoingAwayDoesNotHang) {
  auto nowhere = to_send();
  nowhere.brokers = "127.0.0.1:1";
  const auto began = clock_.monotonic();
  const auto sink = open_sink(nowhere, clock_, lines_.log());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, Code::not_ready);
  EXPECT_LT(clock_.monotonic() - began, seconds{25});
}

TEST_F(KafkaSink, SettingsOfOursAreRefused) {
  auto with = to_send();
  with.passthrough = {{"enable.idempotence", "false"}};
  const auto sink = open_sink(with, clock_, lines_.log());
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().field, "kafkaSettings");
  with.passthrough.clear();
  with.brokers.clear();
  EXPECT_EQ(open_sink(with, clock_, lines_.log()).error().field, "kafka");
}

}  // namespace
}  // namespace scoreline::kafka
