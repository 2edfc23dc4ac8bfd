#include "cli/folder_letters.h"

namespace scoreline::cli {

Result<ingest::StoredDeadLetter> FolderLetters::find(ingest::DeadLetterId id) {
  auto stored = letters_.find(id);
  if (!stored) return fail(std::move(stored).error());
  if (!*stored) return fail(Code::not_found, "there is no such dead letter", "id");
  return **std::move(stored);
}

}  // namespace scoreline::cli
