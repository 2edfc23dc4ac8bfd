#include "base/base64.h"

#include <array>
#include <cstdint>

namespace scoreline {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text.push_back(i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63U]);
    }
  }
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  const auto refuse = [] { return fail(Code::invalid, "is not base64"); };
  if (text.size() % 4 != 0) return refuse();
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t bits = 0;
    std::size_t padding = 0;
    for (const char c : text.substr(i, 4)) {
      const std::size_t digit = kDigits.find(c);
      if (c == '=') ++padding;
      if (c != '=' && (digit == std::string_view::npos || padding > 0)) return refuse();
      bits = bits << 6 | static_cast<std::uint32_t>(c == '=' ? 0 : digit);
    }
    if (padding > 2 || (padding > 0 && i + 4 != text.size())) return refuse();
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<char>(bits >> (16 - 8 * k) & 255U));
  }
  return to_base64(bytes) == text ? Result<std::string>(std::move(bytes)) : refuse();
}

}  // namespace scoreline
