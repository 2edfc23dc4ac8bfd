// Joins a chunked body (RFC 9112, section 7.1), strictly: lines end with CRLF, a size is hex digits and no more.
// Extensions and trailers are read over; neither means anything here.
//
// Thread safety: none. O(bytes), each looked at about once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scoreline::http {

class ChunkReader {
 public:
  /// The longest line that begins a chunk, and the longest trailer section.
  static constexpr std::size_t kMaxLineBytes = 4096;

  enum class Step { need_more, complete, failed, too_large };

  /// `bytes`: of the body, from its first on. They may have moved in memory since the last call.
  Step read(std::string_view bytes);

  const std::string& body() const { return body_; }
  /// How many of the bytes were taken.
  std::size_t size() const { return taken_; }

 private:
  enum class Part { size_line, data, data_end, trailer };

  Step read_size_line(std::string_view rest);
  Step read_trailer(std::string_view rest);

  Part part_ = Part::size_line;
  std::size_t taken_ = 0;
  std::size_t left_ = 0;          ///< of the open chunk's data
  std::size_t trailer_size_ = 0;  ///< of the trailer lines so far
  std::string body_;
};

}  // namespace scoreline::http
