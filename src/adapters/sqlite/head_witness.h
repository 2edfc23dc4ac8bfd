// A witness outside SQLite of the last batch that was committed: the file `ledger.head`.
//
// When a bit flips in SQLite's write-ahead log, recovery drops that transaction and all after it in silence: rows and
// their row of `batches` vanish together. The witness then names a batch that the ledger does not have.
//
// Why it never raises a false alarm: it is written after the commit's sync, so what it says is durable already. It is
// itself not synced, so after a power failure it may be older than the ledger, or torn; it never runs ahead. Two slots
// in two pages are written in turn, each with its own checksum, so that a torn write leaves the one before.
//
// Thread safety: one writer; last() may run beside it.
#pragma once

#include <filesystem>
#include <optional>

#include "adapters/sqlite/file_descriptor.h"
#include "adapters/sqlite/seal.h"
#include "base/error.h"

namespace scoreline::sqlite {

class HeadWitness {
 public:
  /// Makes the file when it is not there. Errors: storage_failed.
  static Result<HeadWitness> open(const std::filesystem::path& file);

  /// The newer of the readable slots; nullopt when there is none (a new, lost, or unreadable file).
  std::optional<Head> last() const;

  /// One pwrite. A failure only leaves the witness older than it could be.
  void write(const Head& head) const;
  /// Both slots, so that damage to either leaves the other.
  void write_both(const Head& head) const;

 private:
  explicit HeadWitness(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace scoreline::sqlite
