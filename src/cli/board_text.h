// Boards for people (an aligned table) and for programs (JSON, the shape of the HTTP answers).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/store.h"

namespace scoreline::cli {

/// Columns that `text` takes on a terminal: two for East Asian wide characters and most emoji, none for combining
/// marks. After Unicode's East Asian Width, by blocks: near enough to align a table.
std::size_t display_width(std::string_view text);

/// Rank, player, points, the other criteria if there are any, time; the row of `marked` begins with `>`.
std::string board_table(const ShownBoard& board, std::string_view marked = {});

/// `{"season":12,"players":3,"entries":[{"rank":1,"playerId":"bob","points":155,"achievedAt":"…"}]}`
std::string board_json(const ShownBoard& board);
/// The only entry of `board` as `{"season":12,"players":3,"percentile":100,"rank":1,"playerId":"bob",…}`.
std::string place_json(const ShownBoard& board);

}  // namespace scoreline::cli
