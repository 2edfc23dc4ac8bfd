#include "leaderboards/lost_boards.h"

namespace scoreline::leaderboards {

Result<void> unless_lost(const RankIndex& index, const Board& board, Result<void> done) {
  if (done) return done;
  const auto loaded = index.is_loaded(board);
  return loaded && !*loaded ? Result<void>() : done;
}

}  // namespace scoreline::leaderboards
