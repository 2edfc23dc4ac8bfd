#include "queues/embedded_job_store.h"

#include <fmt/format.h>

#include "queues/embedded_calls.h"
#include "queues/specs.h"

namespace scoreline::queues {
namespace {

/// What the agenda's thread does in one go under the lock of a queue.
constexpr std::size_t kStepsInOneGo = 1'000;
constexpr std::chrono::milliseconds kTryAgain = std::chrono::seconds{1};

Error stopping() { return {Code::not_ready, "the process is stopping", {}, std::chrono::seconds{1}}; }

}  // namespace

EmbeddedJobStore::EmbeddedJobStore(JobLedger* ledger, const Clock& clock, Random& random)
    : clock_(clock), random_(random), agenda_(clock, [this](std::size_t index) {
        std::shared_lock lock(names_lock_);
        ServedQueue& served = served_[index];
        lock.unlock();
        look_after(served);
      }) {
  Keeper& keeper = *this;
  if (ledger != nullptr) commit_ = std::make_unique<GroupCommit>(*ledger, keeper);
}

Result<std::unique_ptr<EmbeddedJobStore>> EmbeddedJobStore::open(JobLedger* ledger, const Clock& clock, Random& random,
                                                                 Driven driven) {
  std::unique_ptr<EmbeddedJobStore> store(new EmbeddedJobStore(ledger, clock, random));
  if (ledger != nullptr) {
    if (auto loaded = store->load(*ledger); !loaded) return fail(loaded.error());
  }
  if (driven == Driven::by_steps) return store;
  if (store->commit_) store->commit_->start();
  store->agenda_.start();
  return store;
}

EmbeddedJobStore::~EmbeddedJobStore() {
  agenda_.stop();
  if (commit_) commit_->stop();
  for (ServedQueue& served : served_) {
    while (!served.waiting.empty()) served.waiting.pop_front().done(fail(stopping()));
  }
}

void EmbeddedJobStore::step() {
  if (commit_) commit_->step();
  agenda_.call_due();
  if (commit_) commit_->step();
}

ServedQueue* EmbeddedJobStore::known(std::string_view name) const {
  const std::shared_lock lock(names_lock_);
  const auto at = names_.find(name);
  return at == names_.end() ? nullptr : at->second;
}

Result<ServedQueue*> EmbeddedJobStore::known_already(std::string_view name) const {
  if (ServedQueue* const served = known(name)) return served;
  return fail(no_such_queue(name));
}

Result<ServedQueue*> EmbeddedJobStore::known_or_new(std::string_view name) {
  if (ServedQueue* const served = known(name)) return served;
  if (auto refused = trouble()) return fail(*std::move(refused));
  const std::lock_guard lock(names_lock_);
  if (const auto at = names_.find(name); at != names_.end()) return at->second;
  if (served_.size() == kMaxQueues) {
    return fail(Code::overloaded, fmt::format("there are {} queues already", kMaxQueues), "queue");
  }
  ServedQueue& served = add_queue(name);
  if (commit_) {
    served.record.number = next_number_++;
    numbers_.emplace(served.record.number, &served);
  }
  return &served;
}

ServedQueue& EmbeddedJobStore::add_queue(std::string_view name) {
  ServedQueue& served = served_.emplace_back();
  served.index = served_.size() - 1;
  served.record.name = name;
  served.queue = std::make_unique<Queue>(served.record.options, random_, served.recorder);
  names_.emplace(name, &served);
  return served;
}

void EmbeddedJobStore::look_after_soon(ServedQueue& served, std::chrono::milliseconds from_now) {
  served.called_at = clock_.monotonic() + from_now;
  agenda_.set(served.index, *served.called_at);
}

void EmbeddedJobStore::look_after(ServedQueue& served) {
  Turn turn(*this, served);
  served.called_at.reset();
  bool more = false;
  if (!turn.refusal()) {
    more = turn.queue().upkeep(turn.now(), kStepsInOneGo) == kStepsInOneGo;
    turn.tick();
    turn.serve();
  }
  turn.end_waits();
  if (more) look_after_soon(served, std::chrono::milliseconds{0});
  turn.finish();
}

void EmbeddedJobStore::enqueue(std::string_view queue, std::vector<JobSpec> jobs,
                               Done<std::vector<EnqueueAnswer>> done) {
  if (auto ok = check_count(jobs.size()); !ok) return done(fail(ok.error()));
  if (commit_ && commit_->is_behind()) {
    return done(fail(Error{Code::overloaded, "more is put in than the ledger can keep", {}, kTryAgain}));
  }
  // A name that nothing good is said under takes no room.
  if (known(queue) == nullptr) {
    if (auto ok = check(jobs, QueueOptions{}); !ok) return done(fail(ok.error()));
  }
  change(queue, true, done, [&](Turn& turn) -> Result<std::vector<EnqueueAnswer>> {
    if (auto ok = check(jobs, turn.queue().options()); !ok) return fail(ok.error());
    give_ids(jobs, turn.now().wall, random_);
    std::vector<NewJob> made;
    made.reserve(jobs.size());
    for (const JobSpec& job : jobs) made.push_back(new_job(job, turn.now().wall));
    std::vector<Enqueued> enqueued(made.size());
    if (auto ok = turn.queue().enqueue(made, enqueued, turn.now()); !ok) return fail(ok.error());
    std::vector<EnqueueAnswer> answers;
    answers.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      answers.push_back({std::move(jobs[i].id), enqueued[i].outcome, enqueued[i].state});
    }
    return answers;
  });
}

TakeTicket EmbeddedJobStore::take(std::string_view queue, const TakeSpec& spec, Done<std::vector<StoredJob>> done) {
  using Jobs = std::vector<StoredJob>;
  auto checked = check(spec);
  if (checked) checked = check_queue_name(queue);
  if (!checked) return done(fail(checked.error())), TakeTicket{};
  const auto served = known_or_new(queue);
  if (!served) return done(fail(served.error())), TakeTicket{};
  Turn turn(*this, **served);
  if (const auto refused = turn.refusal()) return turn.finish(done, Result<Jobs>(fail(*refused))), TakeTicket{};
  turn.bring_into_being();
  Jobs jobs;
  turn.serve();
  if ((*served)->waiting.empty()) {
    turn.queue().take(spec.max, spec.lease.value_or(turn.queue().options().lease), turn.now(),
                      [&](const JobRow& row) { jobs.push_back(stored(row)); });
  }
  TakeTicket ticket;
  if (!jobs.empty() || spec.wait.count() == 0) return turn.finish(done, Result<Jobs>(std::move(jobs))), ticket;
  if (takes_waiting_.fetch_add(1) >= kMaxWaitingTakes) {
    --takes_waiting_;
    const Error full{Code::overloaded, fmt::format("{} takes wait already", kMaxWaitingTakes), {}, kTryAgain};
    return turn.finish(done, Result<Jobs>(fail(full))), ticket;
  }
  turn.wait({spec.max, spec.lease, turn.now().steady + spec.wait, std::move(done)}, ticket);
  turn.finish();
  return ticket;
}

void EmbeddedJobStore::cancel(TakeTicket take) {
  const std::uint64_t place = take.number >> kTakeNumberBits;
  std::shared_lock lock(names_lock_);
  if (place == 0 || place > served_.size()) return;
  ServedQueue& served = served_[place - 1];
  lock.unlock();
  Turn turn(*this, served);
  const std::uint64_t number = take.number & ((std::uint64_t{1} << kTakeNumberBits) - 1);
  turn.answer_waiting(number, {Code::conflict, "the take was cancelled", {}, {}});
  turn.finish();
}

void EmbeddedJobStore::poll(std::string_view queue, Done<std::optional<StoredJob>> done) {
  change(queue, true, done, [](Turn& turn) -> Result<std::optional<StoredJob>> {
    std::optional<StoredJob> polled;
    turn.serve();
    turn.queue().poll(turn.now(), [&](const JobRow& row) { polled = stored(row); });
    return polled;
  });
}

void EmbeddedJobStore::poll_due(std::string_view queue, Done<std::optional<StoredJob>> done) {
  change(queue, true, done, [](Turn& turn) -> Result<std::optional<StoredJob>> {
    std::optional<StoredJob> polled;
    turn.serve();
    turn.queue().poll_due(turn.now(), [&](const JobRow& row) { polled = stored(row); });
    return polled;
  });
}

void EmbeddedJobStore::ack(std::string_view queue, std::vector<HeldJob> jobs, Done<std::vector<Result<void>>> done) {
  change_each<void>(queue, jobs, check(jobs, {}, {}), done,
                    [](Turn& turn, const HeldJob& job) { return turn.queue().ack(job.id, job.receipt, turn.now()); });
}

void EmbeddedJobStore::nack(std::string_view queue, std::vector<HeldJob> jobs,
                            std::optional<std::chrono::milliseconds> delay, std::string reason,
                            Done<std::vector<Result<JobState>>> done) {
  change_each<JobState>(queue, jobs, check(jobs, delay, {}), done, [&](Turn& turn, const HeldJob& job) {
    return turn.queue().nack(job.id, job.receipt, delay, kept_reason(reason), turn.now());
  });
}

void EmbeddedJobStore::extend(std::string_view queue, std::vector<HeldJob> jobs,
                              std::optional<std::chrono::milliseconds> lease,
                              Done<std::vector<Result<Timestamp>>> done) {
  change_each<Timestamp>(queue, jobs, check(jobs, {}, lease), done, [&](Turn& turn, const HeldJob& job) {
    return turn.queue().extend(job.id, job.receipt, lease.value_or(turn.queue().options().lease), turn.now());
  });
}

void EmbeddedJobStore::release(std::string_view queue, std::vector<HeldJob> jobs,
                               std::optional<std::chrono::milliseconds> delay,
                               Done<std::vector<Result<JobState>>> done) {
  change_each<JobState>(queue, jobs, check(jobs, delay, {}), done, [&](Turn& turn, const HeldJob& job) {
    return turn.queue().release(job.id, job.receipt, delay, turn.now());
  });
}

}  // namespace scoreline::queues
