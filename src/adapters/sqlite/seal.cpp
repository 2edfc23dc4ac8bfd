#include "adapters/sqlite/seal.h"

#include <xxhash.h>

#include <bit>
#include <cstring>
#include <iterator>

namespace scoreline::sqlite {
namespace {

/// Little-endian, so that a ledger can move to another machine.
void put_number(char* at, std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

void RowHasher::begin(Table table) {
  used_ = 0;
  *grow(1) = static_cast<char>(table);
}

char* RowHasher::grow(std::size_t bytes) {
  if (buffer_.size() - used_ < bytes) buffer_.resize(2 * (used_ + bytes));
  char* const at = buffer_.data() + used_;
  used_ += bytes;
  return at;
}

void RowHasher::add(std::int64_t value) {
  char* const at = grow(1 + sizeof value);
  *at = 'i';
  put_number(at + 1, static_cast<std::uint64_t>(value));
}

void RowHasher::add_bytes(char type, std::string_view bytes) {
  char* const at = grow(1 + sizeof(std::uint64_t) + bytes.size());
  *at = type;
  put_number(at + 1, bytes.size());
  bytes.copy(at + 1 + sizeof(std::uint64_t), bytes.size());
}

void RowHasher::add_column(const Statement& statement, int column) {
  switch (statement.type(column)) {
    case Statement::Type::integer: add(statement.integer(column)); break;
    case Statement::Type::text: add_text(statement.bytes(column)); break;
    case Statement::Type::blob: add_blob(statement.bytes(column)); break;
    case Statement::Type::null: *grow(1) = 'n'; break;
    case Statement::Type::real: *grow(1) = 'r'; break;  // in no table of ours: tells damage
  }
}

std::uint64_t RowHasher::digest() const { return XXH3_64bits(buffer_.data(), used_); }

std::uint64_t RowHasher::row(Table table, const Statement& statement) {
  begin(table);
  int columns = statement.columns();
  // A column that ledgers of old did not have.
  if (table == Table::match_results && statement.integer(columns - 1) == 0) --columns;
  for (int column = 0; column < columns; ++column) add_column(statement, column);
  return digest();
}

Head seal(const Head& previous, std::string_view kind, const Delta& delta) {
  const std::uint64_t seq = previous.seq + 1;
  std::string buffer(4 * sizeof(std::uint64_t), '\0');
  const std::uint64_t numbers[] = {previous.chain, seq, static_cast<std::uint64_t>(delta.rows), delta.rows_hash};
  for (std::size_t i = 0; i < std::size(numbers); ++i) put_number(buffer.data() + i * sizeof numbers[i], numbers[i]);
  buffer.append(kind);
  return Head{seq, XXH3_64bits(buffer.data(), buffer.size())};
}

}  // namespace scoreline::sqlite
