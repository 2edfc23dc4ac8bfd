#include "leaderboards/season_boards.h"

#include "leaderboards/calendar.h"

namespace scoreline::leaderboards {
namespace {

Board with_period(Board board, const Period& period, const Calendar& calendar) {
  board.id.period = period;
  board.span = calendar.span_of(period);
  board.kept_until = calendar.kept_until(period);
  return board;
}

}  // namespace

std::vector<Board> live_boards_of(const Definition& definition, const Season& season, Timestamp now) {
  std::vector<Board> boards = boards_of(definition, season, now);
  if (season.state == SeasonState::closed) boards.erase(boards.begin());
  return boards;
}

bool meets(const Season& season, const Span& span) {
  return !span.is_empty() && (!season.start || *season.start < span.until) && (!season.end || span.from < *season.end);
}

Board board_of(const Definition& definition, const Season& season, const Period& period) {
  Board board = board_of(definition, season);
  if (period.kind == Period::Kind::season) return board;
  return with_period(std::move(board), period, Calendar(definition.periods));
}

std::vector<Board> boards_of(const Definition& definition, const Season& season, Timestamp now) {
  std::vector<Board> boards{board_of(definition, season)};
  if (!definition.periods.days && !definition.periods.weeks) return boards;
  const Calendar calendar(definition.periods);
  for (const Period& period : calendar.kept(now)) {
    Board board = with_period(boards.front(), period, calendar);
    if (meets(season, board.span)) boards.push_back(std::move(board));
  }
  return boards;
}

}  // namespace scoreline::leaderboards
