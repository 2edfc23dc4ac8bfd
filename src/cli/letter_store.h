// Port: where a command's dead letters are: in the stores that this process opened, or behind a running server.
//
// Thread safety: none; one command, one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "ingest/dead_letter_replay.h"
#include "ingest/dead_letters.h"

namespace scoreline::cli {

class LetterStore {
 public:
  virtual ~LetterStore() = default;

  /// As ingest::DeadLetters::list.
  virtual Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) = 0;
  /// Errors: not_found.
  virtual Result<ingest::StoredDeadLetter> find(ingest::DeadLetterId id) = 0;
  /// As ingest::DeadLetterReplay.
  virtual Result<ingest::DeadLettersDone> replay(const ingest::DeadLetterChoice& choice) = 0;
  virtual Result<ingest::DeadLettersDone> discard(const ingest::DeadLetterChoice& choice) = 0;
};

}  // namespace scoreline::cli
