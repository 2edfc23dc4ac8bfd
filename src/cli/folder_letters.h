#pragma once

#include <memory>
#include <utility>

#include "cli/letter_store.h"

namespace scoreline::cli {

/// The dead letters of an engine in this process. The boards must have been made. Not thread-safe.
class FolderLetters final : public LetterStore {
 public:
  /// `owner` keeps the other two alive.
  FolderLetters(std::shared_ptr<void> owner, ingest::Pipeline& pipeline, ingest::DeadLetters& letters,
                ingest::ReadMessageText read_text)
      : owner_(std::move(owner)), letters_(letters), replay_(pipeline, letters, std::move(read_text)) {}

  Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) override {
    return letters_.list(after, limit);
  }
  Result<ingest::StoredDeadLetter> find(ingest::DeadLetterId id) override;
  Result<ingest::DeadLettersDone> replay(const ingest::DeadLetterChoice& choice) override {
    return replay_.replay(choice);
  }
  Result<ingest::DeadLettersDone> discard(const ingest::DeadLetterChoice& choice) override {
    return replay_.discard(choice);
  }

 private:
  std::shared_ptr<void> owner_;
  ingest::DeadLetters& letters_;
  ingest::DeadLetterReplay replay_;
};

}  // namespace scoreline::cli
