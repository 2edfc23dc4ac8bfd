#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::files {

/// A file that is written from its beginning, through a buffer; `-` is standard output. Not thread-safe.
class OutputFile {
 public:
  /// Errors: storage_failed, storage_full; as for the other calls.
  static Result<OutputFile> create(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  Result<void> write(std::string_view bytes);
  Result<void> flush();

 private:
  OutputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
  std::string buffer_;
};

}  // namespace scoreline::files
