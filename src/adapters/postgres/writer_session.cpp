#include "adapters/postgres/writer_session.h"

#include <algorithm>
#include <utility>

namespace scoreline::postgres {
namespace {

// What the session records from now on has greater transaction numbers than the one that marks it. The lock is there
// before the row can be seen. Its first half is the table's own number, so that ledgers in other schemas of the
// database have other locks.
constexpr Statement kEnter{
    "enter_writer",
    "WITH entered AS (INSERT INTO writers(since) VALUES (pg_current_xact_id()::text::bigint) RETURNING writer, since) "
    "SELECT writer, since, pg_advisory_lock('writers'::regclass::oid::integer, writer) FROM entered"};
constexpr Statement kMark{
    "mark_writer",
    "UPDATE writers SET since = pg_current_xact_id()::text::bigint WHERE writer = $1::integer RETURNING writer, since"};
constexpr Statement kUnmark{"unmark_writer",
                            "UPDATE writers SET since = NULL WHERE writer = $1::integer AND since = $2::bigint"};
constexpr Statement kLeftBehind{
    "left_behind",
    "SELECT writer, since FROM writers WHERE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND classid = 'writers'::regclass::oid AND objid = writer::oid AND objsubid = 2 AND granted)"};
constexpr Statement kForget{"forget_writers", "DELETE FROM writers WHERE writer = ANY($1::integer[])"};

}  // namespace

Attempt<std::vector<Rows>> WriterSession::run(std::span<const Call> calls, Monotonic deadline) {
  if (!since_) {
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
  if (marked->size() == 0) {  // somebody deleted our row
    number_.reset();
    return mark(deadline);
  }
  number_ = static_cast<std::int32_t>(marked->integer(0, 0));
  since_ = marked->integer(0, 1);
  return {};
}

std::optional<Mark> WriterSession::unmark() {
  if (!since_) return std::nullopt;
  return Mark{*number_, *std::exchange(since_, std::nullopt)};
}

Call unmark_call(const Mark& mark) {
  Call call{&kUnmark, {}};
  call.parameters.add(mark.writer).add(mark.since);
  return call;
}

void WriterSession::leave(Monotonic deadline) {
  if (!number_ || since_ || !session_.is_alive()) return;
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
