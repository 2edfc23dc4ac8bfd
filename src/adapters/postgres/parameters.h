// The values of one call, in PostgreSQL's binary format: exact, and never part of the SQL.
//
// Formats: the *_send functions of each type in PostgreSQL's sources; all integers in network order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "base/uuid.h"

namespace scoreline::postgres {

/// Microseconds since 2000-01-01T00:00:00Z, as timestamptz has it.
constexpr std::int64_t to_timestamptz(Timestamp at) { return (at.ms - 946'684'800'000) * 1'000; }
/// Rounded down to milliseconds.
constexpr Timestamp from_timestamptz(std::int64_t us) {
  const std::int64_t ms = us / 1'000 - (us % 1'000 < 0 ? 1 : 0);
  return {ms + 946'684'800'000};
}

/// Object ids of types, fixed for ever (pg_type.dat).
enum class Type : std::uint32_t { bytea = 17, int8 = 20, int4 = 23, text = 25, timestamptz = 1184, uuid = 2950 };

/// A one-dimensional array. The kind of what is added must fit its type.
class Array {
 public:
  Array(Type type, std::size_t elements);
  void add(std::string_view text);  // or bytes
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(Timestamp at) { add(to_timestamptz(at)); }
  void add(const Uuid& uuid);
  void add_null();

 private:
  friend class Parameters;
  std::string bytes_;
};

class Parameters {
 public:
  Parameters& add(std::string_view text);
  Parameters& add(std::int32_t value);
  Parameters& add(std::int64_t value);
  Parameters& add(std::optional<Timestamp> at);  // nullopt: NULL
  Parameters& add(const Uuid& uuid);
  Parameters& add_null();
  Parameters& add(Array array);
  /// A text array.
  Parameters& add(std::span<const std::string> texts);

  std::size_t size() const { return values_.size(); }
  /// nullptr for NULL.
  const char* data(std::size_t i) const { return values_[i] ? values_[i]->data() : nullptr; }
  int length(std::size_t i) const { return values_[i] ? static_cast<int>(values_[i]->size()) : 0; }

 private:
  std::vector<std::optional<std::string>> values_;
};

}  // namespace scoreline::postgres
