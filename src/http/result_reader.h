// Results as they come over HTTP: one object, `{"results":[…]}`, or one object a line (NDJSON).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/json_document.h"
#include "ingest/pipeline.h"

namespace scoreline::http {

/// `{"matchId":…,"playerId":…,"seasonId":…,"points":…,"achievedAt":…,"criteria":{"winRate":…}}`; only playerId and
/// points must be there, as far as is known here.
/// Errors: Code::invalid with the field.
Result<ingest::Submission> read_result(JsonValue value, std::string_view leaderboard);

/// A result as the text of a message: the same, with an optional `leaderboard` (default `main`).
/// Errors: unreadable; Code::invalid with the field.
Result<ingest::Submission> read_message_result(std::string_view text);

struct RejectedResult {
  std::size_t index = 0;  ///< in the request, from 0
  Error error;
};

/// The results of one request: those that can be read, and why the others cannot.
struct ResultBatch {
  bool single = false;  ///< the body was one object: its error is the answer
  std::vector<ingest::Submission> submissions;
  std::vector<std::size_t> places;  ///< index in the request of each submission
  std::vector<RejectedResult> rejected;
};

/// An object, or an object with the only member `results`, an array.
/// Errors: unreadable, when the body is not JSON; invalid; too_many (kMaxBatch).
Result<ResultBatch> read_json_results(std::string_view body, std::string_view leaderboard);

/// One object a line; blank lines do not count. A line that is not JSON is rejected by itself.
/// Errors: too_many (kMaxBatch).
Result<ResultBatch> read_ndjson_results(std::string_view body, std::string_view leaderboard);

}  // namespace scoreline::http
