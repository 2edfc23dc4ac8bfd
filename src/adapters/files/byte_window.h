// A window that slides over a file or pipe: what is at hand, and another block of it on demand.
//
// Thread safety: none. Memory: what was not skipped yet, and one block of 64 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::files {

/// Reads up to the span's size; 0 at the end.
using ReadBytes = std::function<Result<std::size_t>(std::span<char>)>;

class ByteWindow {
 public:
  explicit ByteWindow(ReadBytes read) : read_(std::move(read)) {}

  /// From the present place on. Until the next call of `more` or `skip`.
  std::string_view bytes() const { return std::string_view(buffer_).substr(begin_); }
  /// Reads another block behind `bytes`; false at the end.
  Result<bool> more();
  /// Moves the present place on; at most bytes().size().
  void skip(std::size_t count);

  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  ReadBytes read_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t bytes_read_ = 0;
  bool at_end_ = false;
};

/// A line without its line end (LF or CR LF).
struct TakenLine {
  std::string_view text;  ///< of a line over kMaxLineBytes only its first kMaxLineBytes
  bool too_long = false;
  bool at_end = false;  ///< there was no line any more
};

/// The next line and a skip past it. `text` lives in `keep`.
Result<TakenLine> take_line(ByteWindow& window, std::string& keep);

/// Skips the UTF-8 byte order mark that some programs write first.
Result<void> skip_byte_order_mark(ByteWindow& window);

}  // namespace scoreline::files
