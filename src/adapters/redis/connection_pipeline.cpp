#include "adapters/redis/connection_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace scoreline::redis {
namespace {

// Long enough for a system call to cost little beside its bytes, short enough that nobody waits long behind it.
constexpr std::size_t kMaxPipelineBytes = 1024 * 1024;
constexpr std::chrono::milliseconds kFirstPause{10};
constexpr std::chrono::milliseconds kLongestPause{2'000};
constexpr std::chrono::milliseconds kRetryWhenOverloaded{100};

}  // namespace

struct ConnectionPipeline::Call {
  enum class State : std::uint8_t { waiting, leading, sent, answered };
  const Request* request = nullptr;
  Deadline deadline;
  State state = State::waiting;
  std::condition_variable changed = {};
  std::vector<Reply> replies = {};
  std::optional<Error> error = {};
};

ConnectionPipeline::ConnectionPipeline(Endpoint endpoint, Login login, std::size_t max_waiting_bytes,
                                       const Clock& clock, Random& random)
    : endpoint_(std::move(endpoint)),
      login_(std::move(login)),
      max_waiting_bytes_(max_waiting_bytes),
      clock_(clock),
      random_(random) {}

/// Whether calls fail at once: after a failure, until its pause is over, and while a single call tries again.
bool ConnectionPipeline::shut() const {
  return failures_ > 0 && (led_ || !waiting_.empty() || clock_.monotonic() < closed_until_);
}

Error ConnectionPipeline::down() const {
  Error error = last_error_;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(closed_until_ - clock_.monotonic());
  error.retry_after = std::max(left, kFirstPause);
  return error;
}

Result<std::vector<Reply>> ConnectionPipeline::exchange(const Request& request, Deadline deadline) {
  Call call{&request, deadline};
  std::unique_lock lock(mutex_);
  if (shut()) return fail(down());
  if (!waiting_.empty() && waiting_bytes_ + request.wire.size() > max_waiting_bytes_) {
    return fail(Error{Code::overloaded,
                      fmt::format("{} bytes wait for Redis at {}", waiting_bytes_, to_string(endpoint_)),
                      {},
                      kRetryWhenOverloaded});
  }
  waiting_.push_back(&call);
  waiting_bytes_ += request.wire.size();
  if (!led_) {
    led_ = true;
    call.state = Call::State::leading;
  }
  while (call.state == Call::State::waiting) {
    const auto left = deadline.send - clock_.monotonic();
    if (left.count() > 0) {
      call.changed.wait_for(lock, left);
      continue;
    }
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &call));
    waiting_bytes_ -= request.wire.size();
    return fail(
        Error{Code::overloaded, "its turn at Redis did not come within the deadline", {}, kRetryWhenOverloaded});
  }
  if (call.state == Call::State::leading) lead(lock);
  // Who leads is done by the deadline, and so is this call.
  call.changed.wait(lock, [&] { return call.state == Call::State::answered; });
  lock.unlock();
  if (call.error) return fail(*std::move(call.error));
  return std::move(call.replies);
}

Result<ServerInfo> ConnectionPipeline::server(Deadline deadline) {
  for (int tries = 0; tries < 2; ++tries) {
    {
      const std::lock_guard lock(mutex_);
      if (server_ && !reconnect_) return *server_;
    }
    const auto connected = exchange(Request{}, deadline);
    if (!connected) return fail(connected.error());
  }
  return fail(
      Error{Code::not_ready, fmt::format("Redis at {} closed the connection", to_string(endpoint_)), {}, kFirstPause});
}

Result<std::unique_ptr<Connection>> ConnectionPipeline::open_aside(Monotonic deadline) const {
  auto opened = Connection::open(endpoint_, login_, clock_, deadline);
  const auto info = opened ? (*opened)->log_in(login_, deadline) : Result<ServerInfo>(fail(opened.error()));
  if (info) return opened;
  Error error = info.error();
  if (error.code == Code::timed_out) error.code = Code::storage_failed;
  error.detail = fmt::format("Redis at {}: {}", to_string(endpoint_), error.detail);
  return fail(std::move(error));
}

void ConnectionPipeline::reconnect() {
  const std::lock_guard lock(mutex_);
  reconnect_ = true;
}

std::vector<ConnectionPipeline::Call*> ConnectionPipeline::take() {
  std::vector<Call*> calls;
  std::size_t bytes = 0;
  while (!waiting_.empty() && (calls.empty() || bytes + waiting_.front()->request->wire.size() <= kMaxPipelineBytes)) {
    Call* const call = waiting_.front();
    waiting_.pop_front();
    waiting_bytes_ -= call->request->wire.size();
    bytes += call->request->wire.size();
    call->state = Call::State::sent;
    calls.push_back(call);
  }
  return calls;
}

void ConnectionPipeline::lead(std::unique_lock<std::mutex>& lock) {
  const auto calls = take();
  if (std::exchange(reconnect_, false)) {
    connection_.reset();
    server_.reset();
  }
  lock.unlock();
  std::optional<Error> broken;
  try {
    work(calls);
  } catch (const std::exception& exception) {
    broken = Error{Code::unknown_outcome, fmt::format("talking to Redis: {}", exception.what()), {}, std::nullopt};
    connection_.reset();
  }
  lock.lock();
  if (broken) {
    server_.reset();
    for (Call* const call : calls) call->error = broken;
  }
  pass_on();
  for (Call* const call : calls) {
    call->state = Call::State::answered;
    call->changed.notify_one();
  }
}

/// The next that waits leads; after a failure all that wait fail with it.
void ConnectionPipeline::pass_on() {
  if (failures_ > 0) {
    for (Call* const call : std::exchange(waiting_, {})) {
      call->error = down();
      call->state = Call::State::answered;
      call->changed.notify_one();
    }
    waiting_bytes_ = 0;
  }
  led_ = !waiting_.empty();
  if (!led_) return;
  waiting_.front()->state = Call::State::leading;
  waiting_.front()->changed.notify_one();
}

/// Everything between the locks: connects when need be, sends, reads, gives each call its answer.
void ConnectionPipeline::work(const std::vector<Call*>& calls) {
  Monotonic deadline = calls.front()->deadline.answer;
  for (const Call* call : calls) deadline = std::min(deadline, call->deadline.answer);
  if (connection_ && !connection_->sound()) {
    connection_.reset();  // it was closed while nobody asked, after a restart perhaps
    const std::lock_guard lock(mutex_);
    server_.reset();
  }
  Error error;
  if (!connection_ && !connect(deadline, error)) {
    for (Call* const call : calls) call->error = error;
    return;
  }
  std::vector<Call*> right;
  for (Call* const call : calls) {
    // Only who leads writes server_, so that it may be read here without the lock.
    if (call->request->run_id.empty() || call->request->run_id == server_->run_id) {
      if (call->request->replies > 0) right.push_back(call);
    } else {
      call->error = Error{Code::conflict, fmt::format("Redis at {} has restarted", to_string(endpoint_)), {}, {}};
    }
  }
  if (!right.empty()) send(right, deadline);
}

bool ConnectionPipeline::connect(Monotonic deadline, Error& error) {
  auto opened = Connection::open(endpoint_, login_, clock_, deadline);
  auto info = opened ? (*opened)->log_in(login_, deadline) : Result<ServerInfo>(fail(opened.error()));
  if (!info) {
    error = std::move(info).error();
    if (error.code == Code::timed_out) error.code = Code::storage_failed;
    error.detail = fmt::format("Redis at {}: {}", to_string(endpoint_), error.detail);
    lost(true, error);
    const std::lock_guard lock(mutex_);
    error = down();
    return false;
  }
  connection_ = *std::move(opened);
  const std::lock_guard lock(mutex_);
  server_ = std::make_shared<const ServerInfo>(*std::move(info));
  failures_ = 0;
  return true;
}

/// `pause`: leave the node alone for a while.
void ConnectionPipeline::lost(bool pause, Error error) {
  connection_.reset();
  const auto chance = static_cast<std::int64_t>(random_.below(500));
  const std::lock_guard lock(mutex_);
  server_.reset();
  if (!pause) return;
  last_error_ = std::move(error);
  const auto longest = std::min(kFirstPause * (1 << std::min(failures_, 10)), kLongestPause);
  ++failures_;
  closed_until_ = clock_.monotonic() + longest * (1'000 - chance) / 1'000;
}

void ConnectionPipeline::send(const std::vector<Call*>& calls, Monotonic deadline) {
  std::string joined;
  std::size_t wanted = 0;
  for (const Call* call : calls) {
    if (calls.size() > 1) joined += call->request->wire;
    wanted += call->request->replies;
  }
  std::vector<Reply> replies;
  replies.reserve(wanted);
  const auto done =
      connection_->exchange(calls.size() > 1 ? joined : calls.front()->request->wire, wanted, replies, deadline);
  auto next = replies.begin();
  for (Call* const call : calls) {
    const auto count = static_cast<std::ptrdiff_t>(call->request->replies);
    if (replies.end() - next < count) {
      call->error = Error{Code::unknown_outcome,
                          fmt::format("Redis at {}: {}", to_string(endpoint_), done.error().detail),
                          {},
                          kFirstPause};
      next = replies.end();
      continue;
    }
    call->replies.assign(std::make_move_iterator(next), std::make_move_iterator(next + count));
    next += count;
  }
  if (done) return;
  // A peer that closes may be back at once (a restart); one that hangs is left alone.
  const bool closed = done.error().code == Code::storage_failed;
  Error error = done.error();
  error.code = Code::storage_failed;
  error.detail = fmt::format("Redis at {}: {}", to_string(endpoint_), error.detail);
  lost(!closed, std::move(error));
}

}  // namespace scoreline::redis
