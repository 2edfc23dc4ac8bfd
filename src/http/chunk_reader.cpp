#include "http/chunk_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/limits.h"

namespace scoreline::http {
namespace {

bool is_plain(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F); }

struct Line {
  ChunkReader::Step step = ChunkReader::Step::need_more;
  std::string_view text;  ///< complete only; without its CRLF
};

/// The line that `rest` begins with.
Line first_line(std::string_view rest) {
  const std::size_t end = rest.find_first_of("\r\n");
  const std::string_view text = rest.substr(0, end);
  if (text.size() > ChunkReader::kMaxLineBytes || !std::all_of(text.begin(), text.end(), is_plain)) {
    return {ChunkReader::Step::failed, {}};
  }
  if (end == std::string_view::npos) return {};
  if (rest[end] != '\r') return {ChunkReader::Step::failed, {}};
  if (end + 1 == rest.size()) return {};
  if (rest[end + 1] != '\n') return {ChunkReader::Step::failed, {}};
  return {ChunkReader::Step::complete, text};
}

/// `1a` or `1a;name=value`.
std::optional<std::uint64_t> chunk_size(std::string_view line) {
  std::uint64_t size = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, size, 16);
  if (error != std::errc{} || line.front() == '-' || (rest != end && *rest != ';')) return std::nullopt;
  return size;
}

}  // namespace

ChunkReader::Step ChunkReader::read(std::string_view bytes) {
  for (;;) {
    const std::string_view rest = bytes.substr(taken_);
    Step step = Step::complete;  // of the part
    switch (part_) {
      case Part::size_line: step = read_size_line(rest); break;
      case Part::data: {
        const std::size_t size = std::min(left_, rest.size());
        body_ += rest.substr(0, size);
        taken_ += size;
        left_ -= size;
        if (left_ > 0) return Step::need_more;
        part_ = Part::data_end;
        break;
      }
      case Part::data_end:
        if (rest.substr(0, 2) != std::string_view("\r\n").substr(0, rest.size())) return Step::failed;
        if (rest.size() < 2) return Step::need_more;
        taken_ += 2;
        part_ = Part::size_line;
        break;
      case Part::trailer:
        step = read_trailer(rest);
        if (step == Step::complete && left_ == 0) return Step::complete;
        break;
    }
    if (step != Step::complete) return step;
    // The framing counts too: a body of one-byte chunks is six times its content.
    if (taken_ > kMaxBodyBytes) return Step::too_large;
  }
}

ChunkReader::Step ChunkReader::read_size_line(std::string_view rest) {
  const Line line = first_line(rest);
  if (line.step != Step::complete) return line.step;
  const auto size = line.text.empty() ? std::nullopt : chunk_size(line.text);
  if (!size) return Step::failed;
  if (*size > kMaxBodyBytes) return Step::too_large;
  taken_ += line.text.size() + 2;
  left_ = *size;
  part_ = *size == 0 ? Part::trailer : Part::data;
  return Step::complete;
}

/// One line of the trailer section; the empty one leaves nothing to read.
ChunkReader::Step ChunkReader::read_trailer(std::string_view rest) {
  const Line line = first_line(rest);
  if (line.step != Step::complete) return line.step;
  taken_ += line.text.size() + 2;
  trailer_size_ += line.text.size() + 2;
  if (trailer_size_ > kMaxLineBytes) return Step::failed;
  left_ = line.text.size();
  const std::size_t colon = line.text.find(':');
  const bool field = colon != std::string_view::npos && colon > 0 && line.text.find_first_of(" \t") > colon;
  return line.text.empty() || field ? Step::complete : Step::failed;
}

}  // namespace scoreline::http
