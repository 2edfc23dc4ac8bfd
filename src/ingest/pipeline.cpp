#include "ingest/pipeline.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/limits.h"
#include "ingest/committer.h"
#include "ingest/job.h"
#include "ingest/pipeline_metrics.h"
#include "ingest/validator.h"

namespace scoreline::ingest {

using leaderboards::Ledger;
using leaderboards::RankIndex;
using leaderboards::Ranks;
using leaderboards::Service;

namespace {

constexpr std::chrono::milliseconds kRetryWhenFull = std::chrono::seconds{1};

tl::unexpected<Error> overloaded() {
  return fail(Error{Code::overloaded, "200000 results wait for the ledger already", {}, kRetryWhenFull});
}

}  // namespace

class Pipeline::Writer {
 public:
  Writer(Service& service, Ledger& ledger, RankIndex& index, const Clock& clock, Random& random,
         PipelineMetrics* metrics)
      : service_(service),
        clock_(clock),
        random_(random),
        metrics_(metrics),
        committer_(service.catalogue(), ledger, index, clock),
        thread_([this] { run(); }) {}

  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void submit(std::vector<Submission> submissions, Ranks ranks, Done done);
  void exclusive(std::function<void()> work);
  bool all_shown() const { return committer_.all_shown(); }
  bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  Result<void> check_call(std::size_t results);
  Job validate(const std::vector<Submission>& submissions, Ranks ranks);
  bool enqueue(Job& job);
  void run();
  std::vector<Job> take();
  void commit(std::vector<Job> jobs);

  Service& service_;
  const Clock& clock_;
  Random& random_;
  PipelineMetrics* const metrics_;  // nullptr: none
  Committer committer_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> queue_;
  std::size_t pending_ = 0;  // results queued or in the commit under way
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

Result<void> Pipeline::Writer::check_call(std::size_t results) {
  if (!service_.ready()) {
    // The same answer as every read gives, with how far it is.
    return service_.resolve({leaderboards::kMainLeaderboard, std::nullopt}).map([](const auto&) {});
  }
  if (results == 0) return fail(Code::invalid, "must hold 1..10000 results", "results");
  if (results > kMaxBatch) return fail(Code::too_many, "must hold 1..10000 results", "results");
  const std::lock_guard lock(mutex_);
  if (pending_ + results > kMaxPendingResults) return overloaded();
  return {};
}

Job Pipeline::Writer::validate(const std::vector<Submission>& submissions, Ranks ranks) {
  Job job;
  job.ranks = ranks;
  job.accepted.reserve(submissions.size());
  job.places.reserve(submissions.size());
  job.receipts.resize(submissions.size());
  Validator validator(service_.catalogue(), clock_.now(), random_);
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    auto accepted = validator.accept(submissions[i]);
    if (accepted) {
      job.accepted.push_back(*std::move(accepted));
      job.places.push_back(i);
    } else {
      job.receipts[i] = fail(std::move(accepted).error());
    }
  }
  return job;
}

bool Pipeline::Writer::enqueue(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_ + job.accepted.size() > kMaxPendingResults) return false;
    pending_ += job.accepted.size();
    if (metrics_ != nullptr) metrics_->set_pending(pending_);
    queue_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void Pipeline::Writer::submit(std::vector<Submission> submissions, Ranks ranks, Done done) {
  if (const auto allowed = check_call(submissions.size()); !allowed) return done(fail(allowed.error()));
  Job job = validate(submissions, ranks);
  if (job.accepted.empty()) {
    if (metrics_ != nullptr) metrics_->count(job.receipts);
    return done(std::move(job.receipts));
  }
  job.done = std::move(done);
  if (!enqueue(job)) job.done(overloaded());
}

void Pipeline::Writer::exclusive(std::function<void()> work) {
  Job job;
  job.work = std::move(work);
  SCORELINE_CHECK(enqueue(job));  // it carries no results, so there is room
}

void Pipeline::Writer::run() {
  for (;;) {
    std::vector<Job> jobs = take();
    if (jobs.empty()) return;
    if (jobs.front().work) {
      jobs.front().work();
    } else {
      commit(std::move(jobs));
    }
  }
}

/// What is committed together: all that waits, in order, up to kMaxBatch results; or one exclusive work. Empty: stop.
std::vector<Job> Pipeline::Writer::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  std::vector<Job> jobs;
  std::size_t results = 0;
  while (!queue_.empty()) {
    const Job& next = queue_.front();
    const bool together = !next.work && results + next.accepted.size() <= kMaxBatch;
    if (!jobs.empty() && !together) break;
    results += next.accepted.size();
    jobs.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (jobs.back().work) break;
  }
  return jobs;
}

void Pipeline::Writer::commit(std::vector<Job> jobs) {
  const Monotonic begin = clock_.monotonic();
  const auto committed = committer_.commit(jobs);
  std::size_t results = 0;
  for (const Job& job : jobs) results += job.accepted.size();
  if (metrics_ != nullptr) metrics_->observe_commit(results, clock_.monotonic() - begin);
  {
    const std::lock_guard lock(mutex_);
    pending_ -= results;
    if (metrics_ != nullptr) metrics_->set_pending(pending_);
  }
  for (Job& job : jobs) {
    if (committed) {
      if (metrics_ != nullptr) metrics_->count(job.receipts);
      job.done(std::move(job.receipts));
    } else {
      job.done(fail(committed.error()));
    }
  }
}

Pipeline::Pipeline(Service& service, Ledger& ledger, RankIndex& index, const Clock& clock, Random& random,
                   PipelineMetrics* metrics)
    : writer_(std::make_unique<Writer>(service, ledger, index, clock, random, metrics)) {}

Pipeline::~Pipeline() = default;

void Pipeline::submit(std::vector<Submission> submissions, Ranks ranks, Done done) {
  writer_->submit(std::move(submissions), ranks, std::move(done));
}

Result<Receipts> Pipeline::submit(std::vector<Submission> submissions, Ranks ranks) {
  SCORELINE_CHECK(!writer_->is_this_thread());  // it would wait for itself
  // Shared, because the writer may still be inside set_value when this thread has the answer and is gone.
  const auto answered = std::make_shared<std::promise<Result<Receipts>>>();
  auto answer = answered->get_future();
  submit(std::move(submissions), ranks,
         [answered](Result<Receipts> receipts) { answered->set_value(std::move(receipts)); });
  return answer.get();
}

void Pipeline::exclusive(std::function<void()> work) { writer_->exclusive(std::move(work)); }

bool Pipeline::all_shown() const {
  SCORELINE_CHECK(writer_->is_this_thread());
  return writer_->all_shown();
}

}  // namespace scoreline::ingest
