// Dead letters in the ledger's database, written on the ledger's one writing connection.
//
// Thread safety: as the port says; reads take turns.
// Cost: `add` is one fsync however many there are; `count` reads an index over all.
#pragma once

#include <mutex>

#include "adapters/sqlite/connection.h"
#include "adapters/sqlite/ledger_writer.h"
#include "ingest/dead_letters.h"

namespace scoreline::sqlite {

class SqliteDeadLetters final : public ingest::DeadLetters {
 public:
  /// `writer` must outlive it. `reader`: another connection to the same database.
  SqliteDeadLetters(LedgerWriter& writer, Connection reader) : writer_(writer), reader_(std::move(reader)) {}

  Result<std::uint64_t> add(std::span<const ingest::DeadLetter> letters, Timestamp now) override;
  Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) const override;
  Result<std::optional<ingest::StoredDeadLetter>> find(ingest::DeadLetterId id) const override;
  Result<std::uint64_t> count() const override;
  Result<void> refuse_again(std::span<const ingest::RefusedAgain> letters) override;
  Result<std::uint64_t> remove(std::span<const ingest::DeadLetterId> ids) override;

 private:
  Result<std::vector<ingest::StoredDeadLetter>> read(std::string_view sql, std::int64_t id, std::size_t limit) const;
  /// One change: `work(statement)` runs the statement as often as it likes, and returns how many rows it changed.
  template <typename Work>
  Result<std::uint64_t> change(std::string_view sql, Work work);

  LedgerWriter& writer_;
  mutable std::mutex mutex_;
  mutable Connection reader_;  // guarded by mutex_
};

}  // namespace scoreline::sqlite
