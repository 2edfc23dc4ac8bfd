#include "adapters/redis/redis_job_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/redis/redis_job_codec.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/server_fitness.h"
#include "queues/option_fields.h"
#include "queues/specs.h"

namespace scoreline::redis {

using queues::StoredJob;
using queues::TakeTicket;

namespace {

constexpr std::size_t kCallsOfLane = 10'000;
constexpr std::size_t kWaitingBytes = 256 * 1024 * 1024;
constexpr std::size_t kCallsOfBatch = 64;
constexpr std::size_t kBytesOfBatch = 1024 * 1024;
/// A queue is marked as waited for until so long after a look; we look again well before.
constexpr std::chrono::milliseconds kWatch = std::chrono::seconds{60};
constexpr std::chrono::milliseconds kWatchAgain = kWatch / 3;
/// While no news can be heard.
constexpr std::chrono::milliseconds kLookWhenDeaf{500};
constexpr std::chrono::milliseconds kRetry{200};

Error ending() { return Error{Code::not_ready, "the store of jobs is ending", {}, std::nullopt}; }
Error overloaded(std::string what) { return Error{Code::overloaded, std::move(what), {}, kRetry}; }

bool says_absent(const Reply& reply) {
  return reply.kind == Reply::Kind::array && reply.elements.size() == 1 && reply.elements.front().text == "absent";
}

}  // namespace

std::size_t JobCall::bytes() const {
  std::size_t bytes = 64;
  for (const auto& argument : arguments) bytes += argument.size() + 16;
  return bytes;
}

JobLanes::JobLanes(Client& client, std::string prefix, std::size_t threads, const Clock& clock, Random& random)
    : client_(client),
      prefix_(std::move(prefix)),
      channel_(prefix_ + ":wake"),
      clock_(clock),
      random_(random),
      wakes_(
          client, channel_, clock, [this](std::string_view key) { heard(key); }, [this] { look_at_all(); }) {
  threads_.emplace_back([this] { keep_time(); });
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

JobLanes::~JobLanes() { stop(); }

void JobLanes::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  work_.notify_all();
  time_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  {
    const std::lock_guard lock(mutex_);
    tickets_.clear();  // what is cancelled from now on was answered
  }
  for (auto& [name, lane] : lanes_) {
    for (JobCall& call : lane.calls) call.done(fail(ending()));
    for (const TakeDone& done : lane.takers.remove_all()) done(fail(ending()));
  }
  for (auto& [task, refused] : tasks_) refused(ending());
}

JobLanes::Lane& JobLanes::lane_of(std::string_view queue) {
  const auto there = lanes_.find(queue);
  if (there != lanes_.end()) return there->second;
  Lane& lane = lanes_[std::string(queue)];
  lane.name = queue;
  lane.keys = queue_keys(prefix_, queue);
  return lane;
}

void JobLanes::wake(Lane& lane) {
  if (lane.queued || lane.busy) return;
  lane.queued = true;
  runnable_.push_back(&lane);
  work_.notify_one();
}

/// The lane may be gone then.
void JobLanes::drop_if_idle(Lane& lane) {
  if (!lane.idle()) return;
  forget_timer(lane);
  lanes_.erase(lanes_.find(lane.name));
}

void JobLanes::look_at(Lane& lane) {
  if (lane.takers.empty()) return;
  lane.look = true;
  wake(lane);
}

void JobLanes::heard(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto lane = lanes_.find(queue_of_key(key));
  if (lane != lanes_.end()) look_at(lane->second);
}

void JobLanes::look_at_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, lane] : lanes_) look_at(lane);
}

void JobLanes::call(std::string_view queue, JobCall call) {
  std::optional<Error> refused;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      refused = ending();
    } else {
      Lane& lane = lane_of(queue);
      const std::size_t bytes = call.bytes();
      if (lane.calls.size() >= kCallsOfLane || (waiting_bytes_ > 0 && waiting_bytes_ + bytes > kWaitingBytes)) {
        refused = overloaded(fmt::format("{} calls wait for the Redis of the queues", lane.calls.size()));
      } else {
        waiting_bytes_ += bytes;
        lane.calls.push_back(std::move(call));
        wake(lane);
      }
    }
  }
  if (refused) call.done(fail(*std::move(refused)));
}

void JobLanes::run(Task task, std::function<void(Error)> refused) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && tasks_.size() < kCallsOfLane) {
      tasks_.emplace_back(std::move(task), std::move(refused));
      work_.notify_one();
      return;
    }
  }
  refused(overloaded("too much waits for the Redis of the queues"));
}

TakeTicket JobLanes::take(std::string_view queue, Taker taker) {
  if (taker.until) wakes_.start();
  std::optional<Error> refused;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) refused = ending();
    if (tickets_.size() >= queues::kMaxWaitingTakes) {
      refused = overloaded(fmt::format("{} takes wait already", tickets_.size()));
    }
    if (!refused) {
      Lane& lane = lane_of(queue);
      const std::uint64_t ticket = ++last_ticket_;
      tickets_[ticket] = {&lane, taker.until};
      if (taker.until) {
        timers_.insert({*taker.until, ticket, &lane});
        if (timers_.begin()->ticket == ticket) time_.notify_one();
      }
      lane.takers.add(ticket, std::move(taker));
      lane.look = true;
      wake(lane);
      return {ticket};
    }
  }
  taker.done(fail(*std::move(refused)));
  return {};
}

void JobLanes::cancel(TakeTicket ticket) {
  std::optional<TakeDone> done;
  {
    const std::lock_guard lock(mutex_);
    const auto there = tickets_.find(ticket.number);
    if (there == tickets_.end()) return;
    Lane& lane = *there->second.first;
    if (there->second.second) timers_.erase({*there->second.second, ticket.number, &lane});
    tickets_.erase(there);
    done = lane.takers.remove(ticket.number);
    drop_if_idle(lane);
  }
  if (done) (*done)(fail(Code::conflict, "the take was cancelled"));
}

void JobLanes::forget_timer(Lane& lane) {
  if (lane.next_look) timers_.erase({*lane.next_look, 0, &lane});
  lane.next_look.reset();
}

void JobLanes::look_later(Lane& lane, Monotonic at) {
  forget_timer(lane);
  lane.next_look = at;
  const Timer timer{at, 0, &lane};
  timers_.insert(timer);
  if (*timers_.begin() == timer) time_.notify_one();
}

void JobLanes::end_wait(const Timer& timer, std::vector<TakeDone>& over) {
  tickets_[timer.ticket].second.reset();
  if (timer.lane->busy || timer.lane->queued) {
    timer.lane->takers.end_wait(timer.ticket);
    timer.lane->look = true;
    wake(*timer.lane);
    return;
  }
  tickets_.erase(timer.ticket);
  if (auto done = timer.lane->takers.remove(timer.ticket)) over.push_back(*std::move(done));
  drop_if_idle(*timer.lane);
}

void JobLanes::keep_time() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Monotonic now = clock_.monotonic();
    std::vector<TakeDone> over;
    while (!timers_.empty() && timers_.begin()->at <= now) {
      const Timer timer = *timers_.begin();
      timers_.erase(timers_.begin());
      if (timer.ticket == 0) {
        timer.lane->next_look.reset();
        look_at(*timer.lane);  // an idle lane has no timer
      } else {
        end_wait(timer, over);
      }
    }
    if (!over.empty()) {
      lock.unlock();
      for (const TakeDone& done : over) done(std::vector<StoredJob>());
      lock.lock();
    } else if (timers_.empty()) {
      time_.wait(lock);
    } else {
      time_.wait_for(lock, timers_.begin()->at - now);
    }
  }
}

JobLanes::Batch JobLanes::next_batch(Lane& lane) {
  Batch batch;
  std::size_t bytes = 0;
  while (!lane.calls.empty() && batch.calls.size() < kCallsOfBatch && bytes < kBytesOfBatch) {
    const std::size_t more = lane.calls.front().bytes();
    bytes += more;
    waiting_bytes_ -= more;
    batch.calls.push_back(std::move(lane.calls.front()));
    lane.calls.pop_front();
  }
  if (lane.look && !lane.takers.empty()) {
    batch.look = lane.takers.begin_look();
    forget_timer(lane);
  }
  lane.look = false;
  return batch;
}

void JobLanes::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stopping_ || !runnable_.empty() || !tasks_.empty(); });
    if (stopping_) return;
    if (!tasks_.empty()) {
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task.first();
      lock.lock();
      continue;
    }
    Lane& lane = *runnable_.front();
    runnable_.pop_front();
    lane.queued = false;
    lane.busy = true;
    Batch batch = next_batch(lane);
    lock.unlock();
    do_batch(lane, std::move(batch));
    lock.lock();
    lane.busy = false;
    if (!lane.calls.empty() || (lane.look && !lane.takers.empty())) {
      wake(lane);
    } else {
      drop_if_idle(lane);
    }
  }
}

void JobLanes::do_batch(Lane& lane, Batch batch) {
  std::vector<JobCall*> calls;
  for (JobCall& call : batch.calls) calls.push_back(&call);
  JobCall take;
  if (batch.look) {
    take = take_call(*batch.look);
    calls.push_back(&take);
  }
  if (calls.empty()) return;
  auto answers = send(lane, calls);
  for (std::size_t i = 0; i < batch.calls.size(); ++i) batch.calls[i].done(std::move(answers[i]));
  if (batch.look) settle(lane, *batch.look, std::move(answers.back()));
}

void JobLanes::settle(Lane& lane, const TakeLine::Look& look, Result<Reply> reply) {
  std::vector<std::vector<StoredJob>> got;
  std::int64_t next = -1;
  std::optional<Error> error;
  if (reply && reply->elements.size() >= 2) {
    next = reply->elements.front().integer;
    for (std::size_t i = 1; i < reply->elements.size() && i <= look.asked.size(); ++i) {
      auto jobs = jobs_of(reply->elements[i], 3);
      if (!jobs) error = std::move(jobs).error();
      got.push_back(jobs ? *std::move(jobs) : std::vector<StoredJob>());
    }
  } else {
    error = reply ? strange_job_answer().value() : std::move(reply).error();
  }
  TakeLine::Settled settled;
  {
    const std::lock_guard lock(mutex_);
    settled = error ? lane.takers.settle(look, *error) : lane.takers.settle(look, std::move(got));
    for (const std::uint64_t ticket : settled.tickets) {
      const auto answered = tickets_.find(ticket);
      if (answered->second.second) timers_.erase({*answered->second.second, ticket, &lane});
      tickets_.erase(answered);
    }
    if (settled.again) {
      lane.look = true;
    } else if (!lane.takers.empty()) {
      auto span = wakes_.listening() ? kWatchAgain : kLookWhenDeaf;
      if (next >= 0) span = std::min(span, std::chrono::milliseconds{next + 1});
      look_later(lane, clock_.monotonic() + span);
    }
  }
  for (TakeLine::Answer& answer : settled.answers) answer.done(std::move(answer.jobs));
  if (!settled.unwanted.empty()) give_back(lane, settled.unwanted);
}

JobCall JobLanes::take_call(const TakeLine::Look& look) {
  JobCall call{&scripts().job_take, {}, true, false, {}};
  std::string receipts;
  receipts.reserve(look.wanted * 8);
  for (std::size_t i = 0; i < look.wanted; ++i) {
    std::uint64_t bits = 0;
    while (bits == 0) bits = random_.bits();
    receipts += bytes_of({bits});
  }
  call.arguments = {std::to_string(look.waits ? kWatch.count() : 0), std::move(receipts)};
  for (const TakeLine::Asked& asked : look.asked) {
    call.arguments.push_back(std::to_string(asked.max));
    call.arguments.push_back(asked.lease ? std::to_string(asked.lease->count()) : std::string());
  }
  return call;
}

/// Jobs that were leased for nobody go back to their places.
void JobLanes::give_back(const Lane& lane, const std::vector<StoredJob>& jobs) {
  JobCall call{&scripts().job_leases, {"release", "", "", "0"}, false, false, [](const Result<Reply>&) {}};
  for (const StoredJob& job : jobs) {
    call.arguments.push_back(job.id);
    call.arguments.push_back(bytes_of(job.receipt));
  }
  this->call(lane.name, std::move(call));
}

std::vector<Result<Reply>> JobLanes::send(const Lane& lane, const std::vector<JobCall*>& calls) {
  const auto server = client_.server_of(lane.keys.front());
  if (!server) return {calls.size(), fail(server.error())};
  if (const auto fit = check_server(*server, "queues"); !fit) {
    client_.doubt_server_of(lane.keys.front());  // an operator may set it right while it runs
    return {calls.size(), fail(Error{Code::not_ready, fit.error().detail, {}, kRetry})};
  }
  auto answers = send(lane, calls, {});
  make_and_send_again(lane, calls, answers);
  for (auto& answer : answers) {
    if (answer && says_absent(*answer)) answer = fail(queues::no_such_queue(lane.name));
  }
  return answers;
}

std::vector<Result<Reply>> JobLanes::send(const Lane& lane, const std::vector<JobCall*>& calls,
                                          const std::string& options) {
  std::vector<ScriptCall> sent;
  sent.reserve(calls.size());
  for (const JobCall* const call : calls) {
    ScriptCall script{call->script, lane.keys, {options, channel_}};
    script.arguments.insert(script.arguments.end(), call->arguments.begin(), call->arguments.end());
    sent.push_back(std::move(script));
  }
  auto replies = client_.run(std::span<const ScriptCall>(sent));
  std::vector<Result<Reply>> answers;
  answers.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!replies) {
      Error error = replies.error();
      if (calls[i]->reads && error.code == Code::unknown_outcome) error.code = Code::storage_failed;
      answers.push_back(fail(std::move(error)));
    } else if ((*replies)[i].kind == Reply::Kind::error) {
      answers.push_back(fail(job_error_of((*replies)[i].text)));
    } else {
      answers.push_back(std::move((*replies)[i]));
    }
  }
  return answers;
}

/// A queue that is not there yet comes into being with the first call that may make it, after its name is known.
void JobLanes::make_and_send_again(const Lane& lane, const std::vector<JobCall*>& calls,
                                   std::vector<Result<Reply>>& answers) {
  std::vector<JobCall*> again;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // What came before the first that makes it was right to find nothing.
    if (!answers[i] || !says_absent(*answers[i]) || (again.empty() && !calls[i]->makes)) continue;
    again.push_back(calls[i]);
    places.push_back(i);
  }
  if (again.empty()) return;
  const auto made = make(lane);
  auto second = made ? send(lane, again, format_options(queues::QueueOptions{}))
                     : std::vector<Result<Reply>>(again.size(), fail(made.error()));
  for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = std::move(second[i]);
}

Result<void> JobLanes::make(const Lane& lane) {
  const ScriptCall call{&scripts().job_register, {prefix_ + ":names"}, {lane.name, std::to_string(queues::kMaxQueues)}};
  const auto replies = client_.run(std::span<const ScriptCall>(&call, 1));
  if (!replies) return fail(replies.error());
  if (replies->front().kind == Reply::Kind::error) return fail(Code::storage_failed, replies->front().text);
  if (replies->front().integer == 1) return {};
  return fail(Code::overloaded, fmt::format("there are {} queues already", queues::kMaxQueues), "queue");
}

}  // namespace scoreline::redis
