#include "adapters/sqlite/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace scoreline::sqlite {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {};
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(Code::storage_failed, fmt::format("making the data folder {}: {}", folder.string(), reason(errno)));
  }
  // The entry of the folder itself must survive a power failure as the ledger in it does.
  const FileDescriptor parent(::open((folder / "..").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.is_open()) static_cast<void>(::fsync(parent.get()));  // some file systems cannot sync a folder
  return {};
}

std::string holder(int fd) {
  char text[32];
  const ssize_t size = ::pread(fd, text, sizeof text, 0);
  std::string pid(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  if (auto made = make_folder(folder); !made) return fail(made.error());
  const auto path = folder / "lock";
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    return fail(Code::storage_failed, fmt::format("opening {}: {}", path.string(), reason(errno)));
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return fail(Code::storage_failed, fmt::format("locking {}: {}", path.string(), reason(errno)));
    }
    return fail(Code::locked,
                fmt::format("the data folder {} is in use by {}: stop it first, ask it over HTTP, or name "
                            "another folder",
                            folder.string(), holder(file.get())));
  }
  // The number only helps whom it refuses; the lock holds without it (on a full disk).
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file.get(), 0) == 0) static_cast<void>(::pwrite(file.get(), pid.data(), pid.size(), 0) == 0);
  return FolderLock(std::move(file));
}

}  // namespace scoreline::sqlite
