// One attempt to write an archive into the ledger's database. Thread safety: the writing thread only.
#pragma once

#include <cstdint>

#include "adapters/sqlite/ledger_writer.h"
#include "adapters/sqlite/seal.h"
#include "leaderboards/archives.h"

namespace scoreline::sqlite {

class ArchiveAttempt final : public leaderboards::ArchiveWriter {
 public:
  /// `writer` must outlive it.
  ArchiveAttempt(LedgerWriter& writer, std::int64_t archive, std::int64_t generation)
      : writer_(writer), archive_(archive), generation_(generation) {}

  Result<bool> clear() override;
  Result<void> add(std::span<const leaderboards::ArchivedEntry> entries) override;
  Result<void> add_players(std::span<const leaderboards::ArchivedPlayer> players) override;
  Result<void> finish(std::uint64_t players) override;

 private:
  /// One change that needs not be durable before `finish` is.
  template <typename Work>
  Result<void> piece(std::string_view sql, Work work);

  LedgerWriter& writer_;
  const std::int64_t archive_;
  const std::int64_t generation_;
  std::uint64_t checksum_ = 0;
  RowHasher hasher_;
};

}  // namespace scoreline::sqlite
