#include "http/raw_json.h"

#include "http/json_document.h"
#include "http/json_text.h"

namespace scoreline::http {

/// A comma, unless it is the first one in its brackets or stands behind its key.
void RawJson::separate() {
  if (!text_.empty() && std::string_view("[{:").find(text_.back()) == std::string_view::npos) text_ += ',';
}

void RawJson::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
}

void RawJson::end(char bracket) {
  text_ += bracket;
  --depth_;
}

void RawJson::key(std::string_view text) {
  separate();
  append_quoted(text_, text);
  text_ += ':';
}

void RawJson::string(std::string_view text) {
  separate();
  append_quoted(text_, text);
}

void RawJson::plain(std::string_view text) {
  separate();
  text_ += text;
}

}  // namespace scoreline::http
