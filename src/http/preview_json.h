// What a change would do, as JSON.
#pragma once

#include <string>

#include "leaderboards/definition.h"
#include "leaderboards/preview.h"

namespace scoreline::http {

/// `{"preview":true,"results":2,"archives":0,"boards":[{"season":12,"period":"season","players":9,"playersAfter":8,
/// "movingUp":4,"movingDown":0,"changes":[{"playerId":"p","before":{…entry…},"after":null}]}]}`
std::string preview_json(const leaderboards::Preview& preview, const leaderboards::Definition& definition);

}  // namespace scoreline::http
