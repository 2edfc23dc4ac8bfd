// One listener: what it knows, what it has been told, and the events that lead from one to the other.
//
// Thread safety: every call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "leaderboards/ledger.h"
#include "leaderboards/values.h"

namespace scoreline::http {

/// The top of a board as an event carries it.
struct BoardTop {
  std::string text;  ///< JSON, as the top is read
  std::string head;  ///< `"season":12,"period":"season"`: how the rank events of this board begin
  std::uint64_t hash = 0;
  std::size_t limit = 0;
  std::uint64_t players = 0;
  std::shared_ptr<const leaderboards::LeaderboardRecord> record = {};  ///< what the numbers of its entries mean
};

class EventListener final : public BodyStream {
 public:
  using Count = std::shared_ptr<std::atomic<std::size_t>>;

  /// Counts itself in `count` while it lives. `last_id` as it was given in an earlier event; anything else is as none.
  EventListener(std::optional<leaderboards::PlayerId> player, std::string_view last_id, std::weak_ptr<AnswerSink> waker,
                Count count);
  ~EventListener() override;

  const std::optional<leaderboards::PlayerId>& player() const { return player_; }
  /// Whether it was told where its player stands on this board.
  bool knows_place() const;

  void show_top(std::shared_ptr<const BoardTop> top);
  /// nullopt: not on the board.
  void show_place(const std::optional<leaderboards::Entry>& place);
  /// Another board takes the place of the one before.
  void forget_place();

  std::string next() override;

 private:
  bool has_news() const;
  void wake_if(bool had_news);
  void append_top(std::string& out);
  void append_rank(std::string& out);
  void append_id(std::string& out) const;

  const std::optional<leaderboards::PlayerId> player_;
  const std::weak_ptr<AnswerSink> waker_;
  const Count count_;

  mutable std::mutex mutex_;
  std::shared_ptr<const BoardTop> top_;
  std::optional<std::optional<leaderboards::Entry>> place_;  // nullopt: not known yet
  // What it was told last.
  bool greeted_ = false;
  std::uint64_t told_top_ = 0;    // its hash; 0: none
  std::uint64_t told_place_ = 0;  // the hash of rank and standing; 0: none
  std::uint64_t told_rank_ = 0;   // 0: none, or not on the board
};

}  // namespace scoreline::http
