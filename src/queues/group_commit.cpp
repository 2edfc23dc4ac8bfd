#include "queues/group_commit.h"

#include <utility>

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTryAgain = std::chrono::seconds{1};
/// How often a batch whose outcome is unknown is sent: again at once, then after pauses that grow by this.
constexpr int kSends = 5;
constexpr milliseconds kSendAgain{200};

}  // namespace

void GroupCommit::start() {
  has_thread_ = true;
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

Error GroupCommit::why_not() const {
  const std::lock_guard lock(mutex_);
  return error_.value_or(Error{Code::storage_failed, "jobs could not be kept", {}, kTryAgain});
}

std::uint64_t GroupCommit::add(LedgerBatch&& changes, Durability durability, Settled settled) {
  const std::lock_guard lock(mutex_);
  if (pending_.last == 0) changed_.notify_all();
  for (const JobChange& change : changes.jobs) pending_.bytes += sizeof(change) + change.job.payload.size();
  is_behind_ = pending_.bytes > kMaxUnkeptBytes;
  append(pending_.batch, std::move(changes));
  pending_.to_disk |= durability != Durability::os;
  if (settled) pending_.waiting.push_back(std::move(settled));
  return pending_.last = ++added_;
}

void GroupCommit::run() {
  Lock lock(mutex_);
  while (true) {
    if (ahead_) {
      if (!undo(lock)) {
        if (stopping_) return;
        pause(lock, kTryAgain);
      }
    } else if (pending_.last != 0) {
      commit(lock);
    } else {
      if (stopping_) return;
      changed_.wait(lock);
    }
  }
}

void GroupCommit::step() {
  Lock lock(mutex_);
  if (ahead_ && !undo(lock)) return;
  while (pending_.last != 0 && !ahead_) commit(lock);
}

void GroupCommit::pause(Lock& lock, milliseconds span) {
  if (has_thread_) changed_.wait_for(lock, span, [this] { return stopping_; });
}

void GroupCommit::open_unless_the_ledger_failed() {
  error_ = ledger_.write_failure();
  open_ = !error_;
}

Result<void> GroupCommit::send(const LedgerBatch& batch, Durability durability) {
  Result<void> sent = ledger_.commit(batch, durability);
  for (int i = 1; i < kSends && !sent && sent.error().code == Code::unknown_outcome && !ledger_.write_failure(); ++i) {
    Lock lock(mutex_);
    pause(lock, kSendAgain * (i - 1));
    lock.unlock();
    if (auto again = ledger_.commit(batch, durability); again || again.error().code == Code::unknown_outcome) {
      sent = std::move(again);
    }
    // Any other error does not tell what became of the first.
  }
  return sent;
}

void GroupCommit::commit(Lock& lock) {
  Pending now = std::exchange(pending_, {});
  is_behind_ = false;
  const std::optional<Error> refused = open_ ? std::nullopt : error_;
  lock.unlock();
  LedgerBatch batch = folded(std::move(now.batch));
  Result<void> sent;
  if (refused) {
    sent = fail(*refused);
  } else if (!batch.empty()) {
    sent = send(batch, now.to_disk ? Durability::disk : Durability::os);
  }
  if (!sent) return fail_all(lock, std::move(batch), std::move(now), std::move(sent).error());
  LedgerBatch more = keeper_.kept(batch);
  settle(now, nullptr);
  lock.lock();
  if (!more.empty()) {
    append(pending_.batch, std::move(more));
    pending_.last = ++added_;
  }
  if (ledger_.write_failure()) open_unless_the_ledger_failed();
}

void GroupCommit::fail_all(Lock& lock, LedgerBatch&& batch, Pending&& pending, Error error) {
  lock.lock();
  error_ = ledger_.write_failure().value_or(error);
  open_ = false;
  ahead_ = true;
  append(to_undo_, std::move(batch));
  maybe_kept_ |= error.code == Code::unknown_outcome;
  undo(lock);
  lock.unlock();
  settle(pending, &error);
  lock.lock();
}

/// Calls that had changed something before they could know of the failure have added it by the time that the locks of
/// their queues were taken to undo what they stood on: so it goes on until nothing more has come.
bool GroupCommit::undo(Lock& lock) {
  do {
    Pending after = std::exchange(pending_, {});
    append(to_undo_, std::move(after.batch));
    LedgerBatch batch = folded(std::exchange(to_undo_, {}));
    const bool maybe_kept = maybe_kept_;
    lock.unlock();
    if (after.last != 0) {
      const Error error = why_not();
      settle(after, &error);
    }
    const auto undone = keeper_.undo(batch, maybe_kept, ledger_);
    lock.lock();
    if (!undone) {
      to_undo_ = std::move(batch);
      return false;
    }
  } while (pending_.last != 0);
  ahead_ = maybe_kept_ = false;
  open_unless_the_ledger_failed();
  return true;
}

void GroupCommit::settle(const Pending& pending, const Error* error) {
  // Those that came later may have failed before.
  if (pending.last > settled_.load(std::memory_order_relaxed)) settled_.store(pending.last, std::memory_order_release);
  for (const Settled& settled : pending.waiting) settled(error);
}

}  // namespace scoreline::queues
