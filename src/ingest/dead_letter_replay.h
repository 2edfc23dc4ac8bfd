// Dead letters taken in again, once what kept them out was mended; or discarded.
//
// Thread safety: all calls from any thread but the pipeline's writer; they wait for it. Two at once, in this process or
// in another one over the same stores, do no harm: the ledger's key makes each result count once.
// Cost: a page of letters at a time is in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "ingest/dead_letters.h"
#include "ingest/message_reader.h"
#include "ingest/pipeline.h"

namespace scoreline::ingest {

/// Which letters a call is about.
struct DeadLetterChoice {
  std::vector<DeadLetterId> ids;  ///< at most kMaxEntries; empty: all, a page at a time
  DeadLetterId after = 0;         ///< of all: only those behind it
};

/// What became of the letters of one call.
struct DeadLettersDone {
  std::uint64_t done = 0;             ///< taken in, or discarded: they are gone
  std::vector<RefusedAgain> refused;  ///< they stay
  std::optional<DeadLetterId> next;   ///< of all: the `after` of the next page; nullopt: that was the last one
};

class DeadLetterReplay {
 public:
  /// All must outlive it.
  DeadLetterReplay(Pipeline& pipeline, DeadLetters& letters, ReadMessageText read_text)
      : pipeline_(pipeline), letters_(letters), read_text_(std::move(read_text)) {}

  /// Takes letters in as their messages came the first time. What is refused again is kept with the new reason; one
  /// that was cut, or whose value is null, is never tried. Errors: those of the pipeline and the letters; then some
  /// may have been taken in and still be there, and trying again does no harm.
  Result<DeadLettersDone> replay(const DeadLetterChoice& choice);
  Result<DeadLettersDone> discard(const DeadLetterChoice& choice);

  /// Lets nobody wait for the writer from here on: what comes later fails with not_ready.
  void stop() { stopped_ = true; }

 private:
  Result<std::vector<StoredDeadLetter>> find(const DeadLetterChoice& choice, DeadLettersDone& done) const;
  Result<void> take_in(std::vector<StoredDeadLetter> letters, DeadLettersDone& done);
  template <typename Write>
  Result<void> write(const Write& work);

  Pipeline& pipeline_;
  DeadLetters& letters_;
  const ReadMessageText read_text_;
  std::atomic<bool> stopped_{false};
};

}  // namespace scoreline::ingest
