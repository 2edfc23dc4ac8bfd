// Random histories of the embedded store in virtual time, over a ledger that fails in every way it can: what was
// answered is in the ledger, what was refused is not, and memory never says more than the ledger has.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "base/random.h"
#include "queues/embedded_job_store.h"
#include "support/model_job_ledger.h"

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;
using test::ModelJobLedger;
using Fault = ModelJobLedger::Fault;

constexpr const char* kQueues[] = {"mail", "images"};

class StoreHistory {
 public:
  explicit StoreHistory(std::uint64_t seed) : random_(seed) {
    ledger_.next = [this] {
      if (random_.below(6) != 0) return Fault::none;
      return static_cast<Fault>(1 + random_.below(4));
    };
    open();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      const std::uint64_t calls = 1 + random_.below(5);
      for (std::uint64_t c = 0; c < calls; ++c) call();
      clock_.advance(milliseconds{random_.below(20)});
      settle();
      compare();
      if (random_.below(60) == 0) restart();
    }
    store_.reset();
    EXPECT_EQ(open_answers_, 0) << "each call is answered once";
  }

 private:
  void open() {
    store_ = EmbeddedJobStore::open(&ledger_, clock_, random_, EmbeddedJobStore::Driven::by_steps).value();
  }
  void restart() {
    store_.reset();
    held_.clear();
    open();
    settle();
  }
  /// An undo may find the ledger away at first.
  void settle() {
    for (int i = 0; i < 20; ++i) store_->step();
    ASSERT_FALSE(store_->trouble()) << "it heals by itself";
  }

  template <typename T>
  JobStore::Done<T> once(std::function<void(Result<T>)> then) {
    ++open_answers_;
    auto answered = std::make_shared<bool>(false);
    return [this, answered, then = std::move(then)](Result<T> result) {
      EXPECT_FALSE(std::exchange(*answered, true));
      --open_answers_;
      then(std::move(result));
    };
  }

  void call() {
    queue_ = kQueues[random_.below(2)];
    switch (random_.below(10)) {
      case 0:
      case 1:
      case 2: return enqueue();
      case 3:
      case 4: return take();
      case 5:
      case 6: return finish();
      case 7: return poll();
      default: return operate();
    }
  }

  void enqueue() {
    std::vector<JobSpec> jobs(1 + random_.below(3));
    for (JobSpec& job : jobs) {
      job.id = "job-" + std::to_string(random_.below(40));
      job.payload = "payload of " + job.id;
      job.priority = static_cast<int>(random_.below(10));
      if (random_.below(3) == 0) job.delay = milliseconds{random_.below(100)};
    }
    store_->enqueue(queue_, std::move(jobs), once<std::vector<EnqueueAnswer>>([this, queue = queue_](auto answers) {
                      if (!answers) return;
                      for (const EnqueueAnswer& answer : *answers) {
                        EXPECT_TRUE(in_ledger(queue, answer.id) || !still_fresh(queue, answer.id));
                      }
                    }));
  }
  void take() {
    const milliseconds wait{random_.below(2) * random_.below(60)};
    const TakeSpec spec{1 + random_.below(3), milliseconds{10 + random_.below(100)}, wait};
    const TakeTicket ticket =
        store_->take(queue_, spec, once<std::vector<StoredJob>>([this, queue = queue_](auto jobs) {
                       if (!jobs) return;
                       for (const StoredJob& job : *jobs) {
                         EXPECT_TRUE(receipts_.insert(job.receipt).second) << "no lease is handed out twice";
                         EXPECT_EQ(job.payload, job.id.starts_with("tick") ? "" : "payload of " + job.id);
                         held_.push_back({queue, {job.id, job.receipt}});
                       }
                     }));
    if (random_.below(10) == 0) store_->cancel(ticket);
  }
  void finish() {
    if (held_.empty()) return;
    const auto [queue, job] = held_[random_.below(held_.size())];
    const std::string id = job.id;
    switch (random_.below(4)) {
      case 0:
        return store_->nack(queue, {job}, milliseconds{random_.below(30)}, "why",
                            once<std::vector<Result<JobState>>>([](auto) {}));
      case 1: return store_->extend(queue, {job}, milliseconds{50}, once<std::vector<Result<Timestamp>>>([](auto) {}));
      case 2: return store_->release(queue, {job}, {}, once<std::vector<Result<JobState>>>([](auto) {}));
      default:
        return store_->ack(queue, {job}, once<std::vector<Result<void>>>([this, key = job.receipt](auto acked) {
                             if (acked && acked->at(0)) {
                               EXPECT_TRUE(acked_.insert(key).second) << "acked twice";
                             }
                           }));
    }
  }
  void poll() {
    store_->poll(queue_, once<std::optional<StoredJob>>([](auto) {}));
  }
  void operate() {
    switch (random_.below(12)) {
      case 0: return store_->set_paused(queue_, random_.below(3) == 0, once<void>([](auto) {}));
      case 1: {
        QueueOptions options;
        options.max_attempts = 2;
        options.crash_limit = 1;
        options.dedup_for = milliseconds{random_.below(2) * 50};
        options.dead_for = milliseconds{2'000};
        if (random_.below(3) == 0) options.durability = Durability::os;
        return store_->set_options(queue_, options, once<void>([](auto) {}));
      }
      case 2: return store_->remove(queue_, "job-" + std::to_string(random_.below(40)), once<bool>([](auto) {}));
      case 3: return store_->retry_dead(queue_, {}, once<std::uint64_t>([](auto) {}));
      case 4:
        return store_->put_schedule(queue_, {"tick", random_.below(2) == 0 ? "* * * * *" : "*/2 * * * *"},
                                    once<void>([](auto) {}));
      case 5: return store_->drop_schedule(queue_, "tick", once<bool>([](auto) {}));
      case 6: return clock_.advance(milliseconds{random_.below(30'000)});
      case 7: return store_->purge(queue_, static_cast<JobState>(random_.below(5)), once<std::uint64_t>([](auto) {}));
      default: return;
    }
  }

  QueueNumber number_of(const std::string& queue) const {
    for (const auto& [number, record] : ledger_.queues) {
      if (record.name == queue) return number;
    }
    return 0;
  }
  bool in_ledger(const std::string& queue, const std::string& id) const {
    const QueueNumber number = number_of(queue);
    return std::any_of(ledger_.jobs.begin(), ledger_.jobs.end(),
                       [&](const auto& each) { return each.first.first == number && each.second.id == id; });
  }
  /// Nothing later in the same batch could have taken it away again.
  bool still_fresh(const std::string& queue, const std::string& id) {
    bool there = false;
    store_->find(queue, id, [&](Result<std::optional<StoredJob>> job) { there = job && *job; });
    return there;
  }

  /// Whatever has happened: what can be read is what the ledger has, to the last field.
  void compare() {
    std::map<std::pair<QueueNumber, std::uint64_t>, StoredJob> seen;
    for (const std::string queue : {"mail", "images"}) {
      const QueueNumber number = number_of(queue);
      bool there = false;
      QueueOptions options;
      store_->options(queue, [&](Result<QueueOptions> set) {
        there = set.has_value();
        if (set) options = *set;
      });
      ASSERT_EQ(there, number != 0) << queue;
      if (!there) continue;
      ASSERT_EQ(options, ledger_.queues[number].options);
      store_->schedules(queue, [&](Result<std::vector<ScheduleState>> states) {
        ASSERT_TRUE(states);
        const auto in_ledger = ledger_.schedules.find({number, "tick"});
        ASSERT_EQ(states->size(), in_ledger == ledger_.schedules.end() ? 0u : 1u);
        if (states->empty()) return;
        ASSERT_EQ(states->at(0).schedule, in_ledger->second.schedule);
        ASSERT_EQ(states->at(0).last.value_or(in_ledger->second.last), in_ledger->second.last);
      });
      std::vector<std::string> ids;
      for (const JobState state :
           {JobState::ready, JobState::delayed, JobState::leased, JobState::dead, JobState::done}) {
        store_->list(queue, {state, 0, kMaxJobs}, [&](Result<std::vector<StoredJob>> jobs) {
          ASSERT_TRUE(jobs);
          for (const StoredJob& job : *jobs) ids.push_back(job.id);
        });
      }
      for (const std::string& id : ids) {
        store_->find(queue, id, [&](Result<std::optional<StoredJob>> job) {
          seen[{number, (*job)->sequence}] = **job;
        });
      }
    }
    ASSERT_EQ(seen.size(), ledger_.jobs.size());
    for (auto [key, job] : ledger_.jobs) {
      ASSERT_TRUE(seen.contains(key)) << job.id;
      StoredJob& other = seen[key];
      // Falling due changes no row.
      if (job.state == JobState::delayed && other.state == JobState::ready) other.state = JobState::delayed;
      ASSERT_EQ(other, job) << job.id;
    }
  }

  SeededRandom random_;
  ManualClock clock_{Timestamp{1'800'000'000'000}};
  ModelJobLedger ledger_;
  std::unique_ptr<EmbeddedJobStore> store_;
  std::string queue_;
  std::vector<std::pair<std::string, HeldJob>> held_;
  std::set<Receipt> receipts_, acked_;
  int open_answers_ = 0;
};

int steps() {
  const char* const wanted = std::getenv("SCORELINE_PROPERTY_STEPS");
  return wanted != nullptr ? std::atoi(wanted) : 60'000;
}

TEST(StoreHistories, MemoryIsWhatTheLedgerHasWhateverFails) {
  constexpr int kSteps = 1'000;
  for (int seed = 1; seed * kSteps <= steps(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    StoreHistory(static_cast<std::uint64_t>(seed)).run(kSteps);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace scoreline::queues
