#include "app/scratch_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace scoreline::app {

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::make() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "scoreline-demo-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    return fail(Code::storage_failed, fmt::format("cannot make a folder '{}': {}", name, std::strerror(errno)), "data");
  }
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(name));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // a folder that stays behind in /tmp is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace scoreline::app
