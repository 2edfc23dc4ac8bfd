// Dead letters in the ledger's schema, over the ledger's connections.
//
// Thread safety: all calls from any thread; those that write take turns with the ledger's.
// Cost: `add` is one round trip and one commit for each 1,000 letters or MiB. Every call ends by its deadline.
#pragma once

#include "adapters/postgres/postgres_ledger.h"
#include "ingest/dead_letters.h"

namespace scoreline::postgres {

class PostgresDeadLetters final : public ingest::DeadLetters {
 public:
  /// `ledger` must outlive it.
  explicit PostgresDeadLetters(PostgresLedger& ledger) : ledger_(ledger) {}

  Result<std::uint64_t> add(std::span<const ingest::DeadLetter> letters, Timestamp now) override;
  Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) const override;
  Result<std::optional<ingest::StoredDeadLetter>> find(ingest::DeadLetterId id) const override;
  Result<std::uint64_t> count() const override;
  Result<void> refuse_again(std::span<const ingest::RefusedAgain> letters) override;
  Result<std::uint64_t> remove(std::span<const ingest::DeadLetterId> ids) override;

 private:
  /// Returns how many rows it changed.
  Result<std::uint64_t> change(std::string_view doing, const Call& call);

  PostgresLedger& ledger_;
};

}  // namespace scoreline::postgres
