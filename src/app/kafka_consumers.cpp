#include "app/kafka_consumers.h"

#include <spdlog/spdlog.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "adapters/kafka/kafka_source.h"
#include "app/kafka_log.h"
#include "http/result_reader.h"
#include "ingest/board_intake.h"
#include "ingest/consumer.h"
#include "ingest/consumer_metrics.h"
#include "ingest/corrections.h"
#include "ingest/intake_metrics.h"
#include "ingest/ledger_intake.h"

namespace scoreline::app {

using ingest::GroupProgress;
using ingest::MessageSource;

namespace {

constexpr std::string_view kAheadSuffix = "-leaderboard";
constexpr std::chrono::milliseconds kAskOtherGroup{250};

GroupProgress progress_of(const MessageSource& source, const Clock& clock) {
  return {[&source](std::span<const ingest::TopicPartition> partitions) { return source.committed(partitions); }, clock,
          kAskOtherGroup};
}

/// One group's: where it reads, what it tells, and the thread that does it.
struct Reader {
  Reader(std::unique_ptr<MessageSource> from, prometheus::Registry& registry, const std::string& group)
      : source(std::move(from)), metrics(registry, group), intake_metrics(registry, group) {}

  void begin(ingest::MessageIntake& intake, const Clock& clock) {
    consumer.emplace(*source, intake, clock, metrics, [](const std::string& what) { spdlog::warn("kafka: {}", what); });
  }

  std::unique_ptr<MessageSource> source;
  ingest::ConsumerMetrics metrics;
  ingest::IntakeMetrics intake_metrics;
  std::optional<ingest::Consumer> consumer;
};

}  // namespace

struct KafkaConsumers::Parts {
  explicit Parts(Engine& of) : engine(of) {}

  Engine& engine;
  std::optional<Reader> ledger_reader;
  std::optional<Reader> board_reader;  // parallel mode
  std::optional<ingest::Corrections> corrections;
  std::optional<ingest::LedgerIntake> ledger_intake;
  std::optional<ingest::BoardIntake> board_intake;
};

Result<std::unique_ptr<KafkaConsumers>> KafkaConsumers::open(const kafka::KafkaSettings& settings, KafkaMode mode,
                                                             Engine& engine, prometheus::Registry& registry) {
  auto parts = std::make_unique<Parts>(engine);
  const Clock& clock = engine.clock();
  auto source = kafka::open_source(settings, clock, log_kafka);
  if (!source) return fail(std::move(source).error());
  parts->ledger_reader.emplace(*std::move(source), registry, settings.group);
  std::optional<GroupProgress> ahead_group;
  if (mode == KafkaMode::parallel) {
    kafka::KafkaSettings ahead = settings;
    ahead.group += kAheadSuffix;
    auto ahead_source = kafka::open_source(ahead, clock, log_kafka);
    if (!ahead_source) return fail(std::move(ahead_source).error());
    parts->board_reader.emplace(*std::move(ahead_source), registry, ahead.group);
    parts->board_intake.emplace(engine.service(), engine.index(), http::read_message_result, clock, engine.random(),
                                parts->board_reader->intake_metrics, progress_of(*parts->ledger_reader->source, clock));
    ahead_group.emplace(progress_of(*parts->board_reader->source, clock));
  }
  parts->corrections.emplace(engine.service().catalogue(), engine.ledger(), engine.index(), http::read_message_result,
                             clock, engine.random(), std::move(ahead_group));
  parts->ledger_intake.emplace(engine.pipeline(), engine.dead_letters(), http::read_message_result, clock,
                               parts->ledger_reader->intake_metrics,
                               [&corrections = *parts->corrections](std::vector<ingest::Message> messages) {
                                 return corrections.review(std::move(messages));
                               });
  return std::unique_ptr<KafkaConsumers>(new KafkaConsumers(std::move(parts)));
}

KafkaConsumers::KafkaConsumers(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

KafkaConsumers::~KafkaConsumers() = default;

void KafkaConsumers::begin() {
  const Clock& clock = parts_->engine.clock();
  if (parts_->board_reader) parts_->board_reader->begin(*parts_->board_intake, clock);
  parts_->ledger_reader->begin(*parts_->ledger_intake, clock);
}

void KafkaConsumers::stop() {
  // Either one asks the other's source how far its group is: both threads end before a source goes.
  parts_->ledger_reader->consumer.reset();
  if (parts_->board_reader) parts_->board_reader->consumer.reset();
  parts_->ledger_reader->source.reset();
  if (parts_->board_reader) parts_->board_reader->source.reset();
}

}  // namespace scoreline::app
