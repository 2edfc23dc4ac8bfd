// The rebuilds and reconciles that were asked for over HTTP: one at a time, on a thread of its own, and the last of
// each board is remembered.
//
// Thread safety: all calls from any thread. The destructor waits for the task under way.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "leaderboards/board_drift.h"
#include "leaderboards/service.h"

namespace scoreline::http {

class BoardTasks {
 public:
  enum class Kind : std::uint8_t { rebuild, reconcile };

  struct Task {
    Kind kind = Kind::rebuild;
    leaderboards::Board board;
    std::shared_ptr<const leaderboards::LeaderboardRecord> record = {};  ///< what the numbers of its standings mean
    bool repair = false;  ///< reconcile: makes the board again when it is not what the ledger says
    Timestamp started_at = {};
    leaderboards::ScanProgress progress = {};
    std::optional<Timestamp> ended_at = {};  ///< nullopt: it runs
    std::optional<Error> failure = {};
    std::optional<leaderboards::Drift> drift = {};  ///< reconcile, once it has ended well: before the repair
    bool repaired = false;
  };

  explicit BoardTasks(leaderboards::Service& service) : service_(service) {}
  ~BoardTasks();
  BoardTasks(const BoardTasks&) = delete;
  BoardTasks& operator=(const BoardTasks&) = delete;

  /// Begins it, or joins the same one under way. Errors: conflict while another one runs.
  Result<Task> start(Task task);
  /// The one under way, else the last; nullopt when there was none since this process began.
  std::optional<Task> last(Kind kind, const leaderboards::BoardId& board) const;
  /// The last reconciles that ended well, of all boards.
  std::vector<Task> reconciled() const;

 private:
  void run(Task task);
  Result<void> work(Task& task);
  void remember(Task task);

  leaderboards::Service& service_;
  mutable std::mutex mutex_;
  std::optional<Task> running_;
  std::vector<Task> ended_;  // the last of each kind and board; the oldest first
  std::thread thread_;
};

}  // namespace scoreline::http
