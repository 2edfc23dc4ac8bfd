#include "app/data_folder.h"

#include <fmt/format.h>

namespace scoreline::app {

Result<void> check_is_there(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return fail(Code::not_found, fmt::format("there is no data folder '{}'", folder.string()), "data");
  }
  if (!sqlite::SqliteLedger::is_in(folder)) {
    return fail(Code::not_found, fmt::format("there is no ledger in the folder '{}'", folder.string()), "data");
  }
  return {};
}

Result<std::unique_ptr<DataFolder>> DataFolder::open(const std::filesystem::path& path) {
  if (auto there = check_is_there(path); !there) return fail(std::move(there.error()));
  auto ledger = sqlite::SqliteLedger::open(path);
  if (!ledger) return fail(std::move(ledger.error()));
  auto catalogue = leaderboards::Catalogue::open(**ledger);
  if (!catalogue) return fail(std::move(catalogue.error()));
  return std::unique_ptr<DataFolder>(new DataFolder(std::move(*ledger), std::move(*catalogue)));
}

Result<cli::Findings> DataFolder::verify() {
  auto report = ledger_->verify([](leaderboards::ScanProgress) {});
  if (!report) return fail(std::move(report.error()));
  return cli::Findings{report->batches,      report->results, report->erased_results,
                       report->leaderboards, report->seasons, std::move(report->findings),
                       ledger_->notes()};
}

}  // namespace scoreline::app
