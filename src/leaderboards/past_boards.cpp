#include "leaderboards/past_boards.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace scoreline::leaderboards {
namespace {

constexpr std::chrono::minutes kKeptFor{1};

}  // namespace

Result<std::shared_ptr<const BoardReader>> PastBoards::at(const Board& board, Timestamp at) {
  const auto find = [&]() -> std::shared_ptr<const BoardReader> {
    const std::lock_guard lock(mutex_);
    const Monotonic now = clock_.monotonic();
    kept_.remove_if([now](const Kept& each) { return now - each.made >= kKeptFor; });
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& each) { return each.id == board.id && each.at == at; });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return found->index;
  };
  if (auto kept = find()) return kept;
  const std::lock_guard making(making_);
  if (auto kept = find()) return kept;  // made while we waited

  std::uint64_t forgotten = 0;
  {
    const std::lock_guard lock(mutex_);
    forgotten = forgotten_;
  }
  std::shared_ptr<RankIndex> index = make_index_();
  if (const auto made = maker_.make_as_of(board, at, *index); !made) return fail(made.error());
  const std::lock_guard lock(mutex_);
  if (forgotten == forgotten_) {
    kept_.push_front({board.id, at, clock_.monotonic(), index});
    if (kept_.size() > kKeptPastBoards) kept_.pop_back();
  }
  return index;
}

void PastBoards::forget() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  ++forgotten_;
}

}  // namespace scoreline::leaderboards
