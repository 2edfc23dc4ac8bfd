#include "adapters/postgres/job_batch.h"

#include <span>
#include <utility>

#include "queues/option_fields.h"

namespace scoreline::postgres {

using queues::Change;
using queues::JobChange;
using queues::StoredJob;

namespace {

// What one call carries: little enough for its deadline.
constexpr std::size_t kMaxRows = 1'000;
constexpr std::size_t kMaxBytes = 1024 * 1024;

constexpr Statement kPutQueues{
    "put_job_queues",
    "INSERT INTO job_queues(number, name, paused, options) "
    "SELECT number, name, paused <> 0, options FROM unnest($1::integer[], $2::text[], $3::integer[], $4::text[]) "
    "AS queue(number, name, paused, options) "
    "ON CONFLICT (number) DO UPDATE SET paused = EXCLUDED.paused, options = EXCLUDED.options"};
constexpr Statement kPutSchedules{
    "put_job_schedules",
    "INSERT INTO job_schedules(queue, name, cron, time_zone, payload, priority, max_attempts, last_tick) "
    "SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::integer[], "
    "$7::integer[], $8::bigint[]) "
    "ON CONFLICT (queue, name) DO UPDATE SET cron = EXCLUDED.cron, time_zone = EXCLUDED.time_zone, "
    "payload = EXCLUDED.payload, priority = EXCLUDED.priority, max_attempts = EXCLUDED.max_attempts, "
    "last_tick = EXCLUDED.last_tick"};
constexpr Statement kDropSchedules{
    "drop_job_schedules",
    "DELETE FROM job_schedules USING unnest($1::integer[], $2::text[]) AS gone(queue, name) "
    "WHERE job_schedules.queue = gone.queue AND job_schedules.name = gone.name"};
constexpr Statement kAdd{
    "add_jobs",
    "INSERT INTO jobs(queue, sequence, state, priority, cause, max_attempts, failures, crashes, lease_ms, run_at, "
    "until, receipt, reason, id, payload) "
    "SELECT * FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], "
    "$7::integer[], $8::integer[], $9::integer[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[], "
    "$14::text[], $15::bytea[]) "
    "ON CONFLICT (queue, sequence) DO UPDATE SET state = EXCLUDED.state, priority = EXCLUDED.priority, "
    "cause = EXCLUDED.cause, max_attempts = EXCLUDED.max_attempts, failures = EXCLUDED.failures, "
    "crashes = EXCLUDED.crashes, lease_ms = EXCLUDED.lease_ms, run_at = EXCLUDED.run_at, until = EXCLUDED.until, "
    "receipt = EXCLUDED.receipt, reason = EXCLUDED.reason, id = EXCLUDED.id, payload = EXCLUDED.payload"};
constexpr Statement kUpdate{
    "update_jobs",
    "UPDATE jobs SET state = job.state, priority = job.priority, cause = job.cause, "
    "max_attempts = job.max_attempts, failures = job.failures, crashes = job.crashes, lease_ms = job.lease_ms, "
    "run_at = job.run_at, until = job.until, receipt = job.receipt, reason = job.reason "
    "FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], "
    "$7::integer[], $8::integer[], $9::integer[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[]) "
    "AS job(queue, sequence, state, priority, cause, max_attempts, failures, crashes, lease_ms, run_at, until, "
    "receipt, reason) WHERE jobs.queue = job.queue AND jobs.sequence = job.sequence"};
constexpr Statement kEmpty{
    "empty_jobs",
    "UPDATE jobs SET payload = '' FROM unnest($1::integer[], $2::bigint[]) AS job(queue, sequence) "
    "WHERE jobs.queue = job.queue AND jobs.sequence = job.sequence"};
constexpr Statement kRemove{"remove_jobs",
                            "DELETE FROM jobs USING unnest($1::integer[], $2::bigint[]) AS job(queue, sequence) "
                            "WHERE jobs.queue = job.queue AND jobs.sequence = job.sequence"};
constexpr Statement kReadQueues{"read_job_queues", "SELECT number, name, paused, options FROM job_queues"};
constexpr Statement kReadSchedules{
    "read_job_schedules",
    "SELECT queue, name, cron, time_zone, payload, priority, max_attempts, last_tick FROM job_schedules"};
constexpr Statement kOpenJobs{
    "open_jobs",
    "DECLARE jobs_cursor NO SCROLL CURSOR FOR SELECT queue, sequence, state, priority, cause, max_attempts, failures, "
    "crashes, lease_ms, run_at, until, receipt, reason, id, payload FROM jobs"};

constexpr Statement kFindJobs{"find_jobs",
                              "SELECT queue, sequence, state, priority, cause, max_attempts, failures, crashes, "
                              "lease_ms, run_at, until, receipt, "
                              "reason, id, payload FROM jobs WHERE queue = $1 AND sequence = ANY($2::bigint[])"};

Call call_of(const Statement& statement, std::span<Array> arrays) {
  Call call{&statement, {}};
  for (Array& array : arrays) call.parameters.add(std::move(array));
  return call;
}

Call put_queues(std::span<const queues::QueueRecord> records) {
  const std::size_t rows = records.size();
  Array arrays[] = {{Type::int4, rows}, {Type::text, rows}, {Type::int4, rows}, {Type::text, rows}};
  for (const queues::QueueRecord& record : records) {
    arrays[0].add(static_cast<std::int32_t>(record.number));
    arrays[1].add(std::string_view(record.name));
    arrays[2].add(std::int32_t{record.paused});
    arrays[3].add(std::string_view(queues::format_options(record.options)));
  }
  return call_of(kPutQueues, arrays);
}

Call put_schedules(std::span<const queues::ScheduleRecord* const> records) {
  const std::size_t rows = records.size();
  Array arrays[] = {{Type::int4, rows},  {Type::text, rows}, {Type::text, rows}, {Type::text, rows},
                    {Type::bytea, rows}, {Type::int4, rows}, {Type::int4, rows}, {Type::int8, rows}};
  for (const auto* const record : records) {
    const queues::Schedule& schedule = record->schedule;
    arrays[0].add(static_cast<std::int32_t>(record->queue));
    arrays[1].add(std::string_view(schedule.name));
    arrays[2].add(std::string_view(schedule.cron));
    arrays[3].add(std::string_view(schedule.time_zone));
    arrays[4].add(std::string_view(schedule.payload));
    arrays[5].add(std::int32_t{schedule.priority});
    schedule.max_attempts ? arrays[6].add(std::int32_t{*schedule.max_attempts}) : arrays[6].add_null();
    arrays[7].add(record->last.ms);
  }
  return call_of(kPutSchedules, arrays);
}

Call drop_schedules(std::span<const queues::ScheduleRecord* const> records) {
  Array arrays[] = {{Type::int4, records.size()}, {Type::text, records.size()}};
  for (const auto* const record : records) {
    arrays[0].add(static_cast<std::int32_t>(record->queue));
    arrays[1].add(std::string_view(record->schedule.name));
  }
  return call_of(kDropSchedules, arrays);
}

Call by_key(const Statement& statement, std::span<const JobChange* const> changes) {
  Array arrays[] = {{Type::int4, changes.size()}, {Type::int8, changes.size()}};
  for (const JobChange* const change : changes) {
    arrays[0].add(static_cast<std::int32_t>(change->queue));
    arrays[1].add(static_cast<std::int64_t>(change->job.sequence));
  }
  return call_of(statement, arrays);
}

/// With `added`, id and payload too.
Call put_jobs(std::span<const JobChange* const> changes, bool added) {
  const std::size_t rows = changes.size();
  std::vector<Array> arrays;
  for (const Type type : {Type::int4, Type::int8, Type::int4, Type::int4, Type::int4, Type::int4, Type::int4,
                          Type::int4, Type::int4, Type::int8, Type::int8, Type::int8, Type::bytea}) {
    arrays.emplace_back(type, rows);
  }
  if (added) {
    arrays.emplace_back(Type::text, rows);
    arrays.emplace_back(Type::bytea, rows);
  }
  for (const JobChange* const change : changes) {
    const StoredJob& job = change->job;
    std::size_t at = 0;
    const auto add = [&](auto value) { arrays[at++].add(value); };
    add(static_cast<std::int32_t>(change->queue));
    add(static_cast<std::int64_t>(job.sequence));
    add(static_cast<std::int32_t>(job.state));
    add(std::int32_t{job.priority});
    add(static_cast<std::int32_t>(job.cause));
    add(std::int32_t{job.max_attempts});
    add(std::int32_t{job.failures});
    add(std::int32_t{job.crashes});
    add(static_cast<std::int32_t>(job.lease_ms));
    add(job.run_at.ms);
    add(job.until.ms);
    add(static_cast<std::int64_t>(job.receipt.bits));
    add(std::string_view(job.reason));
    if (!added) continue;
    add(std::string_view(job.id));
    add(std::string_view(job.payload));
  }
  return call_of(added ? kAdd : kUpdate, arrays);
}

std::size_t bytes_of(const JobChange& change) { return change.job.payload.size() + change.job.reason.size(); }
std::size_t bytes_of(const queues::ScheduleRecord& record) { return record.schedule.payload.size(); }

/// `each` with parts of those among `all` for which `is_wanted`.
template <typename Record, typename Wanted, typename Each>
void in_parts(const std::vector<Record>& all, Wanted is_wanted, Each each) {
  std::vector<const Record*> part;
  std::size_t bytes = 0;
  const auto send = [&] {
    if (!part.empty()) each(std::span<const Record* const>(part));
    part.clear();
    bytes = 0;
  };
  for (const Record& record : all) {
    if (!is_wanted(record)) continue;
    if (part.size() == kMaxRows || bytes + bytes_of(record) > kMaxBytes) send();
    part.push_back(&record);
    bytes += bytes_of(record);
  }
  send();
}

}  // namespace

std::vector<Call> calls_of(const queues::LedgerBatch& batch) {
  std::vector<Call> calls;
  if (!batch.queues.empty()) calls.push_back(put_queues(batch.queues));
  using queues::ScheduleRecord;
  in_parts(
      batch.schedules, [](const ScheduleRecord& record) { return !record.dropped; },
      [&](auto part) { calls.push_back(put_schedules(part)); });
  in_parts(
      batch.schedules, [](const ScheduleRecord& record) { return record.dropped; },
      [&](auto part) { calls.push_back(drop_schedules(part)); });
  const auto changes = [&](auto is_wanted, auto each) {
    in_parts(
        batch.jobs, [&](const JobChange& change) { return is_wanted(change.change); }, each);
  };
  changes([](Change change) { return change == Change::added; },
          [&](auto part) { calls.push_back(put_jobs(part, true)); });
  changes([](Change change) { return change == Change::updated || change == Change::emptied; },
          [&](auto part) { calls.push_back(put_jobs(part, false)); });
  changes([](Change change) { return change == Change::emptied; },
          [&](auto part) { calls.push_back(by_key(kEmpty, part)); });
  changes([](Change change) { return change == Change::removed; },
          [&](auto part) { calls.push_back(by_key(kRemove, part)); });
  return calls;
}

Call read_queues_call() { return {&kReadQueues, {}}; }
Call read_schedules_call() { return {&kReadSchedules, {}}; }
Call open_jobs_call() { return {&kOpenJobs, {}}; }

Call find_jobs_call(queues::QueueNumber queue, std::span<const std::uint64_t> sequences) {
  Array array(Type::int8, sequences.size());
  for (const std::uint64_t sequence : sequences) array.add(static_cast<std::int64_t>(sequence));
  Call call{&kFindJobs, {}};
  call.parameters.add(static_cast<std::int32_t>(queue)).add(std::move(array));
  return call;
}

std::string_view options_text_of(const Rows& rows, int row) { return rows.bytes(row, 3); }

queues::QueueRecord queue_of(const Rows& rows, int row, queues::QueueOptions options) {
  return {static_cast<queues::QueueNumber>(rows.integer(row, 0)), std::string(rows.bytes(row, 1)), options,
          rows.integer(row, 2) != 0};
}

queues::ScheduleRecord schedule_of(const Rows& rows, int row) {
  queues::ScheduleRecord record;
  record.queue = queue_number_of(rows, row);
  queues::Schedule& schedule = record.schedule;
  schedule.name = rows.bytes(row, 1);
  schedule.cron = rows.bytes(row, 2);
  schedule.time_zone = rows.bytes(row, 3);
  schedule.payload = rows.bytes(row, 4);
  schedule.priority = static_cast<int>(rows.integer(row, 5));
  if (!rows.is_null(row, 6)) schedule.max_attempts = static_cast<int>(rows.integer(row, 6));
  record.last = Timestamp{rows.integer(row, 7)};
  return record;
}

queues::QueueNumber queue_number_of(const Rows& rows, int row) {
  return static_cast<queues::QueueNumber>(rows.integer(row, 0));
}

queues::JobRow job_of(const Rows& rows, int row) {
  queues::JobRow job;
  job.sequence = static_cast<std::uint64_t>(rows.integer(row, 1));
  job.state = static_cast<queues::JobState>(rows.integer(row, 2));
  job.priority = static_cast<std::uint8_t>(rows.integer(row, 3));
  job.cause = static_cast<queues::DeadCause>(rows.integer(row, 4));
  job.max_attempts = static_cast<std::uint16_t>(rows.integer(row, 5));
  job.failures = static_cast<std::uint16_t>(rows.integer(row, 6));
  job.crashes = static_cast<std::uint16_t>(rows.integer(row, 7));
  job.lease_ms = static_cast<std::uint32_t>(rows.integer(row, 8));
  job.run_at = Timestamp{rows.integer(row, 9)};
  job.until = Timestamp{rows.integer(row, 10)};
  job.receipt.bits = static_cast<std::uint64_t>(rows.integer(row, 11));
  job.reason = rows.bytes(row, 12);
  job.id = rows.bytes(row, 13);
  job.payload = rows.bytes(row, 14);
  return job;
}

}  // namespace scoreline::postgres
