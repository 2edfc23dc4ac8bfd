#include "http/json_text.h"

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"

namespace scoreline::http {
namespace {

constexpr bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

/// ASCII that stands for itself: most of what is written.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return !needs_escape(c) && static_cast<unsigned char>(c) < 0x80; });
}

void append_escaped(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

void append_valid(std::string& out, std::string_view text) {
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    out += text.substr(plain, i - plain);
    append_escaped(out, text[i]);
    plain = i + 1;
  }
  out += text.substr(plain);
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  if (is_plain(text)) {
    out += text;
  } else if (is_utf8(text)) {
    append_valid(out, text);
  } else {
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x80) {
        append_valid(out, {&c, 1});
      } else {
        out += "\xEF\xBF\xBD";
      }
    }
  }
  out += '"';
}

}  // namespace scoreline::http
