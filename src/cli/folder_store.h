#pragma once

#include <memory>
#include <utility>

#include "cli/store.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"

namespace scoreline::cli {

/// The store over an engine in this process. The boards must have been made. Not thread-safe.
class FolderStore final : public Store {
 public:
  /// `owner` keeps the other two alive.
  FolderStore(std::shared_ptr<void> owner, leaderboards::Service& service, ingest::Pipeline& pipeline)
      : owner_(std::move(owner)), service_(service), pipeline_(pipeline) {}

  Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) override;
  Result<ShownBoard> range(const BoardChoice& board, std::uint64_t first, std::size_t limit) override;
  Result<ShownBoard> around(const BoardChoice& board, const std::string& player, std::size_t radius) override;
  Result<ShownBoard> place(const BoardChoice& board, const std::string& player) override;
  Result<ShownAudit> audit_rank(const BoardChoice& board, const std::string& player) override;
  Result<std::string> moderate(const PlayerCommand& command) override;
  Result<std::vector<ShownAuditEntry>> audit_log(std::int64_t after, std::size_t limit) override;
  Result<std::int64_t> rebuild(const BoardChoice& board, const OnProgress& progress) override;
  Result<ShownDrift> reconcile(const BoardChoice& board, bool repair, const OnProgress& progress) override;

 private:
  std::shared_ptr<void> owner_;
  leaderboards::Service& service_;
  ingest::Pipeline& pipeline_;
};

}  // namespace scoreline::cli
