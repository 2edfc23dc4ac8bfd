#include "adapters/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace scoreline::files {
namespace {

constexpr std::size_t kBuffer = 64 * 1024;

Error cannot(std::string_view what, const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {full ? Code::storage_full : Code::storage_failed,
          fmt::format("cannot {} '{}': {}", what, path, std::strerror(error)), "file", std::nullopt};
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  if (path == "-") return OutputFile("standard output", STDOUT_FILENO);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(cannot("create", path, errno));
  return OutputFile(path, fd);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<void> OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() < kBuffer) return {};
  return flush();
}

Result<void> OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const auto count = ::write(fd_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(cannot("write", path_, errno));
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
  return {};
}

}  // namespace scoreline::files
