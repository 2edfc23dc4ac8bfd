// The rows that one call gave, in PostgreSQL's binary format.
//
// Thread safety: none. Views live as long as the Rows they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/timestamp.h"
#include "base/uuid.h"

struct pg_result;

namespace scoreline::postgres {

class Rows {
 public:
  /// Takes the result over.
  explicit Rows(pg_result* result) : result_(result) {}

  int size() const;
  /// Rows that the statement inserted, changed or deleted.
  std::int64_t affected() const;

  bool is_null(int row, int column) const;
  std::string_view bytes(int row, int column) const;
  /// Of int2, int4, int8, bool.
  std::int64_t integer(int row, int column) const;
  Timestamp time(int row, int column) const;
  std::optional<Timestamp> optional_time(int row, int column) const;
  Uuid uuid(int row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace scoreline::postgres
