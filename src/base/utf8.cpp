#include "base/utf8.h"

#include <cstddef>

namespace scoreline {

namespace {

/// Bytes of the character that begins at `i`; 0 when none does.
std::size_t character_at(std::string_view bytes, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  // Table 3-7 of the Unicode Standard: the second byte's range depends on the first.
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (bytes.size() - i < length) return 0;
  if (byte(i + 1) < low || byte(i + 1) > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = character_at(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return true;
    // U+0080..U+009F are C2 80..C2 9F.
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

std::string visible_text(std::string_view bytes, std::size_t max_bytes) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = character_at(bytes, i);
    std::string_view character = bytes.substr(i, length);
    if (length == 0 || has_control_character(character)) character = kReplacement;
    if (text.size() + character.size() > max_bytes) break;
    text.append(character);
    i += length == 0 ? 1 : length;
  }
  return text;
}

}  // namespace scoreline
