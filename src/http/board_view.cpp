#include "http/board_view.h"

#include <utility>

#include "http/board_text.h"
#include "http/json_text.h"

namespace scoreline::http {
namespace {

void append_header(std::string& out, leaderboards::SeasonId season, std::uint64_t players) {
  out += R"({"season":)";
  append_number(out, season.value);
  out += R"(,"period":"season","players":)";
  append_number(out, players);
}

}  // namespace

Result<BoardView> view_board(const Call& call, std::string_view leaderboard, std::string_view season) {
  if (auto period = check_period(call.target); !period) return fail(std::move(period.error()));
  const auto parsed = parse_season(season);
  if (!parsed) return fail(parsed.error());
  const auto board = call.context.service.resolve({leaderboard, *parsed});
  if (!board) return fail(board.error());
  auto record = call.context.service.catalogue().find(leaderboard);
  if (!record) return fail(std::move(record.error()));
  return BoardView{std::move(*record), board->id.season};
}

std::string entries_page(const BoardView& board, const leaderboards::Page& page) {
  std::string out;
  out.reserve(64 + page.entries.size() * 128);
  append_header(out, board.season, page.players);
  out += R"(,"entries":)";
  append_entries(out, page.entries, board.scale());
  out += '}';
  return out;
}

std::string article_page(const BoardView& board, const leaderboards::Page& page) {
  std::string out;
  append_article_entries(out, page.entries, board.scale());
  return out;
}

}  // namespace scoreline::http
