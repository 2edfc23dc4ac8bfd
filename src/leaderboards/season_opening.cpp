#include "leaderboards/season_opening.h"

#include <optional>
#include <vector>

#include "leaderboards/season_boards.h"

namespace scoreline::leaderboards {
namespace {

constexpr std::chrono::milliseconds kRetryWhileOpening{500};

/// Whether the ledger has the season by now.
Result<bool> is_open(Catalogue& catalogue, const LeaderboardName& leaderboard, SeasonId season) {
  if (const auto read = catalogue.refresh(); !read) return fail(read.error());
  return catalogue.find(leaderboard.text()).map([season](const auto& record) {
    return find_season(*record, season) != nullptr;
  });
}

}  // namespace

Result<void> open_season(Catalogue& catalogue, RankIndex& index, const LeaderboardName& leaderboard,
                         const Season& season, Timestamp now) {
  if (index.exclusive()) return catalogue.open_season(leaderboard, season);
  auto open = is_open(catalogue, leaderboard, season.id);
  if (!open) return fail(open.error());
  if (*open) return catalogue.open_season(leaderboard, season);

  const Definition definition = (*catalogue.find(leaderboard.text()))->definition;
  if (const auto valid = validate(definition, season); !valid) return valid;
  const std::vector<Board> boards = boards_of(definition, season, now);
  for (const Board& board : boards) {
    const auto begun = index.begin_load(board);
    if (begun) continue;
    if (begun.error().code != Code::conflict) return begun;
    return fail(Error{Code::not_ready, "another process is opening the season", {}, kRetryWhileOpening});
  }
  open = is_open(catalogue, leaderboard, season.id);
  if (!open) return fail(open.error());
  if (const auto opened = catalogue.open_season(leaderboard, season); !opened) return opened;
  // It was opened between the two looks: its results may be there too, and Service::heal finishes the load with them.
  if (*open) return fail(Error{Code::not_ready, "another process has just opened the season", {}, kRetryWhileOpening});
  for (const Board& board : boards) {
    const auto loaded = index.load(board, 0, [] { return std::optional<Offer>(); });
    if (!loaded) return loaded;
  }
  return {};
}

}  // namespace scoreline::leaderboards
