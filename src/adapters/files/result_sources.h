// Files of match results: CSV with the columns match_id, player_id, season_id, points, achieved_at in any order
// (player_id and points must be there), and JSON lines, one result an object, as over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/files/byte_window.h"
#include "base/error.h"
#include "ingest/result_files.h"

namespace scoreline::files {

enum class Format { csv, jsonl };

/// By the name's ending: .csv, .jsonl, .ndjson. Errors: usage, when it tells nothing.
Result<Format> format_of(std::string_view file_name);
/// Errors: usage.
Result<Format> parse_format(std::string_view text);

/// Reads one JSON object as the HTTP door does.
using ParseJsonResult = std::function<Result<ingest::Submission>(std::string_view)>;

struct Input {
  ReadBytes read;
  std::optional<std::uint64_t> bytes_total;
};

/// A file, or standard input for `-`. Errors: not_found, unreadable.
Result<Input> open_input(const std::string& path);

/// Errors: unreadable or invalid, when the CSV header does not name what is needed.
Result<std::unique_ptr<ingest::ResultSource>> open_results(Input input, Format format, ParseJsonResult parse_json);

}  // namespace scoreline::files
