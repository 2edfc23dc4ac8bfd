// A Kafka cluster within this process: librdkafka's own mock, on free ports of 127.0.0.1.
#pragma once

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/kafka/handles.h"
#include "adapters/kafka/kafka_settings.h"
#include "adapters/kafka/kafka_source.h"
#include "base/clock.h"
#include "ingest/message_source.h"

namespace scoreline::kafka {

class MockKafka {
 public:
  MockKafka() {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, nullptr);
    char reason[256] = {};
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    cluster_ = rd_kafka_mock_cluster_new(client_, 1);
  }
  MockKafka(const MockKafka&) = delete;
  MockKafka& operator=(const MockKafka&) = delete;
  ~MockKafka() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(client_);
  }

  rd_kafka_mock_cluster_t& cluster() { return *cluster_; }
  std::string brokers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  void make_topic(const std::string& topic, int partitions) {
    rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1);
  }
  void go_down() { rd_kafka_mock_broker_set_down(cluster_, -1); }
  void come_up() { rd_kafka_mock_broker_set_up(cluster_, -1); }

 private:
  rd_kafka_t* client_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
};

/// Writes to given partitions, and knows that the broker has it.
class TestWriter {
 public:
  explicit TestWriter(const std::string& brokers) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    char reason[256] = {};
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), reason, sizeof reason);
    rd_kafka_conf_set(conf, "linger.ms", "1", reason, sizeof reason);
    rd_kafka_conf_set_log_cb(conf, nullptr);
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason));
  }

  void write(const std::string& topic, std::int32_t partition, const std::string& value) {
    std::string copy = value;
    write_bytes(topic, partition, copy.data(), copy.size());
  }
  void write_null(const std::string& topic, std::int32_t partition) { write_bytes(topic, partition, nullptr, 0); }
  /// `0`, `1`, … `count - 1`, from `first` on.
  void write_numbers(const std::string& topic, std::int32_t partition, int first, int count) {
    for (int number = first; number < first + count; ++number) write(topic, partition, std::to_string(number));
    flush();
  }
  void flush() { ASSERT_EQ(rd_kafka_flush(client_.get(), 20'000), RD_KAFKA_RESP_ERR_NO_ERROR); }

 private:
  void write_bytes(const std::string& topic, std::int32_t partition, char* bytes, std::size_t size) {
    const Topic to(rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr));
    while (rd_kafka_produce(to.get(), partition, RD_KAFKA_MSG_F_COPY, bytes, size, nullptr, 0, nullptr) != 0) {
      ASSERT_EQ(rd_kafka_last_error(), RD_KAFKA_RESP_ERR__QUEUE_FULL);
      rd_kafka_poll(client_.get(), 10);
    }
  }

  Client client_;
};

/// Lines of the log, from any thread.
class LogLines {
 public:
  Log log() {
    return [this](LogLevel level, std::string_view text) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(level, text);
    };
  }
  std::size_t count(LogLevel level, std::string_view part) const {
    const std::lock_guard lock(mutex_);
    std::size_t found = 0;
    for (const auto& [of, text] : lines_) found += of == level && text.find(part) != text.npos ? 1 : 0;
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> lines_;
};

class KafkaTest : public ::testing::Test {
 protected:
  static constexpr const char* kTopic = "match-results";
  static constexpr auto kShort = std::chrono::milliseconds{50};
  /// Longer than a session lasts: the mock may keep a member of a join that was begun again until then.
  static constexpr auto kPatience = std::chrono::seconds{90};

  KafkaTest() : writer_(kafka_.brokers()) {}

  KafkaSettings settings() const {
    return {.brokers = kafka_.brokers(),
            .topic = kTopic,
            .group = "scoreline",
            .start = Start::earliest,
            .out_of_range = OutOfRange::stop,
            .passthrough = {{"heartbeat.interval.ms", "200"},
                            {"session.timeout.ms", "6000"},
                            {"topic.metadata.refresh.interval.ms", "300"},
                            {"reconnect.backoff.max.ms", "300"}}};
  }

  std::unique_ptr<ingest::MessageSource> open(const KafkaSettings& of) {
    auto source = open_source(of, clock_, lines_.log());
    EXPECT_TRUE(source) << source.error().detail;
    return source ? std::move(*source) : nullptr;
  }

  /// Polls until `done` or patience ends; what came is appended to `messages`.
  void poll_until(ingest::MessageSource& source, std::vector<ingest::Message>& messages,
                  const std::function<bool()>& done, const ingest::MessageSource::OnRevoked& revoked = nothing) {
    const auto until = clock_.monotonic() + kPatience;
    while (!done() && clock_.monotonic() < until) {
      auto polled = source.poll(1'000, kShort, revoked);
      ASSERT_TRUE(polled) << polled.error().detail;
      for (auto& message : *polled) messages.push_back(std::move(message));
    }
    EXPECT_TRUE(done());
  }
  std::vector<ingest::Message> read(ingest::MessageSource& source, std::size_t count) {
    std::vector<ingest::Message> messages;
    poll_until(source, messages, [&] { return messages.size() >= count; });
    return messages;
  }
  void poll_for(ingest::MessageSource& source, std::chrono::milliseconds time, std::vector<ingest::Message>& messages) {
    const auto until = clock_.monotonic() + time;
    poll_until(source, messages, [&] { return clock_.monotonic() >= until; });
  }

  static void nothing(const std::vector<ingest::TopicPartition>&) {}
  static ingest::Offsets after(const std::vector<ingest::Message>& messages) {
    ingest::Offsets next;
    for (const auto& message : messages) next[message.from] = message.offset + 1;
    return next;
  }
  static std::vector<std::string> values(const std::vector<ingest::Message>& messages) {
    std::vector<std::string> all;
    for (const auto& message : messages) all.push_back(message.value.value_or("(null)"));
    return all;
  }
  static std::vector<std::string> numbers(int first, int count) {
    std::vector<std::string> all;
    for (int number = first; number < first + count; ++number) all.push_back(std::to_string(number));
    return all;
  }

  SystemClock clock_;
  LogLines lines_;
  MockKafka kafka_;
  TestWriter writer_;
};

}  // namespace scoreline::kafka
