#include "app/standby_job_store.h"

#include <utility>

namespace scoreline::app {

using queues::HeldJob;
using queues::JobStore;

namespace {

constexpr std::chrono::milliseconds kTryAgain{1'000};
constexpr std::chrono::milliseconds kLookForFailure{500};
/// Between two looks whether the last call into a store that is to be closed has returned.
constexpr std::chrono::milliseconds kLookForCalls{1};

/// Whether it may be otherwise the next time.
bool may_pass(Code code) {
  return code == Code::not_ready || code == Code::storage_failed || code == Code::unknown_outcome ||
         code == Code::overloaded || code == Code::timed_out;
}

}  // namespace

StandbyJobStore::StandbyJobStore(OpenJobs open, std::function<void(const std::string&)> tell)
    : open_(std::move(open)), tell_(std::move(tell)), thread_([this] { run(); }) {}

StandbyJobStore::~StandbyJobStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

Result<void> StandbyJobStore::wait_opened() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return tried_; });
  if (backing_) return {};
  return fail(why_not_);
}

bool StandbyJobStore::tried() const {
  const std::lock_guard lock(mutex_);
  return tried_;
}

std::optional<Error> StandbyJobStore::failure() const {
  const std::lock_guard lock(mutex_);
  return given_up_ ? std::optional(why_not_) : std::nullopt;
}

Result<StandbyJobStore::Backing> StandbyJobStore::current() const {
  const std::lock_guard lock(mutex_);
  if (backing_) return backing_;
  return fail(why_not_);
}

void StandbyJobStore::run() {
  do {
    auto opened = open_();
    std::unique_lock lock(mutex_);
    tried_ = true;
    if (opened) {
      backing_ = std::make_shared<JobBacking>(*std::move(opened));
    } else {
      why_not_ = opened.error();
      given_up_ = !may_pass(why_not_.code);
    }
    const bool useless = given_up_;
    lock.unlock();
    wake_.notify_all();
    if (opened) {
      told_.clear();
      stand_by();
      close();
    } else {
      report(opened.error());
    }
    if (useless) return;
  } while (pause(kTryAgain));
}

void StandbyJobStore::stand_by() {
  while (pause(kLookForFailure)) {
    if (!backing_->may_be_taken) continue;
    if (const auto failed = backing_->ledger->write_failure()) return report(*failed);
  }
}

/// Nobody but this thread destroys a store: the last call into it may be one of its own threads'.
void StandbyJobStore::close() {
  std::unique_lock lock(mutex_);
  const Backing closing = std::exchange(backing_, nullptr);
  why_not_ = Error{Code::not_ready, "the jobs are being loaded", {}, std::chrono::seconds{1}};
  while (closing.use_count() > 1) wake_.wait_for(lock, kLookForCalls);
  lock.unlock();  // what it answers on its way out may call this store again
}

bool StandbyJobStore::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, time, [this] { return stopping_; });
}

void StandbyJobStore::report(const Error& error) {
  if (error.detail == std::exchange(told_, error.detail)) return;
  tell_("job queues: " + error.detail);
}

template <typename T, typename Call>
void StandbyJobStore::ask(Done<T> done, Call call) {
  const auto backing = current();
  if (!backing) return done(fail(backing.error()));
  call(*(*backing)->store, std::move(done));
}

void StandbyJobStore::enqueue(std::string_view queue, std::vector<queues::JobSpec> jobs,
                              Done<std::vector<queues::EnqueueAnswer>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.enqueue(queue, std::move(jobs), std::move(answer)); });
}

queues::TakeTicket StandbyJobStore::take(std::string_view queue, const queues::TakeSpec& spec,
                                         Done<std::vector<queues::StoredJob>> done) {
  queues::TakeTicket ticket;
  ask(std::move(done), [&](JobStore& store, auto answer) { ticket = store.take(queue, spec, std::move(answer)); });
  return ticket;
}

void StandbyJobStore::cancel(queues::TakeTicket take) {
  if (const auto backing = current()) (*backing)->store->cancel(take);
}

void StandbyJobStore::poll(std::string_view queue, Done<std::optional<queues::StoredJob>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.poll(queue, std::move(answer)); });
}

void StandbyJobStore::poll_due(std::string_view queue, Done<std::optional<queues::StoredJob>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.poll_due(queue, std::move(answer)); });
}

void StandbyJobStore::ack(std::string_view queue, std::vector<HeldJob> jobs, Done<std::vector<Result<void>>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.ack(queue, std::move(jobs), std::move(answer)); });
}

void StandbyJobStore::nack(std::string_view queue, std::vector<HeldJob> jobs,
                           std::optional<std::chrono::milliseconds> delay, std::string reason,
                           Done<std::vector<Result<queues::JobState>>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) {
    store.nack(queue, std::move(jobs), delay, std::move(reason), std::move(answer));
  });
}

void StandbyJobStore::extend(std::string_view queue, std::vector<HeldJob> jobs,
                             std::optional<std::chrono::milliseconds> lease,
                             Done<std::vector<Result<Timestamp>>> done) {
  ask(std::move(done),
      [&](JobStore& store, auto answer) { store.extend(queue, std::move(jobs), lease, std::move(answer)); });
}

void StandbyJobStore::release(std::string_view queue, std::vector<HeldJob> jobs,
                              std::optional<std::chrono::milliseconds> delay,
                              Done<std::vector<Result<queues::JobState>>> done) {
  ask(std::move(done),
      [&](JobStore& store, auto answer) { store.release(queue, std::move(jobs), delay, std::move(answer)); });
}

void StandbyJobStore::put_schedule(std::string_view queue, const queues::Schedule& schedule, Done<void> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.put_schedule(queue, schedule, std::move(answer)); });
}

void StandbyJobStore::drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.drop_schedule(queue, name, std::move(answer)); });
}

void StandbyJobStore::schedules(std::string_view queue, Done<std::vector<queues::ScheduleState>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.schedules(queue, std::move(answer)); });
}

void StandbyJobStore::queues(Done<std::vector<std::string>> done) {
  ask(std::move(done), [](JobStore& store, auto answer) { store.queues(std::move(answer)); });
}

void StandbyJobStore::options(std::string_view queue, Done<queues::QueueOptions> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.options(queue, std::move(answer)); });
}

void StandbyJobStore::set_options(std::string_view queue, const queues::QueueOptions& options, Done<void> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.set_options(queue, options, std::move(answer)); });
}

void StandbyJobStore::set_paused(std::string_view queue, bool paused, Done<void> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.set_paused(queue, paused, std::move(answer)); });
}

void StandbyJobStore::stats(std::string_view queue, Done<queues::QueueStats> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.stats(queue, std::move(answer)); });
}

void StandbyJobStore::find(std::string_view queue, std::string_view id, Done<std::optional<queues::StoredJob>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.find(queue, id, std::move(answer)); });
}

void StandbyJobStore::peek(std::string_view queue, Done<std::optional<queues::StoredJob>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.peek(queue, std::move(answer)); });
}

void StandbyJobStore::list(std::string_view queue, const queues::ListSpec& spec,
                           Done<std::vector<queues::StoredJob>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.list(queue, spec, std::move(answer)); });
}

void StandbyJobStore::position(std::string_view queue, std::string_view id,
                               Done<std::optional<queues::JobPosition>> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.position(queue, id, std::move(answer)); });
}

void StandbyJobStore::purge(std::string_view queue, queues::JobState state, Done<std::uint64_t> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.purge(queue, state, std::move(answer)); });
}

void StandbyJobStore::remove(std::string_view queue, std::string_view id, Done<bool> done) {
  ask(std::move(done), [&](JobStore& store, auto answer) { store.remove(queue, id, std::move(answer)); });
}

void StandbyJobStore::retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) {
  ask(std::move(done),
      [&](JobStore& store, auto answer) { store.retry_dead(queue, std::move(id), std::move(answer)); });
}

}  // namespace scoreline::app
