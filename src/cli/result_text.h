// A result as the JSON object that HTTP and messages carry.
#pragma once

#include <string>
#include <string_view>

#include "ingest/pipeline.h"

namespace scoreline::cli {

/// Appends `{"playerId":…,"matchId":…,"seasonId":…,"points":…,"achievedAt":…,"criteria":{…}}`, without what is absent;
/// a `leaderboard` that is not empty stands in it too.
void append_result(std::string& out, const ingest::Submission& result, std::string_view leaderboard = {});

}  // namespace scoreline::cli
