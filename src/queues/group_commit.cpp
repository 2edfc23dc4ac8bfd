#include "queues/group_commit.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace scoreline::queues {
namespace {

/// How often a batch whose answer was lost is sent again.
constexpr int kSettleAttempts = 3;
constexpr std::chrono::milliseconds kMakeAgainPause{100};
/// Of a change in a batch that an other one has undone.
constexpr QueueNumber kUndone = 0;
constexpr int kSequenceBits = 48;

/// In the place of an earlier one of the same; there are few.
template <typename Record, typename Same>
void put_latest(std::vector<Record>& records, Record record, Same same) {
  const auto before =
      std::find_if(records.begin(), records.end(), [&](const Record& each) { return same(each, record); });
  if (before == records.end()) {
    records.push_back(std::move(record));
  } else {
    *before = std::move(record);
  }
}

}  // namespace

void GroupCommit::start() {
  thread_ = std::thread([this] { run(); });
}

void GroupCommit::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::uint64_t GroupCommit::key_of(const JobChange& change) {
  return std::uint64_t{change.queue} << kSequenceBits | change.job.sequence;
}

/// One change that does what both did.
void GroupCommit::merge(JobChange& before, JobChange change) {
  if (before.change == Change::added && change.change == Change::removed) {
    before = {};
    return;
  }
  if (before.change == Change::added) {
    change.job.id = std::move(before.job.id);
    if (change.change != Change::emptied) change.job.payload = std::move(before.job.payload);
    change.change = Change::added;
  } else if (before.change == Change::emptied && change.change == Change::updated) {
    change.change = Change::emptied;
  }
  before = std::move(change);
}

void GroupCommit::add_to(Batch& batch, JobChange change) {
  const std::uint64_t key = key_of(change);
  const auto [at, is_new] = batch.places.try_emplace(key, batch.changes.jobs.size());
  if (is_new) {
    batch.changes.jobs.push_back(std::move(change));
    return;
  }
  JobChange& before = batch.changes.jobs[at->second];
  merge(before, std::move(change));
  if (before.queue == kUndone) batch.places.erase(at);
}

void GroupCommit::add(LedgerBatch changes, Durability durability, Kept kept) {
  const std::lock_guard lock(mutex_);
  LedgerBatch& all = waiting_.changes;
  for (QueueRecord& record : changes.queues) {
    put_latest(all.queues, std::move(record), [](const auto& a, const auto& b) { return a.number == b.number; });
  }
  for (ScheduleRecord& record : changes.schedules) {
    put_latest(all.schedules, std::move(record),
               [](const auto& a, const auto& b) { return a.queue == b.queue && a.schedule.name == b.schedule.name; });
  }
  for (JobChange& change : changes.jobs) add_to(waiting_, std::move(change));
  if (durability == Durability::disk) waiting_.durability = Durability::disk;
  waiting_.kept.push_back(std::move(kept));
  changed_.notify_all();
}

bool GroupCommit::is_idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.kept.empty() && !committing_;
}

void GroupCommit::give_up() {
  const std::lock_guard lock(mutex_);
  std::move(waiting_.kept.begin(), waiting_.kept.end(), std::back_inserter(given_up_));
  waiting_ = {};
}

Result<void> GroupCommit::commit(const Batch& batch) {
  if (batch.changes.empty()) return {};
  Result<void> done;
  for (int attempt = 0; attempt < kSettleAttempts; ++attempt) {
    done = ledger_.commit(batch.changes, batch.durability);
    if (done || done.error().code != Code::unknown_outcome || ledger_.write_failure()) return done;
  }
  return done;
}

bool GroupCommit::commit_waiting() {
  if (out_of_step_) {
    if (!make_again_(*out_of_step_)) return false;
    const Error error = *std::exchange(out_of_step_, std::nullopt);
    fail_all({}, error);
    return true;
  }
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.kept.empty()) return false;
    std::swap(batch, waiting_);
    committing_ = true;
  }
  std::erase_if(batch.changes.jobs, [](const JobChange& change) { return change.queue == kUndone; });
  const Result<void> done = commit(batch);
  {
    const std::lock_guard lock(mutex_);
    committing_ = false;
  }
  if (done) {
    for (const Kept& each : batch.kept) each(done);
    return true;
  }
  if (!make_again_(done.error())) out_of_step_ = done.error();
  fail_all(std::move(batch.kept), done.error());
  return true;
}

void GroupCommit::fail_all(std::vector<Kept> told, const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    std::move(given_up_.begin(), given_up_.end(), std::back_inserter(told));
    given_up_.clear();
  }
  const Result<void> failed = fail(error);
  for (const Kept& each : told) each(failed);
}

void GroupCommit::run() {
  while (true) {
    if (commit_waiting()) continue;
    std::unique_lock lock(mutex_);
    if (stopping_ && (waiting_.kept.empty() || out_of_step_)) break;
    if (out_of_step_) {
      changed_.wait_for(lock, kMakeAgainPause);
    } else {
      changed_.wait(lock, [this] { return stopping_ || !waiting_.kept.empty(); });
    }
  }
  give_up();
  fail_all({}, {Code::not_ready, "the process is stopping", {}, std::chrono::seconds{1}});
}

}  // namespace scoreline::queues
