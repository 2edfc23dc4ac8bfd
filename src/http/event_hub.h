// Who listens to boards, and what they hear: a board is looked at once a tick however many listen to it.
//
// What a listener hears is always the present: the top as it is, and where the player stands. Who is slow misses what
// was in between, never the end; nothing is queued for anybody.
//
// Thread safety: every call from any thread. Lock order: the hub's before a listener's.
// Cost: a tick costs one version a board, and between ticks one of each board that somebody joins; a board that
// changed, its top and one look-up a player who is listened for. Memory: a few hundred bytes a listener, one text a
// board.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "http/event_listener.h"
#include "http/message.h"
#include "leaderboards/service.h"
#include "leaderboards/values.h"

namespace scoreline::http {

/// Which board is listened to, and how much of its top.
struct Topic {
  std::string leaderboard;
  std::optional<leaderboards::SeasonId> season;  ///< nullopt: whichever is current
  std::size_t top = 0;                           ///< entries, 1..kMaxEntries
  std::string period = {};                       ///< as in BoardRef: `day` is whichever runs
  friend auto operator<=>(const Topic&, const Topic&) = default;
};

class EventHub {
 public:
  /// Ticks by itself, every `every`, while somebody listens. 0: only when tick() is called. `service` must outlive it.
  EventHub(leaderboards::Service& service, std::chrono::milliseconds every);
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// `player`: whose rank is told too. `last_id`: of the last event that the listener had, in an earlier connection.
  /// `waker` hears when the stream has more. Errors: overloaded.
  Result<std::shared_ptr<BodyStream>> listen(const Topic& topic, std::optional<leaderboards::PlayerId> player,
                                             std::string_view last_id, std::weak_ptr<AnswerSink> waker);

  /// Looks at every board that is listened to, and tells what changed.
  void tick();

  std::size_t listeners() const { return count_->load(std::memory_order_relaxed); }

  /// So many at once; at first as many as come. Before the first one.
  void allow(std::size_t listeners) { allowed_ = listeners; }

  /// No more ticks. The listeners stay until their connections end.
  void stop();

 private:
  using Listeners = std::vector<std::shared_ptr<EventListener>>;
  struct Watch {
    // Only the tick under way touches these.
    std::shared_ptr<const BoardTop> top;   ///< nullptr: not looked at yet
    std::optional<std::uint64_t> version;  ///< of the board that everybody was told of; nullopt: somebody was not
    leaderboards::SeasonId season;
    leaderboards::Period period;
    // Guarded by mutex_.
    std::vector<std::weak_ptr<EventListener>> listeners;  ///< some may be gone
    std::vector<std::weak_ptr<EventListener>> joined;     ///< since the last look
    std::size_t tidy_at = 64;                             ///< listeners: when those that are gone are looked for
  };

  enum class Whom { all, joined };  ///< of the boards: each, or those that somebody has joined since the last look

  void run();
  void tell(Whom whom);
  /// Those who have joined become listeners like the others.
  Listeners take_joined(Watch& watch);
  Listeners present(Watch& watch);
  void look(const Topic& topic, Watch& watch);
  /// The top as it is now; whether it could be read.
  bool read_top(const leaderboards::BoardRef& board, Watch& watch, std::size_t limit);
  /// Tells `listeners` where their players stand; whether all could be told.
  bool tell_places(const leaderboards::BoardRef& board, const Listeners& listeners);

  leaderboards::Service& service_;
  const std::chrono::milliseconds every_;
  std::size_t allowed_ = std::numeric_limits<std::size_t>::max();
  const std::shared_ptr<std::atomic<std::size_t>> count_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::mutex ticking_;  // one tick at a time
  std::mutex mutex_;
  std::map<Topic, Watch> watches_;  // guarded by mutex_; only a tick takes one away
  bool joined_ = false;             // guarded by mutex_: somebody has come since the last tick
  bool stopping_ = false;           // guarded by mutex_
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scoreline::http
