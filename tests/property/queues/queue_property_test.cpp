// Random histories of a queue in virtual time, beside the plain model: the same order, the same states, nothing lost
// and nothing doubled, over clock steps and restarts from the rows that were recorded.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "base/random.h"
#include "model_queue.h"
#include "queues/queue.h"

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

/// Keeps rows as a ledger does.
class Rows final : public Transitions {
 public:
  struct Kept {
    JobRow row;
    std::string id, payload, reason;
  };
  void record(const Transition& transition) override {
    const JobRow& row = transition.row;
    if (transition.change == Change::removed) {
      ASSERT_EQ(rows.erase(row.sequence), 1u);
      return;
    }
    ASSERT_EQ(rows.contains(row.sequence), transition.change != Change::added);
    Kept& kept = rows[row.sequence];
    kept.row = row;
    kept.reason = row.reason;
    if (transition.change == Change::added) {
      kept.id = row.id;
      kept.payload = row.payload;
    } else {
      ASSERT_EQ(kept.id, row.id);
    }
    if (transition.change == Change::emptied) kept.payload.clear();
  }
  std::map<std::uint64_t, Kept> rows;
};

std::vector<QueueOptions> settings() {
  QueueOptions plain;
  plain.max_attempts = 3;
  plain.backoff = milliseconds{0};
  QueueOptions backing_off;
  backing_off.max_attempts = 2;
  backing_off.crash_limit = 1;
  backing_off.backoff = milliseconds{40};
  backing_off.crash_backoff = milliseconds{100};
  backing_off.dedup_for = milliseconds{200};
  backing_off.max_dead = 5;
  QueueOptions aging = plain;
  aging.aging = milliseconds{50};
  aging.dead_for = milliseconds{300};
  QueueOptions limited = aging;
  limited.max_leased = 6;
  limited.reserved = 2;
  limited.reserved_for = 2;
  return {plain, backing_off, aging, limited};
}

class History {
 public:
  History(std::uint64_t seed, const QueueOptions& options)
      : random_(seed), model_(options), queue_(std::make_unique<Queue>(options, jitter_, rows_)) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      step();
      if (i % 16 == 0) compare();
    }
  }

 private:
  std::string some_id() { return "job-" + std::to_string(random_.below(60)); }

  void step() {
    // All that a call would do in passing, so that the model need not know how much that is.
    while (queue_->upkeep(now_, 7) > 0) continue;
    model_.upkeep(now_);
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: return enqueue();
      case 3:
      case 4: return take();
      case 5: return ack();
      case 6: return nack();
      case 7: return give_back();
      case 8: return pass_time();
      case 9: return hand_over();
      case 10: return operate();
      default: return random_.below(8) == 0 ? restart() : pass_time();
    }
  }

  void enqueue() {
    std::vector<std::string> ids;
    std::vector<NewJob> jobs;
    for (std::uint64_t i = 0; i <= random_.below(4); ++i) ids.push_back(some_id());
    for (const std::string& id : ids) {
      NewJob job{id, "payload", static_cast<int>(random_.below(10)), std::nullopt, std::nullopt};
      const auto at = static_cast<std::int64_t>(random_.below(300)) - 50;
      if (random_.below(2) == 0) job.run_at = Timestamp{now_.wall.ms + at};
      if (random_.below(4) == 0) job.max_attempts = static_cast<int>(1 + random_.below(3));
      jobs.push_back(job);
    }
    std::vector<Enqueued> answers(jobs.size());
    ASSERT_TRUE(queue_->enqueue(jobs, answers, now_));
    for (std::size_t i = 0; i < jobs.size(); ++i) ASSERT_EQ(answers[i].outcome, model_.enqueue(jobs[i], now_));
  }

  void take() {
    const std::uint64_t max = 1 + random_.below(4);
    const milliseconds lease{1 + random_.below(150)};
    std::uint64_t taken = 0;
    const std::size_t told = queue_->take(max, lease, now_, [&](const JobRow& row) {
      ++taken;
      ModelJob* const expected = model_.first(now_, true);
      ASSERT_NE(expected, nullptr) << row.id;
      ASSERT_EQ(row.id, expected->id);
      ASSERT_EQ(row.payload, expected->payload);
      ASSERT_EQ(row.attempt(), expected->failures + expected->crashes + 1);
      ASSERT_TRUE(receipts_.insert(row.receipt).second) << "no receipt comes twice";
      expected->state = JobState::leased;
      expected->receipt = row.receipt;
      expected->lease_ms = lease.count();
      expected->until = now_.wall.ms + lease.count();
      expected->deadline = (now_.steady + lease).ns;
      ASSERT_EQ(row.until.ms, expected->until);
    });
    ASSERT_EQ(told, taken);
    ASSERT_TRUE(taken == max || model_.first(now_, true) == nullptr);
  }

  void hand_over() {
    std::string id;
    const bool due = random_.below(3) == 0;
    const auto visit = [&](const JobRow& row) { id = row.id; };
    const bool got = due ? queue_->poll_due(now_, visit) : queue_->poll(now_, visit);
    ModelJob* expected = due ? nullptr : model_.first(now_, false);
    for (ModelJob& job : model_.jobs) {
      if (!due || job.state != JobState::delayed || job.run_at > now_.wall.ms) continue;
      if (expected == nullptr || std::tie(job.run_at, job.sequence) < std::tie(expected->run_at, expected->sequence)) {
        expected = &job;
      }
    }
    ASSERT_EQ(got, expected != nullptr);
    if (!got) return;
    ASSERT_EQ(id, expected->id);
    model_.finish(*expected, now_);
  }

  /// A job, mostly a leased one, and a receipt, mostly its own.
  std::pair<std::string, Receipt> held() {
    std::vector<const ModelJob*> leased;
    for (const ModelJob& job : model_.jobs) {
      if (job.state == JobState::leased) leased.push_back(&job);
    }
    if (leased.empty() || random_.below(8) == 0) return {some_id(), Receipt{random_.below(3)}};
    const ModelJob& job = *leased[random_.below(leased.size())];
    return {job.id, random_.below(8) == 0 ? Receipt{job.receipt.bits + 1} : job.receipt};
  }
  ModelJob* holder(const std::pair<std::string, Receipt>& lease) {
    ModelJob* const job = model_.find(lease.first);
    return job != nullptr && job->state == JobState::leased && job->receipt == lease.second ? job : nullptr;
  }

  void ack() {
    const auto lease = held();
    ModelJob* const job = holder(lease);
    const auto acked = queue_->ack(lease.first, lease.second, now_);
    ASSERT_EQ(acked.has_value(), job != nullptr);
    ASSERT_TRUE(acked || acked.error().code == Code::conflict);
    if (job != nullptr) model_.finish(*job, now_);
  }

  void nack() {
    const auto lease = held();
    ModelJob* const job = holder(lease);
    const milliseconds delay{random_.below(100)};
    const bool own = random_.below(2) == 0;
    const auto state = queue_->nack(lease.first, lease.second, own ? std::optional(delay) : std::nullopt, "why", now_);
    ASSERT_EQ(state.has_value(), job != nullptr);
    if (job == nullptr) return;
    if (++job->failures >= job->max_attempts) {
      ASSERT_EQ(*state, JobState::dead);
      return model_.bury(*job, DeadCause::failed, now_);
    }
    if (own || model_.options.backoff.count() == 0) {
      model_.place(*job, now_.wall.ms + (own ? delay.count() : 0), now_);
    } else {  // chance is the queue's; what it may come to is ours
      job->run_at = queue_->find(lease.first, now_)->run_at.ms;
      job->state = JobState::delayed;
      const std::int64_t backoff = model_.options.backoff.count() << (job->failures - 1);
      ASSERT_GE(job->run_at, now_.wall.ms + backoff - backoff / 2);
      ASSERT_LE(job->run_at, now_.wall.ms + backoff);
    }
    ASSERT_EQ(*state, job->state);
  }

  void give_back() {
    const auto lease = held();
    ModelJob* const job = holder(lease);
    const milliseconds span{1 + random_.below(100)};
    const std::uint64_t kind = random_.below(3);
    if (kind == 0) {
      const auto until = queue_->extend(lease.first, lease.second, span, now_);
      ASSERT_EQ(until.has_value(), job != nullptr);
      if (job == nullptr) return;
      job->until = now_.wall.ms + span.count();
      job->deadline = (now_.steady + span).ns;
      job->lease_ms = span.count();
      ASSERT_EQ(until->ms, job->until);
      return;
    }
    const auto state = queue_->release(lease.first, lease.second, kind == 1 ? std::optional(span) : std::nullopt, now_);
    ASSERT_EQ(state.has_value(), job != nullptr);
    if (job == nullptr) return;
    kind == 1 ? model_.place(*job, now_.wall.ms + span.count(), now_) : static_cast<void>(job->state = JobState::ready);
  }

  void operate() {
    const std::uint64_t kind = random_.below(40);
    if (kind < 6) {
      const std::size_t retried = queue_->retry_dead(2, now_);
      for (std::size_t i = 0; i < retried; ++i) {
        ModelJob* oldest = nullptr;
        for (ModelJob& job : model_.jobs) {
          if (job.state != JobState::dead) continue;
          if (oldest == nullptr || std::tie(job.until, job.sequence) < std::tie(oldest->until, oldest->sequence)) {
            oldest = &job;
          }
        }
        ASSERT_NE(oldest, nullptr);
        oldest->failures = oldest->crashes = 0;
        oldest->cause = DeadCause::none;
        model_.place(*oldest, now_.wall.ms, now_);
      }
    } else if (kind == 6) {
      const auto state = static_cast<JobState>(random_.below(5));
      const std::uint64_t there = model_.count(state, now_);
      ASSERT_EQ(queue_->purge(state, 1'000, now_), there);
      std::erase_if(model_.jobs, [&](const ModelJob& job) {
        if (state == JobState::ready) return ModelQueue::is_ready(job, now_);
        return job.state == state && !(state == JobState::delayed && ModelQueue::is_ready(job, now_));
      });
    } else if (kind < 10) {
      const std::string id = some_id();
      ASSERT_EQ(queue_->remove(id), model_.find(id) != nullptr);
      model_.erase(id);
    }
  }

  void pass_time() {
    const auto by = milliseconds{random_.below(30)};
    now_.wall.ms += by.count();
    now_.steady = now_.steady + by;
    if (random_.below(40) == 0) now_.wall.ms += static_cast<std::int64_t>(random_.below(1'000)) - 500;
  }

  void restart() {
    std::vector<std::uint64_t> order;
    for (const auto& [sequence, kept] : rows_.rows) order.push_back(sequence);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    queue_ = std::make_unique<Queue>(model_.options, jitter_, rows_);
    now_.steady.ns = static_cast<std::int64_t>(random_.below(1'000'000'000));
    for (const std::uint64_t sequence : order) {
      Rows::Kept& kept = rows_.rows[sequence];
      JobRow row = kept.row;
      row.id = kept.id;
      row.payload = kept.payload;
      row.reason = kept.reason;
      queue_->restore(row, now_);
    }
    for (ModelJob& job : model_.jobs) {
      if (job.state != JobState::leased) continue;
      const std::int64_t left = std::clamp<std::int64_t>(job.until - now_.wall.ms, 0, job.lease_ms);
      job.deadline = (now_.steady + milliseconds{left}).ns;
    }
    // The next sequence is told by the rows alone.
    model_.next_sequence = rows_.rows.empty() ? 1 : rows_.rows.rbegin()->first + 1;
  }

  void compare() {
    queue_->check();
    ASSERT_EQ(queue_->size(), model_.jobs.size());
    ASSERT_EQ(rows_.rows.size(), model_.jobs.size());
    const QueueStats stats = queue_->stats(now_);
    ASSERT_EQ(stats.ready, model_.count(JobState::ready, now_));
    ASSERT_EQ(stats.delayed, model_.count(JobState::delayed, now_));
    ASSERT_EQ(stats.leased, model_.count(JobState::leased, now_));
    ASSERT_EQ(stats.dead, model_.count(JobState::dead, now_));
    ASSERT_EQ(stats.done, model_.count(JobState::done, now_));
    for (const ModelJob& job : model_.jobs) {
      const auto row = queue_->find(job.id, now_);
      ASSERT_TRUE(row) << job.id;
      ASSERT_EQ(row->run_at.ms, job.run_at);
      ASSERT_EQ(row->failures, job.failures);
      ASSERT_EQ(row->crashes, job.crashes);
      ASSERT_EQ(row->cause, job.cause);
      const auto position = queue_->position(job.id, now_);
      ASSERT_EQ(position.has_value(), ModelQueue::is_ready(job, now_));
      ASSERT_TRUE(!position || position->ahead == model_.ahead(job, now_)) << job.id;
    }
    const ModelJob* const first = model_.first(now_, false);
    const auto peeked = queue_->peek(now_);
    ASSERT_EQ(peeked ? peeked->id : "", first != nullptr ? first->id : "");
  }

  SeededRandom random_;
  SeededRandom jitter_{7};
  Instant now_{Timestamp{1'800'000'000'000}, Monotonic{1'000}};
  ModelQueue model_;
  Rows rows_;
  std::unique_ptr<Queue> queue_;
  std::set<Receipt> receipts_;
};

int steps() {
  const char* const wanted = std::getenv("SCORELINE_PROPERTY_STEPS");
  return wanted != nullptr ? std::atoi(wanted) : 60'000;
}

TEST(QueueHistory, IsThatOfTheModelOverClockStepsAndRestarts) {
  constexpr int kSteps = 1'500;
  for (int seed = 1; seed * kSteps <= steps(); ++seed) {
    const auto all = settings();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History(static_cast<std::uint64_t>(seed), all[static_cast<std::size_t>(seed) % all.size()]).run(kSteps);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace scoreline::queues
