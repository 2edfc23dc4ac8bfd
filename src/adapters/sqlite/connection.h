// One SQLite connection and its prepared statements, with errors as values.
//
// Thread safety: none; the owner of a connection guards it and its statements.
// Invariants: values reach SQL through bind() only; a statement does not outlive its connection.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace scoreline::sqlite {

/// Why a call to SQLite failed.
struct Failure {
  int code = 0;          ///< extended result code
  int system_error = 0;  ///< errno of the system call, or 0
  std::string message;
};

/// What a failure means to us.
enum class Trouble {
  full,     ///< no room: disk, quota, file size limit
  busy,     ///< another program holds the database
  memory,   ///< an allocation failed
  damaged,  ///< the file is not what SQLite wrote
  io,       ///< everything else: after it nothing about the disk is certain
};
Trouble trouble_of(const Failure& failure);

/// Codes: storage_full (with retry_after), storage_failed, damaged. `doing` names what failed: `reading results`.
Error to_error(const Failure& failure, std::string_view doing);

enum class Step { row, done, failed };

class Statement {
 public:
  Statement() = default;

  Statement& bind(int parameter, std::int64_t value);
  /// The text must live until reset().
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::span<const std::uint8_t> blob);
  Statement& bind_null(int parameter);

  Step step();
  void reset();
  /// One step that must give no row, then reset.
  [[nodiscard]] bool run();

  enum class Type : std::uint8_t { integer, text, blob, null, real };
  int columns() const;
  Type type(int column) const;
  std::int64_t integer(int column) const;
  /// Of text and blob; lives until the next step.
  std::string_view bytes(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Access { read_write, read_only };

class Connection {
 public:
  /// read_write makes the file when it is not there. read_only needs a database in WAL mode.
  static Result<Connection> open(const std::filesystem::path& file, Access access);
  /// An empty database in memory.
  static Result<Connection> open_in_memory();

  /// Runs SQL that gives no rows we want. For fixed text only.
  [[nodiscard]] Result<void> run(const char* sql);
  Result<Statement> prepare(std::string_view sql);
  /// The one integer that `sql` gives.
  Result<std::int64_t> integer(std::string_view sql);

  /// Rows that the last statement inserted, changed or deleted.
  std::int64_t changes() const;
  Failure failure() const;
  Error error(std::string_view doing) const { return to_error(failure(), doing); }
  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace scoreline::sqlite
