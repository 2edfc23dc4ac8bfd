#include "adapters/sqlite/sqlite_job_ledger.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>
#include <utility>

#include "queues/option_fields.h"

namespace scoreline::sqlite {

using queues::Change;
using queues::Durability;
using queues::JobRow;

namespace {

constexpr std::int64_t kApplicationId = 0x53434C4A;
constexpr std::int64_t kSchemaVersion = 1;
constexpr std::uint64_t kJobsPageBytes = 4'096;
/// The log is moved into the database once it has so many pages (16 MiB).
constexpr std::uint64_t kCheckpointPages = 4'096;

// A job's key holds its queue and its sequence there: 2^48 jobs of one queue are 400 years at 20,000 a second.
constexpr int kSequenceBits = 48;
constexpr queues::QueueNumber kMaxQueueNumber = 1 << 15;

constexpr const char* kSchema = R"sql(
CREATE TABLE queues(
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  paused INTEGER NOT NULL,
  options TEXT NOT NULL           -- name=value, durations in milliseconds; what is not named has its default
) STRICT;
CREATE TABLE schedules(
  queue INTEGER NOT NULL,
  name TEXT NOT NULL,
  cron TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  payload BLOB NOT NULL,
  priority INTEGER NOT NULL,
  max_attempts INTEGER,           -- NULL: as the queue says
  last_tick INTEGER NOT NULL,     -- milliseconds since 1970; until its first tick, when it was made
  PRIMARY KEY (queue, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE jobs(
  job INTEGER PRIMARY KEY,        -- queue * 2^48 + sequence
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),        -- ready, delayed, leased, dead, done
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9),
  cause INTEGER NOT NULL CHECK (cause BETWEEN 0 AND 2),        -- of death: none, failed, crash loop
  max_attempts INTEGER NOT NULL,
  failures INTEGER NOT NULL,      -- nacks so far
  crashes INTEGER NOT NULL,       -- leases that ran out so far
  lease_ms INTEGER NOT NULL,
  run_at INTEGER NOT NULL,        -- milliseconds since 1970: from when it stands in the order, and its place
  until INTEGER NOT NULL,         -- as run_at; of a leased one its deadline, of a dead one since when it is
  receipt INTEGER NOT NULL,       -- of its lease, as 64 bits; 0: none
  reason BLOB NOT NULL,           -- of the last nack
  id TEXT NOT NULL
) STRICT;
CREATE TABLE payloads(
  job INTEGER PRIMARY KEY,
  payload BLOB NOT NULL
) STRICT;
)sql";

std::int64_t key_of(queues::QueueNumber queue, std::uint64_t sequence) {
  SCORELINE_CHECK(queue < kMaxQueueNumber && sequence < (std::uint64_t{1} << kSequenceBits));
  return static_cast<std::int64_t>(std::uint64_t{queue} << kSequenceBits | sequence);
}

constexpr std::string_view kJobRows =
    "SELECT job, state, priority, cause, max_attempts, failures, crashes, lease_ms, run_at, until, receipt, reason, "
    "id, payload FROM jobs LEFT JOIN payloads USING (job)";

/// Lives until the next step.
JobRow job_of(const Statement& row) {
  JobRow job;
  job.sequence = static_cast<std::uint64_t>(row.integer(0)) & ((std::uint64_t{1} << kSequenceBits) - 1);
  job.state = static_cast<queues::JobState>(row.integer(1));
  job.priority = static_cast<std::uint8_t>(row.integer(2));
  job.cause = static_cast<queues::DeadCause>(row.integer(3));
  job.max_attempts = static_cast<std::uint16_t>(row.integer(4));
  job.failures = static_cast<std::uint16_t>(row.integer(5));
  job.crashes = static_cast<std::uint16_t>(row.integer(6));
  job.lease_ms = static_cast<std::uint32_t>(row.integer(7));
  job.run_at = Timestamp{row.integer(8)};
  job.until = Timestamp{row.integer(9)};
  job.receipt.bits = static_cast<std::uint64_t>(row.integer(10));
  job.reason = row.bytes(11);
  job.id = row.bytes(12);
  job.payload = row.bytes(13);
  return job;
}

std::span<const std::uint8_t> blob(std::string_view bytes) {
  // A blob without an address would be NULL.
  static const std::uint8_t nothing = 0;
  return {bytes.empty() ? &nothing : reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Result<void> set_up(Connection& connection) {
  const std::string pragmas =
      fmt::format("PRAGMA page_size = {}; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_size_limit = {};",
                  kJobsPageBytes, kCheckpointPages * kJobsPageBytes);
  if (auto set = connection.run(pragmas.c_str()); !set) return set;
  auto mode = connection.prepare("PRAGMA journal_mode = WAL");
  if (!mode) return fail(mode.error());
  if (mode->step() != Step::row) return fail(connection.error("switching the jobs to a write-ahead log"));
  if (mode->bytes(0) != "wal") return fail(Code::storage_failed, "the file system of the data folder takes no log");
  return {};
}

Result<void> make_schema(Connection& connection) {
  const auto version = connection.integer("PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version > kSchemaVersion) {
    return fail(Code::conflict, fmt::format("jobs.sqlite was written by a newer Scoreline (schema {}, this one knows "
                                            "{}): run that version or a later one",
                                            *version, kSchemaVersion));
  }
  const auto id = connection.integer("PRAGMA application_id");
  if (!id) return fail(id.error());
  if (*version == kSchemaVersion && *id == kApplicationId) return {};
  const auto objects = connection.integer("SELECT count(*) FROM sqlite_schema");
  if (!objects) return fail(objects.error());
  if (*objects != 0) return fail(Code::damaged, "jobs.sqlite does not hold jobs of Scoreline");
  return connection.run(fmt::format("BEGIN; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;", kSchema,
                                    kApplicationId, kSchemaVersion)
                            .c_str());
}

/// Whoever else has it open holds its lock for as long as it runs.
Error opening_error(Error error, Connection& connection) {
  if (trouble_of(connection.failure()) == Trouble::busy) {
    return {Code::locked, "another process has jobs.sqlite open", {}, std::nullopt};
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<SqliteJobLedger>> SqliteJobLedger::open(const std::filesystem::path& folder) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  auto connection = Connection::open(folder / kJobsFile, Access::read_write);
  if (!connection) return fail(connection.error());
  for (Result<void> (*const step)(Connection&) : {set_up, make_schema}) {
    if (auto done = step(*connection); !done) return fail(opening_error(done.error(), *connection));
  }
  std::unique_ptr<SqliteJobLedger> ledger(new SqliteJobLedger(std::move(*connection)));
  if (auto prepared = ledger->prepare(); !prepared) return fail(prepared.error());
  return ledger;
}

Result<void> SqliteJobLedger::prepare() {
  const std::pair<Statement*, const char*> statements[] = {
      {&begin_, "BEGIN IMMEDIATE"},
      {&commit_, "COMMIT"},
      {&rollback_, "ROLLBACK"},
      {&put_queue_,
       "INSERT INTO queues(number, name, paused, options) VALUES (?1, ?2, ?3, ?4) "
       "ON CONFLICT (number) DO UPDATE SET paused = ?3, options = ?4"},
      {&put_schedule_,
       "INSERT OR REPLACE INTO schedules(queue, name, cron, time_zone, payload, priority, max_attempts, last_tick) "
       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
      {&drop_schedule_, "DELETE FROM schedules WHERE queue = ?1 AND name = ?2"},
      {&add_,
       "INSERT OR REPLACE INTO jobs(job, state, priority, cause, max_attempts, failures, crashes, lease_ms, run_at, "
       "until, receipt, reason, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"},
      {&update_,
       "UPDATE jobs SET state = ?2, priority = ?3, cause = ?4, max_attempts = ?5, failures = ?6, crashes = ?7, "
       "lease_ms = ?8, run_at = ?9, until = ?10, receipt = ?11, reason = ?12 WHERE job = ?1"},
      {&remove_, "DELETE FROM jobs WHERE job = ?1"},
      {&add_payload_, "INSERT OR REPLACE INTO payloads(job, payload) VALUES (?1, ?2)"},
      {&remove_payload_, "DELETE FROM payloads WHERE job = ?1"}};
  for (const auto& [statement, sql] : statements) {
    auto prepared = connection_.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  sqlite3_wal_hook(connection_.handle(), &SqliteJobLedger::on_commit, this);
  // What a killed process wrote without a sync is answered from now on as if it were on the disk.
  if (sqlite3_wal_checkpoint_v2(connection_.handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) !=
          SQLITE_OK &&
      trouble_of(connection_.failure()) != Trouble::full) {
    return fail(connection_.error("moving the log into the jobs"));
  }
  return {};
}

std::optional<Error> SqliteJobLedger::write_failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

Result<void> SqliteJobLedger::sync(Sync wanted) {
  if (sync_ == wanted) return {};
  const bool each = wanted == Sync::each_commit;
  if (auto set = connection_.run(each ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"); !set) return set;
  sync_ = wanted;
  return {};
}

Result<void> SqliteJobLedger::commit(const queues::LedgerBatch& batch, Durability durability) {
  SCORELINE_CHECK(durability != Durability::memory);
  if (const auto stopped = write_failure()) return fail(*stopped);
  if (auto set = sync(durability == Durability::disk ? Sync::each_commit : Sync::none); !set) return set;
  if (!begin_.run() || !write(batch)) return fail(failed("keeping jobs", false));
  if (!commit_.run()) return fail(failed("keeping jobs", true));
  checkpoint_if_due();
  return {};
}

bool SqliteJobLedger::write(const queues::LedgerBatch& batch) {
  for (const auto& record : batch.queues) {
    if (!put(record)) return false;
  }
  for (const auto& record : batch.schedules) {
    if (!put(record)) return false;
  }
  for (const auto& change : batch.jobs) {
    if (!put(change)) return false;
  }
  return true;
}

bool SqliteJobLedger::put(const queues::QueueRecord& record) {
  const std::string options = queues::format_options(record.options);
  return put_queue_.bind(1, std::int64_t{record.number})
      .bind(2, record.name)
      .bind(3, std::int64_t{record.paused})
      .bind(4, options)
      .run();
}

bool SqliteJobLedger::put(const queues::ScheduleRecord& record) {
  const queues::Schedule& schedule = record.schedule;
  Statement& statement = record.dropped ? drop_schedule_ : put_schedule_;
  statement.bind(1, std::int64_t{record.queue}).bind(2, schedule.name);
  if (record.dropped) return statement.run();
  statement.bind(3, schedule.cron)
      .bind(4, schedule.time_zone)
      .bind(5, blob(schedule.payload))
      .bind(6, std::int64_t{schedule.priority});
  schedule.max_attempts ? statement.bind(7, std::int64_t{*schedule.max_attempts}) : statement.bind_null(7);
  return statement.bind(8, record.last.ms).run();
}

bool SqliteJobLedger::put(const queues::JobChange& change) {
  const queues::StoredJob& job = change.job;
  const std::int64_t key = key_of(change.queue, job.sequence);
  const auto remove_payload = [&] { return remove_payload_.bind(1, key).run(); };
  if (change.change == Change::removed) return remove_.bind(1, key).run() && remove_payload();
  const bool added = change.change == Change::added;
  Statement& statement = added ? add_ : update_;
  statement.bind(1, key)
      .bind(2, static_cast<std::int64_t>(job.state))
      .bind(3, std::int64_t{job.priority})
      .bind(4, static_cast<std::int64_t>(job.cause))
      .bind(5, std::int64_t{job.max_attempts})
      .bind(6, std::int64_t{job.failures})
      .bind(7, std::int64_t{job.crashes})
      .bind(8, std::int64_t{job.lease_ms})
      .bind(9, job.run_at.ms)
      .bind(10, job.until.ms)
      .bind(11, static_cast<std::int64_t>(job.receipt.bits))
      .bind(12, blob(job.reason));
  if (added) statement.bind(13, job.id);
  if (!statement.run()) return false;
  if (added) return add_payload_.bind(1, key).bind(2, blob(job.payload)).run();
  return change.change == Change::updated || remove_payload();
}

Error SqliteJobLedger::failed(std::string_view doing, bool while_committing) {
  const Failure failure = connection_.failure();
  rollback();
  const Trouble trouble = trouble_of(failure);
  // The commit mark is the last thing written to the log: without room for it there is no commit.
  if (trouble == Trouble::full || trouble == Trouble::busy || (trouble == Trouble::memory && !while_committing)) {
    return to_error(failure, doing);
  }
  stop_writing(failure, doing);
  Error error = to_error(failure, doing);
  error.code = while_committing ? Code::unknown_outcome : Code::storage_failed;
  return error;
}

void SqliteJobLedger::rollback() {
  if (sqlite3_get_autocommit(connection_.handle()) == 0) static_cast<void>(rollback_.run());
}

void SqliteJobLedger::checkpoint_if_due() {
  if (log_pages_ < kCheckpointPages) return;
  if (sqlite3_wal_checkpoint_v2(connection_.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) ==
      SQLITE_OK) {
    return;
  }
  const Failure failure = connection_.failure();
  const Trouble trouble = trouble_of(failure);
  // Without room the log holds everything still; the next commit tries again.
  if (trouble == Trouble::io || trouble == Trouble::damaged) stop_writing(failure, "moving the log into the jobs");
}

void SqliteJobLedger::stop_writing(const Failure& failure, std::string_view doing) {
  const std::lock_guard lock(failure_mutex_);
  failure_ = Error{Code::storage_failed,
                   fmt::format("jobs are not written any more until a restart: {} failed: {} (SQLite {}, errno {})",
                               doing, failure.message, failure.code, failure.system_error),
                   {},
                   std::nullopt};
}

int SqliteJobLedger::on_commit(void* ledger, sqlite3* /*database*/, const char* /*name*/, int pages) {
  static_cast<SqliteJobLedger*>(ledger)->log_pages_ = static_cast<std::uint64_t>(pages);
  return SQLITE_OK;
}

Result<void> SqliteJobLedger::load(const std::function<void(const queues::QueueRecord&)>& queue,
                                   const std::function<void(const queues::ScheduleRecord&)>& schedule,
                                   const std::function<void(queues::QueueNumber, const JobRow&)>& job) {
  if (auto loaded = load_queues(queue); !loaded) return loaded;
  if (auto loaded = load_schedules(schedule); !loaded) return loaded;
  return load_jobs(job);
}

Result<void> SqliteJobLedger::load_queues(const std::function<void(const queues::QueueRecord&)>& visit) {
  auto rows = connection_.prepare("SELECT number, name, paused, options FROM queues");
  if (!rows) return fail(rows.error());
  Step step;
  while ((step = rows->step()) == Step::row) {
    const auto options = queues::parse_options(rows->bytes(3));
    if (!options) return fail(options.error());
    visit({static_cast<queues::QueueNumber>(rows->integer(0)), std::string(rows->bytes(1)), *options,
           rows->integer(2) != 0});
  }
  return step == Step::done ? Result<void>{} : fail(connection_.error("loading queues"));
}

Result<void> SqliteJobLedger::load_schedules(const std::function<void(const queues::ScheduleRecord&)>& visit) {
  auto rows = connection_.prepare(
      "SELECT queue, name, cron, time_zone, payload, priority, max_attempts, last_tick FROM schedules");
  if (!rows) return fail(rows.error());
  Step step;
  while ((step = rows->step()) == Step::row) {
    queues::ScheduleRecord record;
    record.queue = static_cast<queues::QueueNumber>(rows->integer(0));
    record.schedule = {std::string(rows->bytes(1)), std::string(rows->bytes(2)),        std::string(rows->bytes(3)),
                       std::string(rows->bytes(4)), static_cast<int>(rows->integer(5)), {}};
    if (rows->type(6) != Statement::Type::null) record.schedule.max_attempts = static_cast<int>(rows->integer(6));
    record.last = Timestamp{rows->integer(7)};
    visit(record);
  }
  return step == Step::done ? Result<void>{} : fail(connection_.error("loading schedules"));
}

Result<void> SqliteJobLedger::load_jobs(const std::function<void(queues::QueueNumber, const JobRow&)>& visit) {
  auto rows = connection_.prepare(fmt::format("{} ORDER BY job", kJobRows));
  if (!rows) return fail(rows.error());
  Step step;
  while ((step = rows->step()) == Step::row) {
    visit(static_cast<queues::QueueNumber>(rows->integer(0) >> kSequenceBits), job_of(*rows));
  }
  return step == Step::done ? Result<void>{} : fail(connection_.error("loading jobs"));
}

Result<void> SqliteJobLedger::find(queues::QueueNumber queue, std::span<const std::uint64_t> sequences,
                                   const std::function<void(const JobRow&)>& visit) {
  auto rows = connection_.prepare(fmt::format("{} WHERE job = ?1", kJobRows));
  if (!rows) return fail(rows.error());
  for (const std::uint64_t sequence : sequences) {
    const Step step = rows->bind(1, key_of(queue, sequence)).step();
    if (step == Step::failed) return fail(connection_.error("reading jobs"));
    if (step == Step::row) visit(job_of(*rows));
    rows->reset();
  }
  return {};
}

}  // namespace scoreline::sqlite
