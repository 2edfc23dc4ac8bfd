// Keeps seasons to their times: opens the next one by schedule ahead of its start, closes those whose grace is over,
// archives those that are closing, and has the index forget the boards of closed ones.
//
// Each process has one; over shared stores they do the same, and the stores decide who was first. A process that dies
// leaves what another one, or the same after its restart, goes on with.
//
// One thread. Thread safety: construction and destruction from one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "ingest/pipeline.h"
#include "leaderboards/ledger.h"
#include "leaderboards/season_closing.h"
#include "leaderboards/service.h"

namespace scoreline::app {

/// A season by schedule is open so long before it starts.
inline constexpr std::chrono::milliseconds kOpenSeasonsAhead = std::chrono::minutes{5};

class SeasonKeeper {
 public:
  /// Looks every `every`. `tell` hears what an operator should know; on the keeper's thread. All must outlive it.
  SeasonKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline, leaderboards::Ledger& ledger,
               leaderboards::RankIndex& index, leaderboards::PastBoards::MakeIndex make_index, const Clock& clock,
               std::function<void(const std::string&)> tell, std::chrono::milliseconds every);
  ~SeasonKeeper();
  SeasonKeeper(const SeasonKeeper&) = delete;
  SeasonKeeper& operator=(const SeasonKeeper&) = delete;

 private:
  using Record = leaderboards::LeaderboardRecord;
  void run();
  Result<void> look();
  Result<void> look_at(const Record& record);
  Result<void> open_next(const Record& record);
  Result<void> close(const Record& record, const leaderboards::Season& season);
  /// The season is open: one before it, of a leaderboard that was dropped, may have been closed.
  void forget(const leaderboards::BoardId& board);
  /// Errors: when it is time to stop.
  Result<void> go_on();
  Result<void> drop(const Record& record, const leaderboards::Season& season);
  /// Tells a failure once, and the end of it.
  void report(const Result<void>& looked);

  leaderboards::Service& service_;
  ingest::Pipeline& pipeline_;
  const Clock& clock_;
  const std::function<void(const std::string&)> tell_;
  const std::chrono::milliseconds every_;
  leaderboards::SeasonClosing closing_;
  // Boards are dropped one look after the season is known to be closed: who began to read one has ended by then.
  std::set<leaderboards::BoardId> known_closed_, dropped_;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scoreline::app
