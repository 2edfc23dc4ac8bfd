#include "ingest/consumer.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/error.h"
#include "ingest/batches_under_way.h"
#include "ingest/consumer_metrics.h"

namespace scoreline::ingest {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLookAgain{50};
constexpr milliseconds kPausedPoll{100};
constexpr milliseconds kBrokenPoll{1'000};
constexpr std::chrono::seconds kMeasureEvery{1};

}  // namespace

class Consumer::Loop {
 public:
  Loop(MessageSource& source, MessageIntake& intake, const Clock& clock, ConsumerMetrics& metrics,
       std::function<void(const std::string&)> tell, const ConsumerOptions& options)
      : source_(source),
        clock_(clock),
        metrics_(metrics),
        tell_(std::move(tell)),
        options_(options),
        batches_(intake, clock, options),
        thread_([this] { run(); }) {}

  ~Loop() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void run();
  void look_after_batches();
  void read();
  void hold();
  void poll(std::size_t limit, milliseconds at_most);
  void commit(bool now);
  void hand_over(const std::vector<TopicPartition>& partitions);
  void drain();
  void set_paused(bool paused);
  void measure();
  /// Tells a failure once, and the end of it.
  void report(bool& failing, const std::string& what, const std::optional<Error>& failure);

  MessageSource& source_;
  const Clock& clock_;
  ConsumerMetrics& metrics_;
  const std::function<void(const std::string&)> tell_;
  const ConsumerOptions options_;

  BatchesUnderWay batches_;
  Offsets done_;  // not committed yet
  Monotonic committed_at_;
  std::optional<Monotonic> held_since_;
  Monotonic measured_at_;
  bool paused_ = false;
  bool reading_fails_ = false;
  bool taking_fails_ = false;
  bool committing_fails_ = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses all of the above
};

void Consumer::Loop::run() {
  while (!stopping_) {
    look_after_batches();
    if (batches_.has_room()) {
      read();
    } else {
      hold();
    }
    measure();
  }
  drain();
  commit(true);
}

void Consumer::Loop::look_after_batches() {
  metrics_.count_failures(batches_.take_answers());
  report(taking_fails_, "messages cannot be taken in", batches_.failure());
  batches_.offer_again();
  commit(false);
}

void Consumer::Loop::read() {
  held_since_.reset();
  set_paused(false);
  poll(options_.batch, options_.gather);
}

/// The intake is at work. At first its answer is waited for, which is mostly near; a poll would sleep through it.
void Consumer::Loop::hold() {
  const Monotonic now = clock_.monotonic();
  if (!held_since_) held_since_ = now;
  if (now - *held_since_ < options_.patience) {
    batches_.wait_for_answer(kLookAgain);
    return;
  }
  set_paused(true);
  poll(1, kPausedPoll);
}

void Consumer::Loop::poll(std::size_t limit, milliseconds at_most) {
  auto messages =
      source_.poll(limit, at_most, [this](const std::vector<TopicPartition>& partitions) { hand_over(partitions); });
  report(reading_fails_, "messages cannot be read", messages ? std::nullopt : std::optional<Error>(messages.error()));
  if (!messages) {
    metrics_.count_failures(1);
    batches_.wait_for_answer(kBrokenPoll);
    return;
  }
  if (messages->empty()) return;
  metrics_.count_messages(messages->size());
  batches_.offer(*std::move(messages));
}

/// Another consumer goes on where we have committed: what the intake has in hand is waited for.
void Consumer::Loop::hand_over(const std::vector<TopicPartition>& partitions) {
  drain();
  commit(true);
  batches_.forget(partitions);
  for (const TopicPartition& each : partitions) done_.erase(each);
}

void Consumer::Loop::drain() {
  const Monotonic end = clock_.monotonic() + options_.drain;
  metrics_.count_failures(batches_.take_answers());
  while (batches_.in_hand() && clock_.monotonic() < end) {
    batches_.wait_for_answer(kLookAgain);
    metrics_.count_failures(batches_.take_answers());
  }
}

void Consumer::Loop::commit(bool now) {
  batches_.take_done(done_);
  if (done_.empty() || (!now && clock_.monotonic() - committed_at_ < options_.commit_every)) return;
  committed_at_ = clock_.monotonic();
  const auto committed = source_.commit(done_);
  report(committing_fails_, "offsets cannot be committed; after a restart these messages come again",
         committed ? std::nullopt : std::optional<Error>(committed.error()));
  committed ? done_.clear() : metrics_.count_failures(1);
}

void Consumer::Loop::set_paused(bool paused) {
  if (paused == paused_) return;
  paused_ = paused;
  paused ? source_.pause() : source_.resume();
  metrics_.set_paused(paused);
}

void Consumer::Loop::measure() {
  const Monotonic now = clock_.monotonic();
  if (now - measured_at_ < kMeasureEvery) return;
  measured_at_ = now;
  metrics_.set_partitions(source_.partitions());
}

void Consumer::Loop::report(bool& failing, const std::string& what, const std::optional<Error>& failure) {
  if (failure && !failing) tell_(what + ": " + failure->detail);
  if (!failure && failing) tell_("over: " + what);
  failing = failure.has_value();
}

Consumer::Consumer(MessageSource& source, MessageIntake& intake, const Clock& clock, ConsumerMetrics& metrics,
                   std::function<void(const std::string&)> tell, const ConsumerOptions& options)
    : loop_(std::make_unique<Loop>(source, intake, clock, metrics, std::move(tell), options)) {}

Consumer::~Consumer() = default;

}  // namespace scoreline::ingest
