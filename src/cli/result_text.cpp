#include "cli/result_text.h"

#include <fmt/format.h>

#include <iterator>

#include "http/json_text.h"

namespace scoreline::cli {

void append_result(std::string& out, const ingest::Submission& result, std::string_view leaderboard) {
  out.append(R"({"playerId":)");
  http::append_quoted(out, result.player_id);
  if (!leaderboard.empty()) {
    out.append(R"(,"leaderboard":)");
    http::append_quoted(out, leaderboard);
  }
  if (result.match_id) fmt::format_to(std::back_inserter(out), R"(,"matchId":"{}")", format_uuid(*result.match_id));
  if (result.season_id) fmt::format_to(std::back_inserter(out), R"(,"seasonId":{})", *result.season_id);
  fmt::format_to(std::back_inserter(out), R"(,"points":{})", result.points.digits);
  // digits·10^exponent is a JSON number as it stands, and exact.
  if (result.points.exponent != 0) fmt::format_to(std::back_inserter(out), "e{}", result.points.exponent);
  if (result.achieved_at) {
    fmt::format_to(std::back_inserter(out), R"(,"achievedAt":"{}")", format_timestamp(*result.achieved_at));
  }
  out.push_back('}');
}

}  // namespace scoreline::cli
