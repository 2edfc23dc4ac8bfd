// A leaderboard's definition and its seasons as JSON, both ways.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "leaderboards/definition.h"

namespace scoreline::http {

/// The whole definition: a field that is absent has its default. `name`, when it is there, must be the one in the path.
/// Errors: unreadable; invalid, with the field.
Result<leaderboards::Definition> read_definition(std::string_view body, std::string_view name);
void append_definition(std::string& out, const leaderboards::Definition& definition);

/// `{"id":12,"start":"2026-10-01T00:00:00Z","end":…}`; start and end may be absent or null.
Result<leaderboards::Season> read_season(std::string_view body);
/// The same with its state at `now`, and the number of players once it is closed.
void append_season(std::string& out, const leaderboards::Season& season, Timestamp now);

}  // namespace scoreline::http
