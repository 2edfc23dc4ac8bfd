#include "adapters/redis/seen_boards.h"

#include <algorithm>

namespace scoreline::redis {

using leaderboards::BoardId;

std::uint64_t SeenBoards::seq(const BoardId& board) const {
  const std::lock_guard lock(mutex_);
  const auto at = boards_.find(board);
  return at == boards_.end() ? 0 : at->second.seq;
}

void SeenBoards::saw(const BoardId& board, std::uint64_t seq, Monotonic at) {
  const std::lock_guard lock(mutex_);
  Seen& seen = boards_[board];
  if (seq < seen.seq) return;  // an answer that others have overtaken
  seen = Seen{seq, at};
}

std::optional<std::uint64_t> SeenBoards::fresh(const BoardId& board, Monotonic now) const {
  const std::lock_guard lock(mutex_);
  const auto at = boards_.find(board);
  if (at == boards_.end() || !at->second.at || now - *at->second.at >= kVersionLasts) return std::nullopt;
  return at->second.seq;
}

void SeenBoards::doubt(const BoardId& board) {
  const std::lock_guard lock(mutex_);
  if (const auto at = boards_.find(board); at != boards_.end()) at->second.at.reset();
}

}  // namespace scoreline::redis
