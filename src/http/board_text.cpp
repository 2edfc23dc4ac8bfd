#include "http/board_text.h"

#include <charconv>
#include <cstdint>

#include "base/decimal.h"
#include "base/timestamp.h"
#include "http/json_text.h"
#include "leaderboards/criteria.h"

namespace scoreline::http {

using leaderboards::Entry;
using leaderboards::SeasonId;

namespace {

/// By how many ranks the player has risen; negative: fallen.
void append_movement(std::string& out, std::uint64_t rank, std::optional<std::uint64_t> before) {
  if (!before) {
    out += R"(,"previousRank":null,"change":null)";
    return;
  }
  out += R"(,"previousRank":)";
  append_number(out, *before);
  out += R"(,"change":)";
  append_number(out, static_cast<std::int64_t>(*before - rank));
}

}  // namespace

Result<std::optional<SeasonId>> parse_season(std::string_view text) {
  if (text == "current") return std::optional<SeasonId>{};
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && rest == text.data() + text.size();
  const auto season = whole ? SeasonId::from(value) : fail(Code::invalid, {});
  if (!season) return fail(Code::invalid, "must be a whole number from 0 to 2147483647, or `current`", "season");
  return std::optional<SeasonId>{*season};
}

/// Nobody any more, where an archive keeps the line of a player who was erased.
void append_player(std::string& out, const leaderboards::PlayerId& player) {
  if (player.text().empty()) {
    out += "null";
  } else {
    append_quoted(out, player.text());
  }
}

void append_values(std::string& out, const leaderboards::Standing& standing,
                   const leaderboards::Definition& definition) {
  out += R"("points":)";
  append_scaled(out, standing.points, definition.scale);
  if (definition.criteria.empty()) return;
  out += R"(,"criteria":)";
  append_criteria(out, definition, standing.extra);
}

void append_entry(std::string& out, const Entry& entry, const leaderboards::Definition& definition) {
  out += R"("rank":)";
  append_number(out, entry.rank);
  out += R"(,"playerId":)";
  append_player(out, entry.player);
  out += ',';
  append_values(out, entry.standing, definition);
  out += R"(,"achievedAt":")";
  append_timestamp(out, entry.standing.achieved_at);
  out += '"';
  if (entry.previous_rank) append_movement(out, entry.rank, *entry.previous_rank);
}

void append_article_entry(std::string& out, const Entry& entry, int scale) {
  out += R"({"rank":)";
  append_number(out, entry.rank);
  out += R"(,"playerId":)";
  append_player(out, entry.player);
  out += R"(,"points":)";
  append_scaled(out, entry.standing.points, scale);
  out += '}';
}

void append_entries(std::string& out, std::span<const Entry> entries, const leaderboards::Definition& definition) {
  out += '[';
  for (const Entry& entry : entries) {
    out += &entry == entries.data() ? "{" : ",{";
    append_entry(out, entry, definition);
    out += '}';
  }
  out += ']';
}

void append_article_entries(std::string& out, std::span<const Entry> entries, int scale) {
  out += '[';
  for (const Entry& entry : entries) {
    if (&entry != entries.data()) out += ',';
    append_article_entry(out, entry, scale);
  }
  out += ']';
}

}  // namespace scoreline::http
