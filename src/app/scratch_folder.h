#pragma once

#include <filesystem>
#include <memory>

#include "base/error.h"

namespace scoreline::app {

/// A new folder for temporary data that goes with the object, and all that is in it. Not thread-safe.
class ScratchFolder {
 public:
  /// Errors: storage_failed.
  static Result<std::unique_ptr<ScratchFolder>> make();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace scoreline::app
