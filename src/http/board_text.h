// Boards as JSON: the pieces that every read route writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/target.h"
#include "leaderboards/service.h"
#include "leaderboards/values.h"

namespace scoreline::http {

/// `12` or `current`. Errors: Code::invalid, field `season`.
Result<std::optional<leaderboards::SeasonId>> parse_season(std::string_view text);

/// The id, quoted; null for an erased player in an archive.
void append_player(std::string& out, const leaderboards::PlayerId& player);

/// `"points":12.5`, and `,"criteria":{"winRate":61.5}` where the leaderboard has criteria after the points.
void append_values(std::string& out, const leaderboards::Standing& standing,
                   const leaderboards::Definition& definition);

/// `"rank":1,"playerId":"alice","points":12.5,"achievedAt":"2026-10-12T18:00:00Z"`, without braces, the points as
/// append_values() has them; and `,"previousRank":3,"change":2` of an entry that knows it, both null for one who is
/// new.
void append_entry(std::string& out, const leaderboards::Entry& entry, const leaderboards::Definition& definition);

/// The article's: `{"rank":1,"playerId":"alice","points":12.5}`.
void append_article_entry(std::string& out, const leaderboards::Entry& entry, int scale);

/// `[…]` of whole entries.
void append_entries(std::string& out, std::span<const leaderboards::Entry> entries,
                    const leaderboards::Definition& definition);
void append_article_entries(std::string& out, std::span<const leaderboards::Entry> entries, int scale);

}  // namespace scoreline::http
