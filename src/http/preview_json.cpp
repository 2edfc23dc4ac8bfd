#include "http/preview_json.h"

#include <optional>
#include <string_view>

#include "http/board_text.h"
#include "http/json_text.h"

namespace scoreline::http {
namespace {

void append_place(std::string& out, std::string_view key, const std::optional<leaderboards::Entry>& entry,
                  const leaderboards::Definition& definition) {
  out += key;
  if (!entry) {
    out += "null";
    return;
  }
  out += '{';
  append_entry(out, *entry, definition);
  out += '}';
}

void append_count(std::string& out, std::string_view key, std::uint64_t count) {
  out += key;
  append_number(out, count);
}

void append_board(std::string& out, const leaderboards::PreviewedBoard& board,
                  const leaderboards::Definition& definition) {
  out += R"({"season":)";
  append_number(out, board.board.season.value);
  out += R"(,"period":")";
  out += to_string(board.board.period);
  append_count(out, R"(","players":)", board.players_before);
  append_count(out, R"(,"playersAfter":)", board.players_after);
  append_count(out, R"(,"movingUp":)", board.moving_up);
  append_count(out, R"(,"movingDown":)", board.moving_down);
  out += R"(,"changes":[)";
  for (const leaderboards::PreviewedPlayer& each : board.players) {
    if (&each != board.players.data()) out += ',';
    out += R"({"playerId":)";
    append_quoted(out, each.player.text());
    append_place(out, R"(,"before":)", each.before, definition);
    append_place(out, R"(,"after":)", each.after, definition);
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string preview_json(const leaderboards::Preview& preview, const leaderboards::Definition& definition) {
  std::string out;
  append_count(out, R"({"preview":true,"results":)", preview.results);
  append_count(out, R"(,"archives":)", preview.archives);
  out += R"(,"boards":[)";
  for (const leaderboards::PreviewedBoard& board : preview.boards) {
    if (&board != preview.boards.data()) out += ',';
    append_board(out, board, definition);
  }
  return out + "]}";
}

}  // namespace scoreline::http
