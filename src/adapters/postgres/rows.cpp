#include "adapters/postgres/rows.h"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>

#include "adapters/postgres/parameters.h"
#include "base/error.h"

namespace scoreline::postgres {

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

int Rows::size() const { return PQntuples(result_.get()); }

std::int64_t Rows::affected() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t rows = 0;
  std::from_chars(text.data(), text.data() + text.size(), rows);
  return rows;
}

bool Rows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }

std::string_view Rows::bytes(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::integer(int row, int column) const {
  const std::string_view all = bytes(row, column);
  SCORELINE_CHECK(!all.empty() && all.size() <= sizeof(std::int64_t));
  std::uint64_t value = (all.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : all) value = value << 8 | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(value);
}

Timestamp Rows::time(int row, int column) const { return from_timestamptz(integer(row, column)); }

std::optional<Timestamp> Rows::optional_time(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(time(row, column));
}

Uuid Rows::uuid(int row, int column) const {
  const std::string_view all = bytes(row, column);
  Uuid uuid;
  SCORELINE_CHECK(all.size() == uuid.bytes.size());
  std::transform(all.begin(), all.end(), uuid.bytes.begin(), [](char byte) { return static_cast<std::uint8_t>(byte); });
  return uuid;
}

}  // namespace scoreline::postgres
