#include "base/uuid.h"

namespace scoreline {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

Result<Uuid> parse_uuid(std::string_view text) {
  const auto refuse = [] { return fail(Code::invalid, "must be a UUID, like 82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6"); };
  if (text.size() != 36) return refuse();
  Uuid uuid;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    if (dash_before(i) && text[at++] != '-') return refuse();
    const int high = hex_value(text[at++]);
    const int low = hex_value(text[at++]);
    if (high < 0 || low < 0) return refuse();
    uuid.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return uuid;
}

std::string format_uuid(const Uuid& uuid) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < 16; ++i) {
    if (dash_before(i)) text += '-';
    text += kHex[uuid.bytes[i] >> 4];
    text += kHex[uuid.bytes[i] & 15];
  }
  return text;
}

Uuid new_uuid_v7(Timestamp now, Random& random) {
  const std::uint64_t high = (static_cast<std::uint64_t>(now.ms) << 16) | 0x7000 | (random.bits() & 0x0FFF);
  const std::uint64_t low = (random.bits() & 0x3FFF'FFFF'FFFF'FFFF) | 0x8000'0000'0000'0000;
  Uuid uuid;
  for (std::size_t i = 0; i < 8; ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    uuid.bytes[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return uuid;
}

Uuid uuid_v8(const std::array<std::uint8_t, 16>& bits) {
  Uuid uuid{bits};
  uuid.bytes[6] = static_cast<std::uint8_t>((bits[6] & 0x0F) | 0x80);
  uuid.bytes[8] = static_cast<std::uint8_t>((bits[8] & 0x3F) | 0x80);
  return uuid;
}

}  // namespace scoreline
