// Closing a season, and its archive as a file: for rewards and for keeping.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/decimal.h"
#include "base/timestamp.h"
#include "http/board_text.h"
#include "http/board_view.h"
#include "http/definition_json.h"
#include "http/json_text.h"
#include "http/problem.h"
#include "http/routes.h"
#include "http/writer_change.h"
#include "leaderboards/criteria.h"

namespace scoreline::http {
namespace {

using leaderboards::ArchivedEntry;
using leaderboards::Season;
using leaderboards::SeasonState;

constexpr std::size_t kLinesAtATime = 1'000;

enum class Format : std::uint8_t { json, csv, jsonl };

Result<Format> read_format(const Target& target) {
  const auto text = target.parameter("format").value_or("json");
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  if (text == "jsonl") return Format::jsonl;
  return fail(Code::invalid, "must be json, csv or jsonl", "format");
}

/// How many lines from the first are asked for, before ties at the edge.
Result<std::uint64_t> read_count(const Target& target, std::uint64_t players) {
  const bool by_percent = target.parameter("topPercent").has_value();
  if (by_percent && target.parameter("top")) {
    return fail(Code::invalid, "give either `top` or `topPercent`", "topPercent");
  }
  if (by_percent) {
    const auto percent = target.whole_number("topPercent", 100, 1, 100);
    if (!percent) return fail(percent.error());
    return (players * static_cast<std::uint64_t>(*percent) + 99) / 100;
  }
  const auto top =
      target.whole_number("top", std::numeric_limits<std::int64_t>::max(), 1, std::numeric_limits<std::int64_t>::max());
  if (!top) return fail(top.error());
  return std::min(players, static_cast<std::uint64_t>(*top));
}

/// A spreadsheet takes what begins so for a formula (CWE-1236); an apostrophe has it taken for text.
bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

void append_csv_text(std::string& out, std::string_view text) {
  const bool guarded = looks_like_formula(text);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    if (guarded) out += '\'';
    out += text;
    return;
  }
  out += guarded ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_line(std::string& out, const leaderboards::Entry& entry, const leaderboards::Definition& definition,
                 Format format) {
  if (format != Format::csv) {
    out += '{';
    append_entry(out, entry, definition);
    out += '}';
    return;
  }
  append_number(out, entry.rank);
  out += ',';
  append_csv_text(out, entry.player.text());
  out += ',';
  append_scaled(out, entry.standing.points, definition.scale);
  out += ',';
  append_timestamp(out, entry.standing.achieved_at);
  append_criteria_fields(out, definition, entry.standing.extra);
  out += "\r\n";
}

struct ArchiveCall {
  std::shared_ptr<const leaderboards::LeaderboardRecord> record;
  Season season;
  Format format = Format::json;
  std::uint64_t count = 0;
};

Result<ArchiveCall> read_archive_call(const Call& call) {
  if (auto known = call.target.allow_only({"format", "top", "topPercent"}); !known) {
    return fail(std::move(known.error()));
  }
  const auto view = view_board(call, call.params[0], call.params[1]);
  if (!view) return fail(view.error());
  const Season* const season = leaderboards::find_season(*view->record, view->season);
  if (season == nullptr) return fail(Code::not_found, "nobody has opened this season yet", "season");
  const auto format = read_format(call.target);
  if (!format) return fail(format.error());
  if (season->state != SeasonState::closed) {
    return fail(Code::conflict, "the season is not closed yet: it has no archive", "season");
  }
  const auto count = read_count(call.target, season->players);
  if (!count) return fail(count.error());
  return ArchiveCall{view->record, *season, *format, *count};
}

/// Everybody down to `count`, and who shares the rank of the last one.
Result<void> append_lines(std::string& out, const Call& call, const ArchiveCall& asked) {
  std::uint64_t position = 1, last_rank = 0;
  while (true) {
    const auto lines =
        call.context.service.archived(asked.record->definition.name, asked.season.id, position, kLinesAtATime);
    if (!lines) return fail(lines.error());
    for (const ArchivedEntry& line : *lines) {
      if (line.position > asked.count && line.entry.rank != last_rank) return {};
      last_rank = line.entry.rank;
      if (asked.format == Format::json && line.position > 1) out += ',';
      append_line(out, line.entry, asked.record->definition, asked.format);
      if (asked.format == Format::jsonl) out += '\n';
    }
    if (lines->size() < kLinesAtATime) return {};
    position += lines->size();
  }
}

}  // namespace

void close_season(const Call& call, Responder responder) {
  const auto known = call.target.allow_only({});
  if (!known) return responder.send(problem(known.error()));
  const auto view = view_board(call, call.params[0], call.params[1]);
  if (!view) return responder.send(problem(view.error()));
  change_on_writer(
      call, std::move(responder),
      [name = view->record->definition.name, id = view->season](leaderboards::Service& service) -> Result<Response> {
        const auto season = service.close_season(name, id);
        if (!season) return fail(season.error());
        std::string out;
        append_season(out, *season, service.clock().now());
        return json(std::move(out), season->state == SeasonState::closed ? 200 : 202);
      });
}

Result<Response> export_archive(const Call& call) {
  const auto asked = read_archive_call(call);
  if (!asked) return fail(asked.error());
  Response response;
  std::string& out = response.body;
  if (asked->format == Format::json) {
    out += R"({"season":)";
    append_number(out, asked->season.id.value);
    out += R"(,"players":)";
    append_number(out, asked->season.players);
    out += R"(,"entries":[)";
  } else if (asked->format == Format::csv) {
    response.content_type = "text/csv; charset=utf-8; header=present";
    out += "rank,player_id,points,achieved_at";
    append_criteria_columns(out, asked->record->definition);
    out += "\r\n";
  } else {
    response.content_type = "application/x-ndjson";
  }
  if (auto appended = append_lines(out, call, *asked); !appended) return fail(std::move(appended).error());
  if (asked->format == Format::json) out += "]}";
  return response;
}

}  // namespace scoreline::http
