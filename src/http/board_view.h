// A board that a reader asked for, and what is needed to write it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/routes.h"
#include "leaderboards/service.h"

namespace scoreline::http {

inline constexpr std::size_t kDefaultEntries = 100;

struct BoardView {
  std::shared_ptr<const leaderboards::LeaderboardRecord> record;
  leaderboards::SeasonId season;
  leaderboards::Period period = {};
  std::optional<Timestamp> as_of = {};  ///< as it stood then; nullopt: as it is
  std::optional<Timestamp> since = {};  ///< entries tell the ranks of then too

  leaderboards::BoardRef ref() const {
    return {record->definition.name.text(), season, as_of, to_string(period), since};
  }
  const leaderboards::Definition& definition() const { return record->definition; }
  int scale() const { return record->definition.scale; }
};

/// The query parameters that say which board is meant.
inline constexpr std::array<std::string_view, 2> kBoardParameters{"period", "asOf"};
/// And what is told of its entries.
inline constexpr std::array<std::string_view, 3> kEntryParameters{"period", "asOf", "since"};

/// `season`: an id or `current`. Errors: invalid, not_found, not_ready.
Result<BoardView> view_board(const Call& call, std::string_view leaderboard, std::string_view season);

/// `{"season":12,"period":"season"`, and `,"asOf":"2026-10-12T18:00:00Z"` of a board of the past.
void append_board(std::string& out, const BoardView& board);

/// `{"season":12,"period":"season","players":3,"entries":[…]}`
std::string entries_page(const BoardView& board, const leaderboards::Page& page);

/// `"previous":…,"next":…`: the cursors of the pages around this one, null where there is none.
void append_cursors(std::string& out, const BoardView& board, const leaderboards::Page& page);

/// The article's: a bare array.
std::string article_page(const BoardView& board, const leaderboards::Page& page);

}  // namespace scoreline::http
