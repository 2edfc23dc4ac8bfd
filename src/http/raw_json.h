// A value that is kept as JSON text, written anew from the events of a parser: without spaces, everything else as it
// was sent. For what we pass on and never look into, so keys may repeat and there may be any number of them.
//
// Thread safety: none. O(bytes).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scoreline::http {

class RawJson {
 public:
  /// Events in the order of the text; `plain` is a number, `true`, `false` or `null`.
  void begin(char bracket);
  void end(char bracket);
  void key(std::string_view text);
  void string(std::string_view text);
  void plain(std::string_view text);

  /// Whether the value is whole.
  bool complete() const { return depth_ == 0 && !text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  void separate();

  std::string text_;
  std::size_t depth_ = 0;
};

/// Whether `text` is one JSON value, as JsonDocument takes it, and nothing else.
bool is_json(std::string_view text);

}  // namespace scoreline::http
