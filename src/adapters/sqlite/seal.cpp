#include "adapters/sqlite/seal.h"

#include <xxhash.h>

#include <bit>
#include <cstring>

namespace scoreline::sqlite {
namespace {

void append_number(std::string& buffer, std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  buffer.append(bytes, sizeof value);
}

}  // namespace

void RowHasher::add(std::int64_t value) {
  buffer_ += 'i';
  append_number(buffer_, static_cast<std::uint64_t>(value));
}

void RowHasher::add_bytes(char type, std::string_view bytes) {
  buffer_ += type;
  append_number(buffer_, bytes.size());
  buffer_.append(bytes);
}

void RowHasher::add_column(const Statement& statement, int column) {
  switch (statement.type(column)) {
    case Statement::Type::integer: add(statement.integer(column)); break;
    case Statement::Type::text: add_text(statement.bytes(column)); break;
    case Statement::Type::blob: add_blob(statement.bytes(column)); break;
    case Statement::Type::null: buffer_ += 'n'; break;
    case Statement::Type::real: buffer_ += 'r'; break;  // in no table of ours: tells damage
  }
}

std::uint64_t RowHasher::digest() const { return XXH3_64bits(buffer_.data(), buffer_.size()); }

std::uint64_t RowHasher::row(Table table, const Statement& statement) {
  begin(table);
  const int columns = statement.columns();
  for (int column = 0; column < columns; ++column) add_column(statement, column);
  return digest();
}

Head seal(const Head& previous, std::string_view kind, const Delta& delta) {
  const std::uint64_t seq = previous.seq + 1;
  std::string buffer;
  append_number(buffer, previous.chain);
  append_number(buffer, seq);
  append_number(buffer, static_cast<std::uint64_t>(delta.rows));
  append_number(buffer, delta.rows_hash);
  buffer.append(kind);
  return Head{seq, XXH3_64bits(buffer.data(), buffer.size())};
}

}  // namespace scoreline::sqlite
