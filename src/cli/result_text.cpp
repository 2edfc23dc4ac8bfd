#include "cli/result_text.h"

#include <fmt/format.h>

#include <iterator>

#include "http/json_text.h"

namespace scoreline::cli {
namespace {

/// digits·10^exponent is a JSON number as it stands, and exact.
void append_decimal(std::string& out, Decimal value) {
  fmt::format_to(std::back_inserter(out), "{}", value.digits);
  if (value.exponent != 0) fmt::format_to(std::back_inserter(out), "e{}", value.exponent);
}

}  // namespace

void append_result(std::string& out, const ingest::Submission& result, std::string_view leaderboard) {
  out.append(R"({"playerId":)");
  http::append_quoted(out, result.player_id);
  if (!leaderboard.empty()) {
    out.append(R"(,"leaderboard":)");
    http::append_quoted(out, leaderboard);
  }
  if (result.match_id) fmt::format_to(std::back_inserter(out), R"(,"matchId":"{}")", format_uuid(*result.match_id));
  if (result.season_id) fmt::format_to(std::back_inserter(out), R"(,"seasonId":{})", *result.season_id);
  out.append(R"(,"points":)");
  append_decimal(out, result.points);
  if (result.achieved_at) {
    fmt::format_to(std::back_inserter(out), R"(,"achievedAt":"{}")", format_timestamp(*result.achieved_at));
  }
  for (const leaderboards::CriterionValue& criterion : result.criteria) {
    out.append(&criterion == result.criteria.data() ? R"(,"criteria":{)" : ",");
    http::append_quoted(out, criterion.name);
    out.push_back(':');
    append_decimal(out, criterion.value);
  }
  if (!result.criteria.empty()) out.push_back('}');
  out.push_back('}');
}

}  // namespace scoreline::cli
