#include "ingest/batches_under_way.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace scoreline::ingest {

using std::chrono::milliseconds;

class BatchesUnderWay::Answers {
 public:
  struct Answer {
    std::uint64_t batch;
    Result<Taken> taken;
  };

  void put(std::uint64_t batch, Result<Taken> taken) {
    {
      const std::lock_guard lock(mutex_);
      answers_.push_back({batch, std::move(taken)});
    }
    came_.notify_one();
  }
  std::vector<Answer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }
  void wait(milliseconds at_most) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, at_most, [this] { return !answers_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Answer> answers_;
};

BatchesUnderWay::BatchesUnderWay(MessageIntake& intake, const Clock& clock, const ConsumerOptions& options)
    : intake_(intake), clock_(clock), options_(options), answers_(std::make_shared<Answers>()) {}

BatchesUnderWay::~BatchesUnderWay() = default;

void BatchesUnderWay::offer(std::vector<Message> messages) {
  SCORELINE_CHECK(has_room());
  Batch batch;
  batch.id = ++last_id_;
  for (const Message& message : messages) batch.next[message.from] = message.offset + 1;
  batch.messages = std::make_shared<const std::vector<Message>>(std::move(messages));
  batches_.push_back(std::move(batch));
  give(batches_.back());
}

void BatchesUnderWay::offer_again() {
  if (failure() && !in_hand() && clock_.monotonic() >= batches_.back().retry_at) give(batches_.back());
}

void BatchesUnderWay::give(Batch& batch) {
  batch.in_hand = true;
  intake_.take(batch.messages,
               [answers = answers_, id = batch.id](Result<Taken> taken) { answers->put(id, std::move(taken)); });
}

std::optional<Error> BatchesUnderWay::failure() const {
  return batches_.empty() ? std::nullopt : batches_.back().failure;
}

std::size_t BatchesUnderWay::take_answers() {
  std::size_t failures = 0;
  for (auto& [id, taken] : answers_->take()) {
    if (!taken) ++failures;
    // One that was forgotten meanwhile is another consumer's.
    const auto batch = std::ranges::find(batches_, id, &Batch::id);
    if (batch != batches_.end()) answered(*batch, std::move(taken));
  }
  return failures;
}

void BatchesUnderWay::answered(Batch& batch, Result<Taken> answer) {
  batch.in_hand = false;
  if (answer) {
    batch.taken = *std::move(answer);
    batch.messages.reset();
    batch.failure.reset();
    return;
  }
  const int doublings = std::min(batch.failed_attempts++, 16);
  const milliseconds pause = std::min(options_.longest_retry, options_.first_retry * (1 << doublings));
  batch.retry_at = clock_.monotonic() + std::max(pause, answer.error().retry_after.value_or(milliseconds{0}));
  batch.failure = std::move(answer).error();
}

void BatchesUnderWay::wait_for_answer(milliseconds at_most) { answers_->wait(at_most); }

void BatchesUnderWay::take_done(Offsets& done) {
  while (!batches_.empty() && !batches_.front().messages) {
    Batch& batch = batches_.front();
    if (batch.taken.may_commit && !batch.taken.may_commit()) return;
    for (const auto& [partition, next] : batch.next) done[partition] = next;
    batches_.pop_front();
  }
}

void BatchesUnderWay::forget(const std::vector<TopicPartition>& partitions) {
  for (Batch& batch : batches_) {
    for (const TopicPartition& each : partitions) batch.next.erase(each);
  }
  std::erase_if(batches_, [](const Batch& batch) { return batch.next.empty(); });
}

}  // namespace scoreline::ingest
