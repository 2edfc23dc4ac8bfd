#include "adapters/postgres/postgres_job_ledger.h"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/postgres/job_batch.h"
#include "adapters/postgres/migrations.h"
#include "queues/option_fields.h"

namespace scoreline::postgres {

using queues::Durability;
using queues::LedgerBatch;

namespace {

constexpr Statement kHold{"hold_jobs", "SELECT pg_try_advisory_lock('job_queues'::regclass::oid::integer, 0)"};
constexpr Statement kRaiseEpoch{"raise_epoch", "UPDATE job_holder SET epoch = epoch + 1 RETURNING epoch"};
constexpr Statement kEpoch{"epoch", "SELECT epoch FROM job_holder"};
constexpr Statement kDoNotWait{"do_not_wait", "SELECT set_config('synchronous_commit', 'off', true)"};
constexpr Statement kBegin{"begin_jobs", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Statement kFetch{"fetch_jobs", "FETCH 512 FROM jobs_cursor"};
constexpr Statement kEnd{"end_jobs", "COMMIT"};

constexpr std::string_view kLoading = "loading jobs", kWriting = "keeping jobs", kHolding = "taking hold of the jobs";
constexpr std::chrono::milliseconds kAskAgain{20};
constexpr int kAttempts = 4;

}  // namespace

Result<std::unique_ptr<PostgresJobLedger>> PostgresJobLedger::open(std::string_view url, const Options& options,
                                                                   const Clock& clock, Random& random) {
  auto parsed = ConnectionUrl::parse(url);
  if (!parsed) return fail(parsed.error());
  std::unique_ptr<PostgresJobLedger> ledger(new PostgresJobLedger(*std::move(parsed), options, clock, random));
  if (auto prepared = ledger->prepare(); !prepared) return fail(prepared.error());
  return ledger;
}

Result<void> PostgresJobLedger::prepare() {
  auto session = connector_.connect(in(options_.timeout), Connector::When::waiting);
  if (!session) return fail(to_error(session.error(), "opening the ledger of jobs"));
  if (auto migrated = migrate(*session, in(options_.bulk_timeout)); !migrated) return migrated;
  // Not waiting: whoever holds the jobs may do so for days.
  if (auto held = hold(*session, in({})); !held) return held;
  session_ = *std::move(session);
  return {};
}

/// The first time it raises the epoch, later it must find it as it was. Asks for the lock until the deadline, as the
/// server may not know yet that our last session is gone.
Result<void> PostgresJobLedger::hold(Session& session, Monotonic deadline) {
  while (true) {
    const auto held = session.run({&kHold, {}}, in(options_.timeout));
    if (!held) return fail(to_read_error(held.error(), kHolding));
    if (held->integer(0, 0) != 0) break;
    if (in(kAskAgain) > deadline) {
      return fail(Error{Code::not_ready, "another process holds the jobs of this ledger", {}, std::chrono::seconds{1}});
    }
    ::poll(nullptr, 0, static_cast<int>(kAskAgain.count()));
  }
  const auto epoch = session.run({epoch_ ? &kEpoch : &kRaiseEpoch, {}}, in(options_.timeout));
  if (!epoch) return fail(to_read_error(epoch.error(), kHolding));
  if (epoch->size() != 1) return fail(Code::damaged, "table job_holder must have one row");
  if (epoch_ && *epoch_ != epoch->integer(0, 0)) return fail(lose_hold());
  epoch_ = epoch->integer(0, 0);
  return {};
}

Error PostgresJobLedger::lose_hold() {
  const std::lock_guard lock(failure_mutex_);
  failure_ = Error{Code::storage_failed,
                   "the connection was lost, and meanwhile another process has held the jobs: start this one again",
                   {},
                   std::nullopt};
  return *failure_;
}

std::optional<Error> PostgresJobLedger::write_failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

Result<void> PostgresJobLedger::ensure_session(Monotonic deadline) {
  if (session_ && session_->is_alive()) return {};
  session_.reset();
  auto session = connector_.connect(deadline, Connector::When::waiting);
  if (!session) return fail(to_read_error(session.error(), kWriting));
  if (auto held = hold(*session, deadline); !held) return held;
  session_ = *std::move(session);
  return {};
}

Result<void> PostgresJobLedger::commit(const LedgerBatch& batch, Durability durability) {
  SCORELINE_CHECK(durability != Durability::memory);
  if (const auto failed = write_failure()) return fail(*failed);
  std::vector<Call> calls;
  if (durability == Durability::os) calls.push_back({&kDoNotWait, {}});
  for (Call& call : calls_of(batch)) calls.push_back(std::move(call));
  const Monotonic deadline = in(options_.timeout);
  bool may_be_kept = false;
  for (int attempt = 1;; ++attempt) {
    Result<void> done = ensure_session(deadline);
    bool again = false;
    if (done) {
      const auto rows = session_->run(calls, in(options_.bulk_timeout));
      if (rows) return {};
      may_be_kept |= rows.error().may_be_kept;
      if (rows.error().connection_lost) session_.reset();
      // The same again is the same, whether it was kept or not.
      again = rows.error().connection_lost || trouble_of(rows.error()) == Trouble::conflict;
      done = fail(to_error(rows.error(), kWriting));
    }
    if (!again || attempt == kAttempts || in({}) >= deadline) {
      if (may_be_kept && !write_failure()) done.error().code = Code::unknown_outcome;
      return done;
    }
  }
}

Result<void> PostgresJobLedger::load(const std::function<void(const queues::QueueRecord&)>& queue,
                                     const std::function<void(const queues::ScheduleRecord&)>& schedule,
                                     const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job) {
  if (const auto failed = write_failure()) return fail(*failed);
  if (auto ensured = ensure_session(in(options_.timeout)); !ensured) return ensured;
  auto done = read(*session_, queue, schedule, job);
  if (!done) session_.reset();  // it may be inside a transaction
  return done;
}

Result<void> PostgresJobLedger::read(Session& session, const std::function<void(const queues::QueueRecord&)>& queue,
                                     const std::function<void(const queues::ScheduleRecord&)>& schedule,
                                     const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job) {
  const auto failed = [](const Failure& failure) { return fail(to_read_error(failure, kLoading)); };
  const Call begin[] = {{&kBegin, {}}, read_queues_call(), read_schedules_call(), open_jobs_call()};
  const auto begun = session.run(begin, in(options_.bulk_timeout));
  if (!begun) return failed(begun.error());
  const Rows& records = (*begun)[1];
  for (int row = 0; row < records.size(); ++row) {
    const auto options = queues::parse_options(options_text_of(records, row));
    if (!options) return fail(options.error());
    queue(queue_of(records, row, *options));
  }
  for (int row = 0; row < (*begun)[2].size(); ++row) schedule(schedule_of((*begun)[2], row));
  const Call fetch{&kFetch, {}};
  const auto ask = [&] { return session.send(std::span(&fetch, 1), in(options_.bulk_timeout)); };
  if (const auto asked = ask(); !asked) return failed(asked.error());
  while (true) {
    const auto part = session.receive(in(options_.bulk_timeout));
    if (!part) return failed(part.error());
    const Rows& rows = part->front();
    if (rows.size() == 0) break;
    if (const auto asked = ask(); !asked) return failed(asked.error());  // reads on while these are looked at
    for (int row = 0; row < rows.size(); ++row) job(queue_number_of(rows, row), job_of(rows, row));
  }
  const auto ended = session.run({&kEnd, {}}, in(options_.timeout));
  return ended ? Result<void>{} : failed(ended.error());
}

Result<void> PostgresJobLedger::find(queues::QueueNumber queue, std::span<const std::uint64_t> sequences,
                                     const std::function<void(const queues::JobRow&)>& job) {
  // What one answer carries: jobs with payloads of any size.
  constexpr std::size_t kAtOnce = 64;
  if (const auto failed = write_failure()) return fail(*failed);
  if (auto ensured = ensure_session(in(options_.timeout)); !ensured) return ensured;
  for (std::size_t first = 0; first < sequences.size(); first += kAtOnce) {
    const auto part = sequences.subspan(first, std::min(kAtOnce, sequences.size() - first));
    const auto rows = session_->run(find_jobs_call(queue, part), in(options_.bulk_timeout));
    if (!rows) {
      session_.reset();
      return fail(to_read_error(rows.error(), kLoading));
    }
    for (int row = 0; row < rows->size(); ++row) job(job_of(*rows, row));
  }
  return {};
}

}  // namespace scoreline::postgres
