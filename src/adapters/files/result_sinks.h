// Files that Scoreline writes: exported results and boards (CSV or JSON lines), and rejected rows (CSV).
//
// Lines end with LF. A CSV field is in quotes only where RFC 4180 asks for it; a player id that begins with `=` is
// written as it is, because what is exported must come back the same: such a file is no spreadsheet.
#pragma once

#include <memory>
#include <string>

#include "adapters/files/result_sources.h"
#include "base/error.h"
#include "ingest/result_files.h"

namespace scoreline::files {

/// `path` is a file to replace, or `-` for standard output. All results are of the leaderboard that `definition` is of.
/// Errors: storage_failed, storage_full.
Result<std::unique_ptr<ingest::ResultSink>> open_result_sink(const std::string& path, Format format,
                                                             leaderboards::Definition definition);
Result<std::unique_ptr<ingest::BoardSink>> open_board_sink(const std::string& path, Format format);

/// Columns line, code, field, detail, text. The file is made by the first row.
std::unique_ptr<ingest::RejectedSink> rejected_sink(const std::string& path);

}  // namespace scoreline::files
