#include "adapters/postgres/writer_session.h"

#include <algorithm>
#include <utility>

namespace scoreline::postgres {
namespace {

// The lock is there before the row can be seen. Its first half is the table's own number, so that ledgers in other
// schemas of the database have other locks.
constexpr Statement kEnter{
    "enter_writer",
    "WITH entered AS (INSERT INTO writers(since) VALUES (pg_snapshot_xmin(pg_current_snapshot())::text::bigint) "
    "RETURNING writer) SELECT writer, pg_advisory_lock('writers'::regclass::oid::integer, writer) FROM entered"};
constexpr Statement kMark{
    "mark_writer",
    "UPDATE writers SET since = pg_snapshot_xmin(pg_current_snapshot())::text::bigint WHERE writer = $1::integer"};
constexpr Statement kUnmark{"unmark_writer", "UPDATE writers SET since = NULL WHERE writer = $1::integer"};
constexpr Statement kLeftBehind{
    "left_behind",
    "SELECT writer, since FROM writers WHERE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND classid = 'writers'::regclass::oid AND objid = writer::oid AND objsubid = 2 AND granted)"};
constexpr Statement kForget{"forget_writers", "DELETE FROM writers WHERE writer = ANY($1::integer[])"};

}  // namespace

Attempt<std::vector<Rows>> WriterSession::run(std::span<const Call> calls, Monotonic deadline) {
  if (!marked_) {
    if (const auto marked = mark(deadline); !marked) return tl::unexpected<Failure>(marked.error());
  }
  return session_.run(calls, deadline);
}

Attempt<void> WriterSession::mark(Monotonic deadline) {
  Call call{number_ ? &kMark : &kEnter, {}};
  if (number_) call.parameters.add(*number_);
  const auto marked = session_.run(call, deadline);
  if (!marked) {
    Failure failure = marked.error();
    failure.may_be_kept = false;  // a mark too many does no harm
    return tl::unexpected<Failure>(std::move(failure));
  }
  if (number_ && marked->affected() == 0) {  // somebody deleted our row
    number_.reset();
    return mark(deadline);
  }
  if (!number_) number_ = static_cast<std::int32_t>(marked->integer(0, 0));
  marked_ = true;
  return {};
}

Attempt<void> WriterSession::unmark(Monotonic deadline) {
  if (!marked_) return {};
  Call call{&kUnmark, {}};
  call.parameters.add(*number_);
  if (const auto unmarked = session_.run(call, deadline); !unmarked) {
    return tl::unexpected<Failure>(unmarked.error());
  }
  marked_ = false;
  return {};
}

void WriterSession::leave(Monotonic deadline) {
  if (!number_ || marked_ || !session_.is_alive()) return;
  static_cast<void>(session_.run(forget_writers_call({&*number_, 1}), deadline));
}

Call left_behind_call() { return {&kLeftBehind, {}}; }

LeftBehind left_behind_of(const Rows& rows) {
  LeftBehind left;
  for (int row = 0; row < rows.size(); ++row) {
    left.writers.push_back(static_cast<std::int32_t>(rows.integer(row, 0)));
    if (rows.is_null(row, 1)) continue;
    const std::int64_t since = rows.integer(row, 1);
    left.since = left.since ? std::min(*left.since, since) : since;
  }
  return left;
}

Call forget_writers_call(std::span<const std::int32_t> writers) {
  Array numbers(Type::int4, writers.size());
  for (const std::int32_t writer : writers) numbers.add(writer);
  Call call{&kForget, {}};
  call.parameters.add(std::move(numbers));
  return call;
}

}  // namespace scoreline::postgres
