// Reads of single players, joined: those that come while one is under way are asked for together, in one call of many.
//
// No thread of its own: a reader who finds nobody asking for the board asks, for all that wait. What a reader is told
// was read after it came.
//
// Thread safety: all calls from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/values.h"

namespace scoreline::redis {

class JoinedReads {
 public:
  using Answer = Result<std::optional<leaderboards::Place>>;
  /// One answer per player, in their order.
  using Ask = std::function<std::vector<Answer>(std::span<const leaderboards::PlayerId>)>;

  /// `board`: equal texts are the same board under the same definition. `ask` is called for this player, and for others
  /// of the board with it, or not at all.
  Answer read(const std::string& board, const leaderboards::PlayerId& player, const Ask& ask);

 private:
  struct Reader {
    const leaderboards::PlayerId& player;
    std::condition_variable wake;
    std::optional<Answer> answer;
  };
  struct Line {
    std::vector<Reader*> waiting;  // the first comes first
    bool asked = false;            // somebody asks for some who waited
  };

  std::vector<Reader*> take(Line& line);

  std::mutex mutex_;
  std::unordered_map<std::string, Line> lines_;  // of boards that somebody reads right now
};

}  // namespace scoreline::redis
