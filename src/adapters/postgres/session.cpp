#include "adapters/postgres/session.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace scoreline::postgres {
namespace {

constexpr int kBinary = 1;
constexpr int kMaxParameters = 16;

using ResultOwner = std::unique_ptr<pg_result, decltype(&PQclear)>;

tl::unexpected<Failure> failed(Failure failure) { return tl::unexpected<Failure>(std::move(failure)); }

int milliseconds_until(Monotonic deadline, Monotonic now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

void Session::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

Attempt<Session> Session::open(const ConnectionUrl& url, const Clock& clock, Monotonic deadline) {
  Session session(url, clock);
  if (auto connected = session.connect(deadline); !connected) return failed(connected.error());
  return session;
}

Attempt<void> Session::connect(Monotonic deadline) {
  // What stands before `dbname` is a default that the URL may overrule.
  const char* const keywords[] = {"fallback_application_name",
                                  "keepalives_idle",
                                  "keepalives_interval",
                                  "keepalives_count",
                                  "dbname",
                                  "client_encoding",
                                  nullptr};
  const char* const values[] = {"scoreline", "10", "5", "3", url_->text().c_str(), "UTF8", nullptr};
  connection_.reset(PQconnectStartParams(keywords, values, /*expand_dbname=*/1));
  if (connection_ == nullptr) return failed(lost("out of memory"));
  if (PQstatus(connection_.get()) == CONNECTION_BAD) return failed(lost_by_libpq());
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    short ready = 0;
    const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!wait(events, deadline, ready)) return failed(lost("no connection in time"));
    state = PQconnectPoll(connection_.get());
    if (state == PGRES_POLLING_FAILED) return failed(lost_by_libpq());
  }
  if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1) {
    return failed(lost_by_libpq());
  }
  return {};
}

bool Session::wait(short events, Monotonic deadline, short& ready) const {
  while (true) {
    pollfd socket{PQsocket(connection_.get()), events, 0};
    const int left = milliseconds_until(deadline, clock_->monotonic());
    const int count = ::poll(&socket, 1, left);
    ready = socket.revents;
    if (count > 0) return true;
    if (left == 0) return false;
  }
}

Attempt<std::vector<Rows>> Session::run(std::span<const Call> calls, Monotonic deadline) {
  if (auto sent = send(calls, deadline); !sent) return failed(sent.error());
  return receive(deadline);
}

Attempt<Rows> Session::run(const Call& call, Monotonic deadline) {
  auto rows = run(std::span(&call, 1), deadline);
  if (!rows) return failed(rows.error());
  return std::move(rows->front());
}

Attempt<void> Session::send(std::span<const Call> calls, Monotonic deadline) {
  SCORELINE_CHECK(steps_.empty() && connection_ != nullptr);
  pg_conn* const connection = connection_.get();
  for (const Call& call : calls) {
    const Statement* const statement = call.statement;
    const Parameters& parameters = call.parameters;
    SCORELINE_CHECK(parameters.size() <= kMaxParameters);
    const char* values[kMaxParameters];
    int lengths[kMaxParameters], formats[kMaxParameters];
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      values[i] = parameters.data(i);
      lengths[i] = parameters.length(i);
      formats[i] = kBinary;
    }
    const bool known =
        std::any_of(steps_.begin(), steps_.end(), [&](const Step& s) { return s.statement == statement; });
    if (!known && !prepared_.contains(statement->name)) {
      if (PQsendPrepare(connection, statement->name, statement->sql, 0, nullptr) != 1) return failed(lost_by_libpq());
      steps_.push_back({statement, true});
    }
    if (PQsendQueryPrepared(connection, statement->name, static_cast<int>(parameters.size()), values, lengths, formats,
                            kBinary) != 1) {
      return failed(lost_by_libpq());
    }
    steps_.push_back({statement, false});
  }
  if (PQpipelineSync(connection) != 1) return failed(lost_by_libpq());
  return flush(deadline);
}

Attempt<void> Session::flush(Monotonic deadline) {
  while (true) {
    const int left = PQflush(connection_.get());
    if (left == 0) return {};
    if (left < 0) return failed(lost_by_libpq());
    short ready = 0;
    if (!wait(POLLIN | POLLOUT, deadline, ready)) return failed(too_late());  // the end was not sent: nothing is kept
    // The server may have to get rid of its answers before it reads on.
    if ((ready & POLLIN) != 0 && PQconsumeInput(connection_.get()) != 1) return failed(lost_by_libpq());
  }
}

Attempt<pg_result*> Session::next(Monotonic deadline) {
  while (PQisBusy(connection_.get()) != 0) {
    short ready = 0;
    if (!wait(POLLIN, deadline, ready)) return failed(too_late());
    if (PQconsumeInput(connection_.get()) != 1) break;  // the result tells of it
  }
  return PQgetResult(connection_.get());
}

Attempt<std::vector<Rows>> Session::receive(Monotonic deadline) {
  const std::vector<Step> steps = std::exchange(steps_, {});
  std::vector<Rows> rows;
  std::optional<Failure> first;
  std::size_t answered = 0;
  // Which of the failures counts, and whether it is certain; see the top of session.h.
  const auto give_up = [&](Failure failure) {
    failure.may_be_kept = failure.state.empty() || (failure.connection_lost && answered == steps.size());
    if (first) failure = *std::move(first);
    failure.connection_lost = true;
    connection_.reset();
    return failed(std::move(failure));
  };
  for (const Step& step : steps) {
    auto got = next(deadline);
    if (!got) return give_up(got.error());
    ResultOwner result(*got, PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      ++answered;
      if (step.prepares) {
        prepared_.insert(step.statement->name);
      } else {
        rows.emplace_back(result.release());
      }
    } else if (status != PGRES_PIPELINE_ABORTED) {
      Failure failure = failure_of(result.get());
      if (failure.connection_lost) return give_up(std::move(failure));
      if (!first) first = std::move(failure);
    }
    const auto end = next(deadline);
    if (!end) return give_up(end.error());
    if (const ResultOwner more(*end, PQclear); more != nullptr) return give_up(failure_of(more.get()));
  }
  const auto got = next(deadline);
  if (!got) return give_up(got.error());
  const ResultOwner sync(*got, PQclear);
  if (PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) return give_up(failure_of(sync.get()));
  if (first) return failed(*std::move(first));
  return rows;
}

Attempt<void> Session::run_script(const char* sql, Monotonic deadline) {
  pg_conn* const connection = connection_.get();
  if (PQexitPipelineMode(connection) != 1 || PQsendQuery(connection, sql) != 1) return failed(lost_by_libpq());
  if (auto flushed = flush(deadline); !flushed) return flushed;
  std::optional<Failure> first;
  while (true) {
    auto got = next(deadline);
    if (!got) {
      got.error().may_be_kept = true;
      return failed(got.error());
    }
    if (*got == nullptr) break;
    const ResultOwner result(*got, PQclear);
    if (PQresultStatus(result.get()) != PGRES_FATAL_ERROR) continue;
    Failure failure = failure_of(result.get());
    failure.may_be_kept = failure.state.empty();
    if (!first) first = std::move(failure);
    if (first->connection_lost) return failed(*std::move(first));
  }
  if (PQenterPipelineMode(connection) != 1) return failed(lost_by_libpq());
  if (first) return failed(*std::move(first));
  return {};
}

bool Session::is_alive() {
  if (connection_ == nullptr || PQstatus(connection_.get()) != CONNECTION_OK) return false;
  pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
  if (::poll(&socket, 1, 0) == 0) return true;
  // Nothing is expected here but a farewell, or news of a changed setting. The end of the stream comes second.
  for (int i = 0; i < 2; ++i) {
    if (PQconsumeInput(connection_.get()) != 1) return false;
    PQisBusy(connection_.get());
  }
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

int Session::server_version() const { return PQserverVersion(connection_.get()); }

Failure Session::failure_of(const pg_result* result) const {
  const auto field = [result](int code) {
    const char* const text = PQresultErrorField(result, code);
    return std::string(text == nullptr ? "" : text);
  };
  Failure failure{field(PG_DIAG_SQLSTATE), field(PG_DIAG_MESSAGE_PRIMARY), false, false};
  if (failure.message.empty()) failure.message = PQresultErrorMessage(result);
  if (failure.message.empty()) failure.message = PQerrorMessage(connection_.get());
  failure.message = url_->redacted(failure.message);
  // A session that waited too long in a transaction, or whose server stops, ends with a FATAL error.
  failure.connection_lost =
      field(PG_DIAG_SEVERITY_NONLOCALIZED) == "FATAL" || PQstatus(connection_.get()) != CONNECTION_OK;
  return failure;
}

Failure Session::lost(std::string message) {
  Failure failure{{}, url_->redacted(message), true, false};
  connection_.reset();
  return failure;
}

Failure Session::lost_by_libpq() { return lost(PQerrorMessage(connection_.get())); }

Failure Session::too_late() { return lost("no answer in time"); }

}  // namespace scoreline::postgres
