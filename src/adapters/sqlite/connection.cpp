#include "adapters/sqlite/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>

namespace scoreline::sqlite {
namespace {

// Long enough for a backup tool or a shell that looks in; results wait no longer for a stranger.
constexpr int kBusyTimeoutMs = 5'000;
constexpr std::chrono::milliseconds kRetryWhenFull = std::chrono::seconds{5};
constexpr std::chrono::milliseconds kRetryWhenBusy = std::chrono::seconds{1};

Result<sqlite3*> open_handle(const char* file, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(file, &database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code == SQLITE_OK) return database;
  Failure failure{code, database != nullptr ? sqlite3_system_errno(database) : 0, sqlite3_errstr(code)};
  sqlite3_close(database);
  return fail(to_error(failure, "opening the ledger"));
}

}  // namespace

Trouble trouble_of(const Failure& failure) {
  switch (failure.code & 0xFF) {
    case SQLITE_FULL: return Trouble::full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Trouble::busy;
    case SQLITE_NOMEM: return Trouble::memory;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Trouble::damaged;
    default: break;
  }
  if (failure.code == SQLITE_IOERR_NOMEM) return Trouble::memory;
  // A short write because of a file size limit or a quota is a plain I/O error to SQLite. Only of a write: when a sync
  // or the shared-memory file fails so, the frames of a commit may already lie in the log.
  const int error = failure.system_error;
  const bool no_room = error == ENOSPC || error == EFBIG || error == EDQUOT;
  return failure.code == SQLITE_IOERR_WRITE && no_room ? Trouble::full : Trouble::io;
}

Error to_error(const Failure& failure, std::string_view doing) {
  const std::string detail =
      fmt::format("{}: {} (SQLite {}{})", doing, failure.message, failure.code,
                  failure.system_error != 0 ? fmt::format(", errno {}", failure.system_error) : std::string());
  switch (trouble_of(failure)) {
    case Trouble::full: return Error{Code::storage_full, detail, {}, kRetryWhenFull};
    case Trouble::busy: return Error{Code::storage_failed, detail, {}, kRetryWhenBusy};
    case Trouble::damaged: return Error{Code::damaged, detail, {}, std::nullopt};
    case Trouble::memory:
    case Trouble::io: break;
  }
  return Error{Code::storage_failed, detail, {}, std::nullopt};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

// A failed bind (out of memory) leaves NULL there, which NOT NULL columns then refuse.
Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::uint8_t> blob) {
  sqlite3_bind_blob64(statement_.get(), parameter, blob.data(), blob.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  sqlite3_bind_null(statement_.get(), parameter);
  return *this;
}

Step Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW: return Step::row;
    case SQLITE_DONE: return Step::done;
    default: return Step::failed;
  }
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

bool Statement::run() {
  const bool done = step() == Step::done;
  reset();
  return done;
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER: return Type::integer;
    case SQLITE_TEXT: return Type::text;
    case SQLITE_BLOB: return Type::blob;
    case SQLITE_FLOAT: return Type::real;
    default: return Type::null;
  }
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(data), std::size_t(size));
}

// Anything else means that a statement outlives its connection: both would leak.
void Connection::Close::operator()(sqlite3* database) const { SCORELINE_CHECK(sqlite3_close(database) == SQLITE_OK); }

Result<Connection> Connection::open(const std::filesystem::path& file, Access access) {
  const bool read_only = access == Access::read_only;
  const auto handle =
      open_handle(file.c_str(), read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!handle) return fail(handle.error());
  Connection connection;
  connection.database_.reset(*handle);
  sqlite3_busy_timeout(*handle, kBusyTimeoutMs);
  // A damaged schema must not run functions; a damaged page should be told early.
  const auto set = connection.run(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0;"
      "PRAGMA wal_autocheckpoint = 0;");
  if (!set) return fail(set.error());
  if (read_only) {
    const auto query_only = connection.run("PRAGMA query_only = ON");
    if (!query_only) return fail(query_only.error());
  }
  return connection;
}

Result<Connection> Connection::open_in_memory() {
  const auto handle = open_handle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!handle) return fail(handle.error());
  Connection connection;
  connection.database_.reset(*handle);
  return connection;
}

Result<void> Connection::run(const char* sql) {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(error("running SQL on the ledger"));
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &prepared, nullptr);
  if (code != SQLITE_OK) return fail(error("preparing SQL on the ledger"));
  Statement statement;
  statement.statement_.reset(prepared);
  return statement;
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  if (statement->step() != Step::row) return fail(error("reading the ledger"));
  return statement->integer(0);
}

std::int64_t Connection::changes() const { return sqlite3_changes64(handle()); }

Failure Connection::failure() const {
  const int code = sqlite3_extended_errcode(handle());
  const bool system = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
  const int last = errno;
  const int kept = system ? sqlite3_system_errno(handle()) : 0;
  // SQLite does not keep the number of a write that failed within COMMIT; it is still the thread's last one.
  return Failure{code, system && kept == 0 ? last : kept, sqlite3_errmsg(handle())};
}

}  // namespace scoreline::sqlite
