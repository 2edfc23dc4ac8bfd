#include "adapters/kafka/kafka_sink.h"

#include <algorithm>
#include <span>
#include <utility>

#include "adapters/kafka/client_conf.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/reports.h"

namespace scoreline::kafka {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskWait{10'000};
/// How long a wait for room or answers lasts before it looks for failures.
constexpr milliseconds kLookAgain{100};

using Metadata = std::unique_ptr<const rd_kafka_metadata_t, GiveBack<rd_kafka_metadata_destroy>>;

class KafkaSink final : public ingest::MessageSink, private Reports {
 public:
  KafkaSink(const KafkaSettings& settings, const Clock& clock, Log log)
      : Reports(std::move(log)), settings_(settings), clock_(clock) {}

  Result<void> connect();

  Result<void> send(std::string_view key, std::string_view value) override;
  Result<void> flush(milliseconds at_most) override;
  const ingest::Deliveries& deliveries() const override { return deliveries_; }

 private:
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque);
  Result<void> check_topic_is_there();
  void count_failed(std::string_view reason);

  const KafkaSettings settings_;
  const Clock& clock_;
  ingest::Deliveries deliveries_;
  Client client_;
  Topic topic_;
};

Result<void> KafkaSink::connect() {
  if (auto fits = check_topic(settings_.topic); !fits) return fits;
  auto conf = make_conf(settings_,
                        {{"linger.ms", "5"},
                         {"message.timeout.ms", "60000"},
                         {"queue.buffering.max.messages", "100000"},
                         {"queue.buffering.max.kbytes", "32768"},
                         {"partitioner", "murmur2_random"}},
                        {{"enable.idempotence", "true"}}, *this);
  if (!conf) return fail(conf.error());
  rd_kafka_conf_set_dr_msg_cb(conf->get(), on_delivery);
  auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return fail(client.error());
  client_ = std::move(*client);
  if (auto there = check_topic_is_there(); !there) return there;
  topic_.reset(rd_kafka_topic_new(client_.get(), settings_.topic.c_str(), nullptr));
  if (!topic_) return fail(to_error(rd_kafka_last_error(), "topic " + settings_.topic));
  return {};
}

/// Asking for one topic would make it where brokers are set to make topics: so all are asked for.
Result<void> KafkaSink::check_topic_is_there() {
  const rd_kafka_metadata_t* found = nullptr;
  const auto err = rd_kafka_metadata(client_.get(), 1, nullptr, &found, static_cast<int>(kAskWait.count()));
  const Metadata metadata(found);
  rd_kafka_poll(client_.get(), 0);  // a refused login is told as an error of the client
  if (auto failure = take_failure()) return fail(std::move(*failure));
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) return fail(to_error(err, "no answer from " + settings_.brokers));
  const std::span topics(metadata->topics, static_cast<std::size_t>(metadata->topic_cnt));
  const auto is_ours = [this](const rd_kafka_metadata_topic_t& topic) { return settings_.topic == topic.topic; };
  if (std::ranges::any_of(topics, is_ours)) return {};
  return fail(Code::not_found, "there is no topic " + settings_.topic + ", or this user may not see it; make it first",
              "kafkaTopic");
}

void KafkaSink::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  auto& sink = *static_cast<KafkaSink*>(static_cast<Reports*>(opaque));
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++sink.deliveries_.sent;
  } else {
    sink.count_failed(rd_kafka_err2str(message->err));
  }
}

void KafkaSink::count_failed(std::string_view reason) {
  if (deliveries_.failed++ == 0) deliveries_.first_reason = reason;
}

Result<void> KafkaSink::send(std::string_view key, std::string_view value) {
  std::string bytes(value);  // librdkafka takes no constant bytes, although it copies them
  while (true) {
    const int given = rd_kafka_produce(topic_.get(), RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, bytes.data(),
                                       bytes.size(), key.empty() ? nullptr : key.data(), key.size(), nullptr);
    rd_kafka_poll(client_.get(), 0);
    if (given == 0) return {};
    const auto err = rd_kafka_last_error();
    if (err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
      count_failed(rd_kafka_err2str(err));
      return {};
    }
    if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL) return fail(to_error(err, "sending to " + settings_.topic));
    rd_kafka_poll(client_.get(), static_cast<int>(kLookAgain.count()));
    if (auto failure = take_failure()) return fail(std::move(*failure));
  }
}

Result<void> KafkaSink::flush(milliseconds at_most) {
  const auto until = clock_.monotonic() + at_most;
  while (rd_kafka_flush(client_.get(), static_cast<int>(kLookAgain.count())) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (auto failure = take_failure()) return fail(std::move(*failure));
    if (clock_.monotonic() >= until) {
      return fail(Code::not_ready, std::to_string(rd_kafka_outq_len(client_.get())) + " messages are still under way");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ingest::MessageSink>> open_sink(const KafkaSettings& settings, const Clock& clock, Log log) {
  auto sink = std::make_unique<KafkaSink>(settings, clock, std::move(log));
  if (auto connected = sink->connect(); !connected) return fail(connected.error());
  return sink;
}

}  // namespace scoreline::kafka
