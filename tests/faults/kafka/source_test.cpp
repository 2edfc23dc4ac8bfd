// The source over librdkafka's mock cluster: order, offsets, groups, pauses, starts.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "faults/kafka/mock_kafka.h"

namespace scoreline::kafka {
namespace {

using ingest::Message;
using ingest::TopicPartition;

class KafkaSource : public KafkaTest {};

TEST_F(KafkaSource, KeepsTheOrderOfAPartition) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 0, 0, 3'000);
  writer_.write_numbers(kTopic, 1, 0, 3'000);
  const auto source = open(settings());
  const auto messages = read(*source, 6'000);
  ASSERT_EQ(messages.size(), 6'000U);
  std::map<std::int32_t, std::vector<Message>> of;
  for (const auto& message : messages) of[message.from.partition].push_back(message);
  for (const auto& [partition, read] : of) {
    EXPECT_EQ(values(read), numbers(0, 3'000));
    for (std::size_t at = 0; at < read.size(); ++at) ASSERT_EQ(read[at].offset, static_cast<std::int64_t>(at));
  }
  EXPECT_EQ(messages.front().from.topic, kTopic);
}

TEST_F(KafkaSource, HandsOutNoMoreThanAskedFor) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 100);
  const auto source = open(settings());
  std::vector<Message> messages;
  while (messages.size() < 100) {
    auto polled = source->poll(7, kShort, nothing);
    ASSERT_TRUE(polled);
    EXPECT_LE(polled->size(), 7U);
    for (auto& message : *polled) messages.push_back(std::move(message));
  }
  EXPECT_EQ(values(messages), numbers(0, 100));
}

TEST_F(KafkaSource, GivesValueNullAndTimeAsTheyWereSent) {
  kafka_.make_topic(kTopic, 1);
  const auto before = clock_.now();
  writer_.write(kTopic, 0, "a result");
  writer_.write(kTopic, 0, "");
  writer_.write_null(kTopic, 0);
  writer_.write(kTopic, 0, std::string(200'000, 'x'));
  writer_.flush();
  const auto source = open(settings());
  const auto messages = read(*source, 4);
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0].value, "a result");
  EXPECT_EQ(messages[1].value, "");
  EXPECT_EQ(messages[2].value, std::nullopt);
  EXPECT_EQ(messages[3].value, std::string(200'000, 'x'));
  ASSERT_TRUE(messages[0].sent_at);
  EXPECT_GE(messages[0].sent_at->ms, before.ms);
  EXPECT_LE(messages[0].sent_at->ms, clock_.now().ms);
}

TEST_F(KafkaSource, GoesOnWhereTheGroupHasCommitted) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 0, 0, 50);
  {
    const auto source = open(settings());
    (void)read(*source, 50);
    ASSERT_TRUE(source->commit({{{kTopic, 0}, 30}}));
  }
  const auto source = open(settings());
  EXPECT_EQ(values(read(*source, 20)), numbers(30, 20));
  const std::vector<TopicPartition> partitions{{kTopic, 0}, {kTopic, 1}};
  const auto committed = source->committed(partitions);
  ASSERT_TRUE(committed) << committed.error().detail;
  EXPECT_EQ(*committed, (ingest::Offsets{{{kTopic, 0}, 30}}));
}

TEST_F(KafkaSource, SendsAgainWhatWasNotCommitted) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 50);
  for (int time = 0; time < 2; ++time) {
    const auto source = open(settings());
    EXPECT_EQ(values(read(*source, 50)), numbers(0, 50));
  }
}

TEST_F(KafkaSource, TwoOfAGroupShareThePartitionsAndHandOver) {
  kafka_.make_topic(kTopic, 4);
  for (int partition = 0; partition < 4; ++partition) writer_.write_numbers(kTopic, partition, 0, 100);
  auto first = open(settings());
  std::vector<Message> by_first = read(*first, 400);
  ASSERT_EQ(by_first.size(), 400U);
  EXPECT_EQ(first->partitions().size(), 4U);

  ASSERT_TRUE(first->commit(after(by_first)));

  std::set<TopicPartition> gone;  // over all rebalances: on a slow machine there may be more than one
  const auto commit_all = [&](const std::vector<TopicPartition>& partitions) {
    gone.insert(partitions.begin(), partitions.end());
    const auto committed = first->commit(after(by_first));
    // Brokers take a commit here; the mock of librdkafka 2.0 says that a rebalance is under way.
    EXPECT_TRUE(committed || committed.error().code == Code::conflict) << committed.error().detail;
  };
  const auto second = open(settings());
  std::vector<Message> by_second;
  const auto until = clock_.monotonic() + kPatience;
  while ((first->partitions().size() != 2 || second->partitions().size() != 2) && clock_.monotonic() < until) {
    auto polled = first->poll(1'000, kShort, commit_all);
    ASSERT_TRUE(polled);
    for (auto& message : *polled) by_first.push_back(std::move(message));
    poll_for(*second, kShort, by_second);
  }
  EXPECT_EQ(gone.size(), 4U);
  ASSERT_EQ(first->partitions().size(), 2U);
  ASSERT_EQ(second->partitions().size(), 2U);
  EXPECT_EQ(first->partitions()[0].partition.partition, 0) << "range";
  EXPECT_EQ(second->partitions()[0].partition.partition, 2) << "range";

  // Nothing comes twice, as all was committed.
  for (int partition = 0; partition < 4; ++partition) writer_.write_numbers(kTopic, partition, 100, 10);
  by_first.clear();
  poll_until(
      *first, by_first, [&] { return by_first.size() >= 20; }, commit_all);
  poll_until(*second, by_second, [&] { return by_second.size() >= 20; });
  for (const auto& message : by_first) EXPECT_GE(message.offset, 100);
  for (const auto& message : by_second) EXPECT_GE(message.offset, 100);

  // The second gets the partitions of the first when that leaves.
  first.reset();
  poll_until(*second, by_second, [&] { return second->partitions().size() == 4; });
}

TEST_F(KafkaSource, PausedHandsOutNothingAndStaysInTheGroup) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 0, 0, 500);
  const auto source = open(settings());
  std::vector<Message> messages = read(*source, 500);
  source->pause();
  writer_.write_numbers(kTopic, 0, 500, 500);
  std::vector<Message> meanwhile;
  poll_for(*source, std::chrono::milliseconds{1'500}, meanwhile);
  EXPECT_TRUE(meanwhile.empty());
  EXPECT_EQ(source->partitions().size(), 2U);
  source->resume();
  poll_until(*source, messages, [&] { return messages.size() >= 1'000; });
  EXPECT_EQ(values(messages), numbers(0, 1'000));
}

TEST_F(KafkaSource, ManyPausesInFullFlowLoseAndRepeatNothing) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 20'000);
  const auto source = open(settings());
  std::vector<Message> messages;
  const auto until = clock_.monotonic() + kPatience;
  while (messages.size() < 20'000 && clock_.monotonic() < until) {
    auto polled = source->poll(333, kShort, nothing);
    ASSERT_TRUE(polled);
    for (auto& message : *polled) messages.push_back(std::move(message));
    source->pause();
    polled = source->poll(333, std::chrono::milliseconds{1}, nothing);
    ASSERT_TRUE(polled);
    EXPECT_TRUE(polled->empty());
    source->resume();
  }
  EXPECT_EQ(values(messages), numbers(0, 20'000));
}

TEST_F(KafkaSource, PartitionsAssignedWhilePausedAreHeldBackToo) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 0, 0, 10);
  const auto source = open(settings());
  source->pause();
  std::vector<Message> messages;
  poll_until(*source, messages, [&] { return source->partitions().size() == 2; });
  poll_for(*source, std::chrono::milliseconds{1'000}, messages);
  EXPECT_TRUE(messages.empty());
  source->resume();
  EXPECT_EQ(values(read(*source, 10)), numbers(0, 10));
}

TEST_F(KafkaSource, LatestBeginsAtTheEndAndStaysThereAcrossARestart) {
  kafka_.make_topic(kTopic, 1);
  writer_.write_numbers(kTopic, 0, 0, 10);
  auto latest = settings();
  latest.start = Start::latest;
  {
    const auto source = open(latest);
    std::vector<Message> messages;
    poll_until(*source, messages, [&] { return !source->partitions().empty(); });
    poll_for(*source, std::chrono::milliseconds{500}, messages);
    EXPECT_TRUE(messages.empty());
  }
  // Sent while nobody reads, before anything was ever read: must not be skipped.
  writer_.write_numbers(kTopic, 0, 10, 5);
  const auto source = open(latest);
  EXPECT_EQ(values(read(*source, 5)), numbers(10, 5));
}

TEST_F(KafkaSource, SaysHowFarEachPartitionIsRead) {
  kafka_.make_topic(kTopic, 2);
  writer_.write_numbers(kTopic, 1, 0, 40);
  const auto source = open(settings());
  std::vector<Message> messages = read(*source, 40);
  poll_until(*source, messages, [&] { return source->partitions().at(1).end == 40; });
  const auto states = source->partitions();
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].partition, (TopicPartition{kTopic, 0}));
  EXPECT_EQ(states[0].next, 0);
  EXPECT_EQ(states[1].partition, (TopicPartition{kTopic, 1}));
  EXPECT_EQ(states[1].next, 40);
  EXPECT_EQ(states[1].stopped, std::nullopt);
}

TEST_F(KafkaSource, SettingsOfOursAndUnknownOnesAreRefused) {
  const auto refused = [&](const char* key, const char* value) {
    auto with = settings();
    with.passthrough = {{key, value}};
    const auto source = open_source(with, clock_, lines_.log());
    if (source) return std::string("taken");
    EXPECT_EQ(source.error().code, Code::usage);
    EXPECT_EQ(source.error().field, "kafkaSettings");
    return source.error().detail;
  };
  EXPECT_EQ(refused("fetch.wait.max.ms", "20"), "taken");
  EXPECT_EQ(refused("bootstrap.servers", "a:1"), "bootstrap.servers is not to be set here: set kafka");
  EXPECT_EQ(refused("metadata.broker.list", "a:1"), "metadata.broker.list is not to be set here: set kafka");
  EXPECT_EQ(refused("group.id", "a"), "group.id is not to be set here: set kafkaGroup");
  EXPECT_EQ(refused("auto.offset.reset", "latest"),
            "auto.offset.reset is not to be set here: set kafkaStart and kafkaOutOfRange");
  for (const char* key : {"enable.auto.commit", "enable.auto.offset.store", "partition.assignment.strategy"}) {
    EXPECT_THAT(refused(key, "true"), ::testing::StartsWith(std::string(key) + " is not to be set here: "));
  }
  EXPECT_THAT(refused("no.such.key", "1"), ::testing::StartsWith("no.such.key is unknown to librdkafka "));
  EXPECT_THAT(refused("security.protocol", "smoke"), ::testing::StartsWith("security.protocol: "));
  EXPECT_THAT(refused("fetch.wait.max.ms", "soon"), ::testing::StartsWith("fetch.wait.max.ms: "));
}

TEST_F(KafkaSource, WrongNamesAreRefusedWithTheirField) {
  const auto field = [&](auto change) {
    auto with = settings();
    change(with);
    const auto source = open_source(with, clock_, lines_.log());
    return source ? std::string("taken") : source.error().field;
  };
  EXPECT_EQ(field([](KafkaSettings&) {}), "taken");
  for (const char* brokers : {"", ",", ",,,", "a:1,", ":9092", "a:", "a:99999", "a:0", "a:9x", "127.0.0.1:1,b:-1",
                              "::::", "kafka://a:9092", "user:pw@a:9092"}) {
    EXPECT_EQ(field([brokers](KafkaSettings& with) { with.brokers = brokers; }), "kafka") << brokers;
  }
  for (const char* brokers :
       {"127.0.0.1", "[::1]", "[::1]:1", "PLAINTEXT://127.0.0.1:1", "127.0.0.1:1,127.0.0.1:65535"}) {
    EXPECT_EQ(field([brokers](KafkaSettings& with) { with.brokers = brokers; }), "taken") << brokers;
  }
  EXPECT_EQ(field([](KafkaSettings& with) { with.group = ""; }), "kafkaGroup");
  // A leading ^ would be a pattern to librdkafka.
  for (const char* topic : {"", "^match.*", "match results", ".", ".."}) {
    EXPECT_EQ(field([topic](KafkaSettings& with) { with.topic = topic; }), "kafkaTopic") << topic;
  }
}

}  // namespace
}  // namespace scoreline::kafka
