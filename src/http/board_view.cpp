#include "http/board_view.h"

#include <utility>

#include "base/timestamp.h"
#include "http/board_text.h"
#include "http/cursor.h"
#include "http/json_text.h"
#include "leaderboards/calendar.h"

namespace scoreline::http {
namespace {

Result<std::optional<Timestamp>> read_as_of(const Target& target) {
  const auto text = target.parameter("asOf");
  if (!text) return std::optional<Timestamp>();
  auto at = parse_timestamp(*text);
  if (at) return std::optional(*at);
  return fail(Code::invalid, std::move(at.error().detail), "asOf");
}

/// `day`: when the leaderboard's day began.
Result<std::optional<Timestamp>> read_since(const Target& target, const leaderboards::PeriodRules& days,
                                            Timestamp now) {
  const auto text = target.parameter("since");
  if (!text) return std::optional<Timestamp>();
  if (*text == "day") {
    const leaderboards::Calendar calendar(days);
    return std::optional(calendar.span_of(calendar.day_of(now)).from);
  }
  const auto at = parse_timestamp(*text);
  if (at) return std::optional(*at);
  return fail(Code::invalid, "must be `day`, or a time like 2026-10-12T18:00:00Z", "since");
}

}  // namespace

Result<BoardView> view_board(const Call& call, std::string_view leaderboard, std::string_view season) {
  const auto parsed = parse_season(season);
  if (!parsed) return fail(parsed.error());
  const auto as_of = read_as_of(call.target);
  if (!as_of) return fail(as_of.error());
  const std::string period(call.target.parameter("period").value_or("season"));
  if (period.empty()) return fail(Code::invalid, "must be season, day:2026-10-12 or week:2026-W41", "period");
  const auto board = call.context.service.resolve({leaderboard, *parsed, *as_of, period});
  if (!board) return fail(board.error());
  auto record = call.context.service.catalogue().find(leaderboard);
  if (!record) return fail(std::move(record.error()));
  const auto since =
      read_since(call.target, (*record)->definition.periods, as_of->value_or(call.context.service.clock().now()));
  if (!since) return fail(since.error());
  return BoardView{std::move(*record), board->id.season, board->id.period, *as_of, *since};
}

void append_board(std::string& out, const BoardView& board) {
  out += R"({"season":)";
  append_number(out, board.season.value);
  out += R"(,"period":")";
  out += to_string(board.period);
  out += '"';
  if (!board.as_of) return;
  out += R"(,"asOf":")";
  append_timestamp(out, *board.as_of);
  out += '"';
}

std::string entries_page(const BoardView& board, const leaderboards::Page& page) {
  std::string out;
  out.reserve(64 + page.entries.size() * 128);
  append_board(out, board);
  out += R"(,"players":)";
  append_number(out, page.players);
  out += R"(,"entries":)";
  append_entries(out, page.entries, board.definition());
  out += '}';
  return out;
}

void append_cursors(std::string& out, const BoardView& board, const leaderboards::Page& page) {
  const auto append = [&](const leaderboards::Entry* place, bool backwards) {
    if (place == nullptr) {
      out += "null";
      return;
    }
    out += '"';
    out += encode_cursor(
        {{board.record->definition.name, board.season, board.period}, place->player, place->standing, backwards});
    out += '"';
  };
  const bool is_first = page.entries.empty() || page.first_position <= 1;
  const bool is_last = page.entries.empty() || page.first_position + page.entries.size() > page.players;
  out += R"("previous":)";
  append(is_first ? nullptr : &page.entries.front(), true);
  out += R"(,"next":)";
  append(is_last ? nullptr : &page.entries.back(), false);
}

std::string article_page(const BoardView& board, const leaderboards::Page& page) {
  std::string out;
  append_article_entries(out, page.entries, board.scale());
  return out;
}

}  // namespace scoreline::http
