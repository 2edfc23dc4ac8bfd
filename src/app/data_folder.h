#pragma once

#include <filesystem>
#include <memory>

#include "adapters/sqlite/sqlite_ledger.h"
#include "cli/context.h"

namespace scoreline::app {

/// The ledger of a data folder for the commands that read results and no boards. Not thread-safe.
class DataFolder final : public cli::Folder {
 public:
  /// Opens and locks what is there. Errors: not_found, when there is no such folder; else as SqliteLedger::open.
  static Result<std::unique_ptr<DataFolder>> open(const std::filesystem::path& path);

  Result<cli::Findings> verify() override;
  leaderboards::Ledger& ledger() override { return *ledger_; }
  const leaderboards::Catalogue& catalogue() override { return *catalogue_; }

 private:
  DataFolder(std::unique_ptr<sqlite::SqliteLedger> ledger, std::unique_ptr<leaderboards::Catalogue> catalogue)
      : ledger_(std::move(ledger)), catalogue_(std::move(catalogue)) {}

  std::unique_ptr<sqlite::SqliteLedger> ledger_;
  std::unique_ptr<leaderboards::Catalogue> catalogue_;
};

/// Errors: not_found. For commands that must not make a data folder, or a ledger in any other one, by opening it.
Result<void> check_is_there(const std::filesystem::path& folder);

}  // namespace scoreline::app
