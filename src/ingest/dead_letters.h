// Port: the messages that could not be taken, kept until somebody has looked after them.
//
// Thread safety: `add`, `refuse_again` and `remove` are called on the pipeline's writer thread (Pipeline::exclusive),
// as all writes to the ledger; reads may run beside everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "ingest/message_source.h"

namespace scoreline::ingest {

/// How much of a message is kept.
inline constexpr std::size_t kMaxDeadLetterBytes = 4 * 1024;

struct DeadLetter {
  Message message;         ///< its value cut at kMaxDeadLetterBytes
  std::uint64_t size = 0;  ///< of the whole value, in bytes
  Error reason;            ///< Code::conflict, field `matchId`: the match was there before with other content
};

/// A reason as it is kept: a detail of at most 1 KiB and a field of at most 256 bytes, both visible text. A reason may
/// quote a hostile message.
Error kept_reason(const Error& reason);
/// Of a message whose result was there before with other content.
Error conflict_reason();

using DeadLetterId = std::int64_t;

struct StoredDeadLetter {
  DeadLetterId id = 0;  ///< the later, the greater
  Timestamp added_at;
  DeadLetter letter;

  bool is_whole() const { return letter.message.value && letter.message.value->size() == letter.size; }
};

/// A letter that was tried again, and why it was refused this time.
struct RefusedAgain {
  DeadLetterId id = 0;
  Error reason;
};

class DeadLetters {
 public:
  virtual ~DeadLetters() = default;

  /// 1..kMaxBatch, durable when it returns. A message (topic, partition, offset, sent_at) that is kept already is kept
  /// once, with the reason it had first. Returns how many were new. Errors: storage_failed, storage_full,
  /// unknown_outcome (add again).
  virtual Result<std::uint64_t> add(std::span<const DeadLetter> letters, Timestamp now) = 0;

  /// Up to `limit` (1..kMaxEntries) in order of their ids, from the first behind `after` on. Where several processes
  /// add, one that is added at the same moment may turn up before an `after` that was read already.
  virtual Result<std::vector<StoredDeadLetter>> list(DeadLetterId after, std::size_t limit) const = 0;
  virtual Result<std::optional<StoredDeadLetter>> find(DeadLetterId id) const = 0;
  virtual Result<std::uint64_t> count() const = 0;

  /// At most kMaxBatch, each once, in one commit. One that is gone stays gone.
  virtual Result<void> refuse_again(std::span<const RefusedAgain> letters) = 0;
  /// At most kMaxBatch. Returns how many there were.
  virtual Result<std::uint64_t> remove(std::span<const DeadLetterId> ids) = 0;
};

}  // namespace scoreline::ingest
