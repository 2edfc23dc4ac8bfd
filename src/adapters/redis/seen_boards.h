// The greatest seq of each board that this node has seen: it tells a server that went back in time, and saves asking
// for versions.
//
// Thread safety: any thread. Cost: one entry for each board that was ever read or written here.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "leaderboards/values.h"

namespace scoreline::redis {

/// How long a version is believed without asking the server.
inline constexpr std::chrono::milliseconds kVersionLasts = std::chrono::seconds{1};

class SeenBoards {
 public:
  /// 0 before the first answer.
  std::uint64_t seq(const leaderboards::BoardId& board) const;
  void saw(const leaderboards::BoardId& board, std::uint64_t seq, Monotonic at);
  /// The seq, if the last answer is not older than kVersionLasts.
  std::optional<std::uint64_t> fresh(const leaderboards::BoardId& board, Monotonic now) const;
  /// The board turned out to be stale: what was seen is nothing to show any more, but still what a loaded board must be
  /// beyond.
  void doubt(const leaderboards::BoardId& board);

 private:
  struct Seen {
    std::uint64_t seq = 0;
    std::optional<Monotonic> at;
  };

  mutable std::mutex mutex_;
  std::unordered_map<leaderboards::BoardId, Seen> boards_;
};

}  // namespace scoreline::redis
