// The lock on a data folder: one process at a time.
#pragma once

#include <filesystem>

#include "adapters/sqlite/file_descriptor.h"
#include "base/error.h"

namespace scoreline::sqlite {

/// Held until destroyed or until the process ends, however it ends (flock).
class FolderLock {
 public:
  /// Makes the folder (mode 0700) when it is not there, and takes `folder/lock`, which then names our process.
  /// Errors: Code::locked naming the process that holds it and what to do; storage_failed.
  static Result<FolderLock> take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace scoreline::sqlite
