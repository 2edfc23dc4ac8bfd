// JSON written by hand: answers are a few fields, formatted straight into the bytes that are sent.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace scoreline::http {

/// `text` as a JSON string with its quotes. `text` must be UTF-8; bytes that are not are written as U+FFFD.
void append_quoted(std::string& out, std::string_view text);

template <std::integral Integer>
void append_number(std::string& out, Integer value) {
  char text[24];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

}  // namespace scoreline::http
