#include "ingest/ledger_intake.h"

#include <utility>

#include "ingest/intake_metrics.h"

namespace scoreline::ingest {
namespace {

DeadLetter dead_letter(const Message& message, Error reason) {
  DeadLetter letter{{message.from, message.offset, message.sent_at, std::nullopt}, 0, std::move(reason)};
  if (message.value) {
    letter.message.value = message.value->substr(0, kMaxDeadLetterBytes);
    letter.size = message.value->size();
  }
  return letter;
}

}  // namespace

struct LedgerIntake::Work {
  MessageBatch batch;
  Done done;
  std::vector<Submission> submissions;
  std::vector<std::size_t> places;  ///< of each submission in `batch`
  std::vector<DeadLetter> letters;
  std::vector<Message> to_review;

  const Message& message_of(std::size_t submission) const { return (*batch)[places[submission]]; }
};

LedgerIntake::LedgerIntake(Pipeline& pipeline, DeadLetters& dead_letters, ReadMessageText read_text, const Clock& clock,
                           IntakeMetrics& metrics, Review review)
    : pipeline_(pipeline),
      dead_letters_(dead_letters),
      read_text_(std::move(read_text)),
      clock_(clock),
      metrics_(metrics),
      review_(std::move(review)) {}

void LedgerIntake::take(MessageBatch batch, Done done) {
  const auto work = std::make_shared<Work>();
  work->batch = std::move(batch);
  work->done = std::move(done);
  for (std::size_t i = 0; i < work->batch->size(); ++i) {
    const Message& message = (*work->batch)[i];
    auto submission = read_message(message, read_text_);
    if (submission) {
      work->submissions.push_back(*std::move(submission));
      work->places.push_back(i);
    } else {
      work->letters.push_back(dead_letter(message, std::move(submission).error()));
    }
  }
  if (work->submissions.empty()) return put_aside(work);
  pipeline_.submit(std::move(work->submissions), leaderboards::Ranks::skip,
                   [this, work](Result<Receipts> receipts) { submitted(work, std::move(receipts)); });
}

void LedgerIntake::submitted(const std::shared_ptr<Work>& work, Result<Receipts> receipts) {
  if (!receipts) return work->done(fail(std::move(receipts).error()));
  const Timestamp now = clock_.now();
  for (std::size_t i = 0; i < receipts->size(); ++i) {
    const Message& message = work->message_of(i);
    const auto& receipt = (*receipts)[i];
    if (receipt) metrics_.count_visible(message, now);
    if (!receipt || receipt->conflict) {
      work->letters.push_back(dead_letter(message, receipt ? conflict_reason() : receipt.error()));
    }
    if (review_ && !(receipt && receipt->counts)) work->to_review.push_back(message);
  }
  put_aside(work);
}

/// On the writer's thread, as everything that is written to the ledger.
void LedgerIntake::put_aside(const std::shared_ptr<Work>& work) {
  if (work->letters.empty()) return finish(*work);
  pipeline_.exclusive([this, work] {
    const auto added = dead_letters_.add(work->letters, clock_.now());
    if (!added) return work->done(fail(added.error()));
    for (const DeadLetter& letter : work->letters) metrics_.count_dead_letter(traits(letter.reason.code).name);
    finish(*work);
  });
}

void LedgerIntake::finish(Work& work) const {
  work.done(work.to_review.empty() ? Taken{} : review_(std::move(work.to_review)));
}

}  // namespace scoreline::ingest
