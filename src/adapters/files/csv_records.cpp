#include "adapters/files/csv_records.h"

#include <algorithm>

#include "base/limits.h"

namespace scoreline::files {
namespace {

/// Splits one whole record. False when text follows a closing quote.
bool split(std::string_view text, std::vector<std::string>& fields) {
  fields.clear();
  std::size_t at = 0;
  while (true) {
    std::string& field = fields.emplace_back();
    if (at < text.size() && text[at] == '"') {
      ++at;
      while (true) {
        const std::size_t quote = text.find('"', at);
        field.append(text.substr(at, quote - at));
        at = quote + 1;  // the quotes of a whole record are balanced: there is one
        if (at >= text.size() || text[at] != '"') break;
        field.push_back('"');
        ++at;
      }
      if (at < text.size() && text[at] != ',') return false;
    } else {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      field.append(text.substr(at, comma - at));
      at = comma;
    }
    if (at >= text.size()) return true;
    ++at;  // the comma
  }
}

}  // namespace

Result<const CsvRecord*> CsvRecords::next() {
  do {
    const auto there = read_record();
    if (!there) return fail(there.error());
    if (!*there) return nullptr;
  } while (record_.text.empty());
  return &record_;
}

Result<bool> CsvRecords::read_record() {
  record_.line = next_line_;
  record_.broken.reset();
  record_.fields.clear();
  if (window_.bytes().empty()) {
    const auto more = window_.more();
    if (!more) return fail(more.error());
    if (!*more) return false;
  }
  std::size_t end = 0;
  std::size_t line_end_bytes = 0;
  bool open_quote = false;
  const auto found = find_end(end, line_end_bytes, open_quote);
  if (!found) return fail(found.error());
  if (!*found) {
    auto why =
        open_quote
            ? Error{Code::unreadable, "a quote is opened and never closed", {}, {}}
            : Error{Code::too_large, "the line is longer than " + std::to_string(kMaxLineBytes) + " bytes", {}, {}};
    if (auto taken = take_first_line(std::move(why)); !taken) return fail(taken.error());
    return true;
  }
  text_.assign(window_.bytes().substr(0, end));
  window_.skip(end + line_end_bytes);
  record_.text = text_;
  next_line_ += static_cast<std::uint64_t>(std::ranges::count(text_, '\n')) + 1;
  if (!split(text_, record_.fields)) {
    record_.broken = Error{Code::unreadable, "text follows a closing quote; double a quote that belongs to it", {}, {}};
  }
  return true;
}

/// Where the record at hand ends, and how many bytes its line end has. False when it has no end within the limit.
Result<bool> CsvRecords::find_end(std::size_t& end, std::size_t& line_end_bytes, bool& open_quote) {
  enum class In { field_start, plain, quoted, closed } in = In::field_start;
  std::size_t at = 0;
  while (true) {
    const std::string_view bytes = window_.bytes();
    for (; at < bytes.size() && at <= kMaxLineBytes + 1; ++at) {
      const char c = bytes[at];
      if (in == In::quoted) {
        if (c == '"') in = In::closed;  // or the first of two: then the next one opens again
      } else if (c == '\n') {
        line_end_bytes = at > 0 && bytes[at - 1] == '\r' ? 2 : 1;
        end = at + 1 - line_end_bytes;
        return end <= kMaxLineBytes;
      } else if (c == ',') {
        in = In::field_start;
      } else {
        in = c == '"' && in != In::plain ? In::quoted : In::plain;
      }
    }
    open_quote = in == In::quoted;
    if (at > kMaxLineBytes + 1) return false;
    const auto more = window_.more();
    if (!more) return fail(more.error());
    if (!*more) {
      // The last line may have lost its end, or half of it: a CR without its LF.
      const std::string_view rest = window_.bytes();
      line_end_bytes = rest.ends_with('\r') ? 1 : 0;
      end = rest.size() - line_end_bytes;
      return !open_quote && end <= kMaxLineBytes;
    }
  }
}

Result<void> CsvRecords::take_first_line(Error why) {
  const auto line = take_line(window_, text_);
  if (!line) return fail(line.error());
  record_.text = line->text;
  record_.broken = std::move(why);
  ++next_line_;
  return {};
}

void append_csv_field(std::string& out, std::string_view field) {
  const bool plain = field.find_first_of(",\"\r\n") == std::string_view::npos;
  if (plain) {
    out.append(field);
    return;
  }
  out.push_back('"');
  for (const char c : field) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace scoreline::files
