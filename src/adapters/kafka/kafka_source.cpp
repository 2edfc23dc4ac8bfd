#include "adapters/kafka/kafka_source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "adapters/kafka/client_conf.h"
#include "adapters/kafka/group_offsets.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/reports.h"
#include "base/limits.h"

namespace scoreline::kafka {
namespace {

using ingest::Message;
using ingest::Offsets;
using ingest::PartitionState;
using ingest::TopicPartition;
using std::chrono::milliseconds;

constexpr milliseconds kCommitWait{5'000};
constexpr milliseconds kLeaveWait{5'000};
constexpr milliseconds kAskWait{2'000};
/// How long a call waits for messages before it looks after the group again.
constexpr milliseconds kLookAfterGroup{100};

/// Two queues. The client's own carries what concerns the group, and must be served always: members that do not are
/// thrown out. The messages of all partitions go to `messages_`, which is not looked at while paused: librdkafka then
/// stops fetching by itself. Its own pause would throw away what is fetched, fetch it again, and in 2.x may lose the
/// start of a partition that is paused just when it is assigned.
class KafkaSource final : public ingest::MessageSource, private Reports {
 public:
  KafkaSource(const KafkaSettings& settings, const Clock& clock, Log log)
      : Reports(std::move(log)), settings_(settings), clock_(clock) {}
  KafkaSource(const KafkaSource&) = delete;
  KafkaSource& operator=(const KafkaSource&) = delete;
  ~KafkaSource() override;

  Result<void> join();

  Result<std::vector<Message>> poll(std::size_t limit, milliseconds at_most, const OnRevoked& revoked) override;
  void pause() override { paused_ = true; }
  void resume() override { paused_ = false; }
  Result<void> commit(const Offsets& next) override { return commit_offsets(*client_, next, kCommitWait); }
  Result<Offsets> committed(std::span<const TopicPartition> partitions) const override {
    return committed_offsets(*client_, partitions, kAskWait);
  }
  std::vector<PartitionState> partitions() const override;

 private:
  struct Place {
    std::int64_t next = 0;
    std::optional<std::string> stopped;
  };

  static void on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t* list, void* opaque);
  void assigned(const rd_kafka_topic_partition_list_t& list);
  void revoked();

  void look_after_group(milliseconds at_most);
  Result<Offsets> starts() const;
  void begin();
  void take(MessagePtr message);
  void take_error(const rd_kafka_message_t& message);
  void stop_out_of_range(const rd_kafka_message_t& message, std::string_view reason);
  std::optional<std::int64_t> known_end(std::int32_t partition) const;

  const KafkaSettings settings_;
  const Clock& clock_;

  // The polling thread's own.
  bool paused_ = false;
  const OnRevoked* on_revoked_ = nullptr;  ///< set within `poll` only
  std::vector<TopicPartition> to_begin_;   ///< assigned, but not read yet: where they start is not known
  std::vector<Message> batch_;             ///< taken, not handed out yet

  mutable std::mutex mutex_;
  std::map<std::int32_t, Place> places_;  ///< of the partitions that are read; guarded by mutex_

  Client client_;   // last but one: its threads call back
  Queue messages_;  // before the client goes, its queues must
};

// NOLINTNEXTLINE: what fails here is left to the group's session timeout
KafkaSource::~KafkaSource() {
  if (!client_) return;
  // Closing waits for the coordinator for ever: so it is done on a queue, and given up after a while.
  {
    const Queue closing(rd_kafka_queue_new(client_.get()));
    const auto until = clock_.monotonic() + kLeaveWait;
    const ErrorPtr error(rd_kafka_consumer_close_queue(client_.get(), closing.get()));
    while (!error && rd_kafka_consumer_closed(client_.get()) == 0 && clock_.monotonic() < until) {
      rd_kafka_queue_poll_callback(closing.get(), 20);
    }
  }
  messages_.reset();
}

Result<void> KafkaSource::join() {
  if (auto fits = check_topic(settings_.topic); !fits) return fits;
  if (settings_.group.empty()) return fail(Code::usage, "must name the consumer group", "kafkaGroup");
  const bool restart = settings_.out_of_range == OutOfRange::earliest;
  auto conf =
      make_conf(settings_,
                // Over these thresholds librdkafka 2.0 does not fetch for a whole second, later ones for as
                // long as they are told: what is held must last that long.
                {{"queued.min.messages", "100000"},
                 {"queued.max.messages.kbytes", "32768"},
                 {"fetch.queue.backoff.ms", "50"},
                 {"fetch.max.bytes", "8388608"},
                 {"fetch.error.backoff.ms", "50"},
                 // Answers to partitions without news hold up the others that long, and no longer.
                 {"fetch.wait.max.ms", "100"},
                 // Leaving waits for requests that are under way: with a broker that is frozen, as long as this.
                 {"socket.timeout.ms", "10000"},
                 // A topic that is made later, and partitions that are added, are seen within:
                 {"topic.metadata.refresh.interval.ms", "10000"}},
                {{"group.id", settings_.group},
                 {"enable.auto.commit", "false"},
                 {"enable.auto.offset.store", "false"},
                 {"auto.offset.reset", restart ? "earliest" : "error"},
                 {"partition.assignment.strategy", "range"},
                 {"enable.partition.eof", "true"},
                 {"allow.auto.create.topics", "false"}},
                *this);
  if (!conf) return fail(conf.error());
  rd_kafka_conf_set_rebalance_cb(conf->get(), on_rebalance);
  auto client = make_client(RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return fail(client.error());
  client_ = std::move(*client);
  rd_kafka_poll_set_consumer(client_.get());
  messages_.reset(rd_kafka_queue_new(client_.get()));
  const std::vector<TopicPartition> topic{{settings_.topic, RD_KAFKA_PARTITION_UA}};
  const auto err = rd_kafka_subscribe(client_.get(), to_list(topic).get());
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) return fail(to_error(err, "subscribing to " + settings_.topic));
  return {};
}

void KafkaSource::on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t* list,
                               void* opaque) {
  auto& source = *static_cast<KafkaSource*>(static_cast<Reports*>(opaque));
  if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    source.assigned(*list);
    // Nothing is read until it is known where to begin: `begin` assigns them.
    const PartitionList none(rd_kafka_topic_partition_list_new(0));
    rd_kafka_assign(client, none.get());
  } else {
    source.revoked();
    rd_kafka_assign(client, nullptr);
  }
}

void KafkaSource::assigned(const rd_kafka_topic_partition_list_t& list) {
  to_begin_.clear();
  for (const auto& entry : std::span(list.elems, static_cast<std::size_t>(list.cnt))) {
    to_begin_.push_back({entry.topic, entry.partition});
  }
}

void KafkaSource::revoked() {
  std::vector<TopicPartition> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [partition, place] : places_) gone.push_back({settings_.topic, partition});
  }
  // What was taken and not handed out is the next reader's.
  batch_.clear();
  to_begin_.clear();
  if (on_revoked_ != nullptr && !gone.empty()) (*on_revoked_)(gone);
  const std::lock_guard lock(mutex_);
  places_.clear();
}

/// Where the assigned partitions begin.
Result<Offsets> KafkaSource::starts() const {
  auto committed = committed_offsets(*client_, to_begin_, kAskWait);
  if (!committed) return committed;
  Offsets offsets = std::move(*committed);
  Offsets ends;
  for (const auto& partition : to_begin_) {
    if (offsets.contains(partition)) continue;
    if (settings_.start == Start::earliest) {
      offsets.emplace(partition, RD_KAFKA_OFFSET_BEGINNING);
      continue;
    }
    auto end = end_offset(*client_, partition, kAskWait);
    if (!end) return fail(end.error());
    ends.emplace(partition, *end);
  }
  if (auto kept = commit_offsets(*client_, ends, kCommitWait); !kept) return fail(kept.error());
  offsets.merge(ends);
  return offsets;
}

/// Reads the partitions that were assigned, once it is known where they begin.
void KafkaSource::begin() {
  if (to_begin_.empty()) return;
  const auto offsets = starts();
  if (!offsets) {
    if (offsets.error().code == Code::usage) keep_failure(offsets.error());
    tell(LogLevel::warning, "where to begin is not known yet, trying again: " + offsets.error().detail);
    return;
  }
  for (const auto& [partition, offset] : *offsets) {
    const Queue queue(rd_kafka_queue_get_partition(client_.get(), partition.topic.c_str(), partition.partition));
    if (queue) rd_kafka_queue_forward(queue.get(), messages_.get());
  }
  {
    const std::lock_guard lock(mutex_);
    places_.clear();
    for (const auto& [at, offset] : *offsets) places_[at.partition].next = std::max<std::int64_t>(offset, 0);
  }
  to_begin_.clear();
  const auto err = rd_kafka_assign(client_.get(), to_list(*offsets).get());
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) keep_failure(to_error(err, "beginning to read"));
}

/// Serves the group: partitions that come and go, errors of the client.
void KafkaSource::look_after_group(milliseconds at_most) {
  MessagePtr message(rd_kafka_consumer_poll(client_.get(), static_cast<int>(at_most.count())));
  while (message) {
    take(std::move(message));
    message.reset(rd_kafka_consumer_poll(client_.get(), 0));
  }
  begin();
}

void KafkaSource::take(MessagePtr message) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return take_error(*message);
  {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(message->partition);
    if (place == places_.end()) return;
    place->second.next = message->offset + 1;
  }
  Message& taken = batch_.emplace_back();
  taken.from = {settings_.topic, message->partition};
  taken.offset = message->offset;
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const auto ms = rd_kafka_message_timestamp(message.get(), &type);
  if (type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && ms >= 0) taken.sent_at = Timestamp{ms};
  if (message->payload != nullptr) taken.value.emplace(static_cast<const char*>(message->payload), message->len);
}

void KafkaSource::take_error(const rd_kafka_message_t& message) {
  const char* const text = rd_kafka_message_errstr(&message);
  switch (message.err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF: {
      // The last offsets of a partition may hold marks of transactions, which are no messages.
      const std::lock_guard lock(mutex_);
      const auto place = places_.find(message.partition);
      if (place != places_.end()) place->second.next = std::max(place->second.next, message.offset);
      return;
    }
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET: return stop_out_of_range(message, text);
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      // Once: librdkafka tells only what is new.
      return tell(LogLevel::warning, "topic " + settings_.topic + " is not there yet: waiting for it");
    default: break;
  }
  auto error = to_error(message.err, text);
  if (error.code == Code::usage) {
    keep_failure(std::move(error));
  } else {
    tell(LogLevel::warning, error.detail);
  }
}

void KafkaSource::stop_out_of_range(const rd_kafka_message_t& message, std::string_view reason) {
  const auto partition = message.partition;
  std::int64_t low = RD_KAFKA_OFFSET_INVALID;
  std::int64_t end = RD_KAFKA_OFFSET_INVALID;
  const auto asked = rd_kafka_query_watermark_offsets(client_.get(), settings_.topic.c_str(), partition, &low, &end,
                                                      static_cast<int>(kAskWait.count()));
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(partition);
  if (place == places_.end()) return;
  std::string text = "offset " + std::to_string(message.offset) + " is out of range: ";
  if (asked == RD_KAFKA_RESP_ERR_NO_ERROR) {
    text += "the broker has " + std::to_string(low) + " up to " + std::to_string(end);
  } else {
    text += reason;
  }
  text += "; set the offset of group " + settings_.group + ", or kafkaOutOfRange = \"earliest\", and start again";
  tell(LogLevel::error, "partition " + std::to_string(partition) + " of " + settings_.topic + " is stopped: " + text);
  place->second.stopped = std::move(text);
}

Result<std::vector<Message>> KafkaSource::poll(std::size_t limit, milliseconds at_most, const OnRevoked& revoked) {
  SCORELINE_CHECK(limit >= 1 && limit <= kMaxBatch);
  const auto until = clock_.monotonic() + at_most;
  const auto left = [&] {
    return std::max(std::chrono::ceil<milliseconds>(until - clock_.monotonic()), milliseconds::zero());
  };
  on_revoked_ = &revoked;
  look_after_group(milliseconds::zero());
  while (paused_ ? left() > milliseconds::zero() : batch_.size() < limit) {
    if (paused_) {
      look_after_group(left());
      continue;
    }
    MessagePtr message(rd_kafka_consume_queue(messages_.get(), 0));
    if (!message) {
      const auto wait = std::min(left(), kLookAfterGroup);
      if (wait == milliseconds::zero()) break;
      message.reset(rd_kafka_consume_queue(messages_.get(), static_cast<int>(wait.count())));
    }
    if (message) {
      take(std::move(message));
    } else {
      look_after_group(milliseconds::zero());
    }
  }
  on_revoked_ = nullptr;
  std::vector<Message> messages;
  if (!paused_) messages.swap(batch_);
  if (messages.empty()) {
    if (auto failure = take_failure()) return fail(std::move(*failure));
  }
  return messages;
}

std::optional<std::int64_t> KafkaSource::known_end(std::int32_t partition) const {
  std::int64_t low = RD_KAFKA_OFFSET_INVALID;
  std::int64_t end = RD_KAFKA_OFFSET_INVALID;
  const auto err = rd_kafka_get_watermark_offsets(client_.get(), settings_.topic.c_str(), partition, &low, &end);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR || end < 0) return std::nullopt;
  return end;
}

std::vector<PartitionState> KafkaSource::partitions() const {
  std::vector<PartitionState> states;
  const std::lock_guard lock(mutex_);
  for (const auto& [partition, place] : places_) {
    states.push_back({{settings_.topic, partition}, place.next, known_end(partition), place.stopped});
  }
  return states;
}

}  // namespace

Result<std::unique_ptr<ingest::MessageSource>> open_source(const KafkaSettings& settings, const Clock& clock, Log log) {
  auto source = std::make_unique<KafkaSource>(settings, clock, std::move(log));
  if (auto joined = source->join(); !joined) return fail(joined.error());
  return source;
}

}  // namespace scoreline::kafka
