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

/// `"rank":1,"playerId":"alice","points":12.5,"achievedAt":"2026-10-12T18:00:00Z"`, without braces; and
/// `,"previousRank":3,"change":2` of an entry that knows it, both null for one who is new.
void append_entry(std::string& out, const leaderboards::Entry& entry, int scale);

/// The article's: `{"rank":1,"playerId":"alice","points":12.5}`.
void append_article_entry(std::string& out, const leaderboards::Entry& entry, int scale);

/// `[…]` of whole entries.
void append_entries(std::string& out, std::span<const leaderboards::Entry> entries, int scale);
void append_article_entries(std::string& out, std::span<const leaderboards::Entry> entries, int scale);

}  // namespace scoreline::http
