#include "http/event_hub.h"

#include <xxhash.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "http/board_view.h"

namespace scoreline::http {
namespace {

using leaderboards::BoardRef;
using leaderboards::PlayerId;

/// Who joins is told soon, but many who join at once are told together.
constexpr std::chrono::milliseconds kGather{20};

bool is_gone(const std::weak_ptr<EventListener>& listener) { return listener.expired(); }

}  // namespace

EventHub::EventHub(leaderboards::Service& service, std::chrono::milliseconds every) : service_(service), every_(every) {
  if (every_.count() > 0) thread_ = std::thread([this] { run(); });
}

EventHub::~EventHub() { stop(); }

void EventHub::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EventHub::run() {
  std::unique_lock lock(mutex_);
  const auto stopping = [this] { return stopping_; };
  Monotonic looked = service_.clock().monotonic();
  bool due = true;
  while (!stopping_) {
    wake_.wait(lock, [this] { return stopping_ || !watches_.empty(); });
    if (wake_.wait_for(lock, kGather, stopping)) return;
    joined_ = false;
    lock.unlock();
    if (due) looked = service_.clock().monotonic();
    tell(due ? Whom::all : Whom::joined);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(service_.clock().monotonic() - looked);
    lock.lock();
    // Who joins must not put off the others' next look.
    const bool woken = wake_.wait_for(lock, every_ - kGather - since, [this] { return stopping_ || joined_; });
    due = !woken || service_.clock().monotonic() - looked >= every_ - kGather;
  }
}

Result<std::shared_ptr<BodyStream>> EventHub::listen(const Topic& topic, std::optional<PlayerId> player,
                                                     std::string_view last_id, std::weak_ptr<AnswerSink> waker) {
  if (listeners() >= allowed_) {
    return fail(Error{Code::overloaded, "too many listen already", {}, std::chrono::seconds{10}});
  }
  auto listener = std::make_shared<EventListener>(std::move(player), last_id, std::move(waker), count_);
  {
    const std::lock_guard lock(mutex_);
    watches_[topic].joined.push_back(listener);
    joined_ = true;
  }
  wake_.notify_one();
  return listener;
}

void EventHub::tick() { tell(Whom::all); }

void EventHub::tell(Whom whom) {
  const std::lock_guard ticking(ticking_);
  std::vector<std::pair<const Topic, Watch>*> watched;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(watches_, [](const auto& each) {
      const Watch& watch = each.second;
      return std::all_of(watch.listeners.begin(), watch.listeners.end(), is_gone) &&
             std::all_of(watch.joined.begin(), watch.joined.end(), is_gone);
    });
    for (auto& each : watches_) {
      if (whom == Whom::all || !each.second.joined.empty()) watched.push_back(&each);
    }
  }
  for (const auto each : watched) look(each->first, each->second);
}

EventHub::Listeners EventHub::take_joined(Watch& watch) {
  const std::lock_guard lock(mutex_);
  Listeners joined;
  for (auto& each : watch.joined) {
    if (auto listener = each.lock()) joined.push_back(std::move(listener));
  }
  watch.joined.clear();
  watch.listeners.insert(watch.listeners.end(), joined.begin(), joined.end());
  if (watch.listeners.size() >= watch.tidy_at) {
    std::erase_if(watch.listeners, is_gone);
    watch.tidy_at = 64 + 2 * watch.listeners.size();
  }
  return joined;
}

EventHub::Listeners EventHub::present(Watch& watch) {
  const std::lock_guard lock(mutex_);
  Listeners present;
  present.reserve(watch.listeners.size());
  for (const auto& each : watch.listeners) {
    if (auto listener = each.lock()) present.push_back(std::move(listener));
  }
  return present;
}

void EventHub::look(const Topic& topic, Watch& watch) {
  Listeners told = take_joined(watch);
  BoardRef ref{topic.leaderboard, topic.season, std::nullopt, topic.period};
  const auto board = service_.resolve(ref);
  const auto version = board ? service_.version(ref) : fail(board.error());
  // A board that cannot be read now, or is gone, is no news: readers are told so when they ask.
  if (!version) {
    watch.version.reset();
    return;
  }
  ref.season = board->id.season;
  ref.period = to_string(board->id.period);
  const bool is_another = watch.season != *ref.season || watch.period != board->id.period;
  if (watch.version != *version || is_another) {
    if (!read_top(ref, watch, topic.top)) return watch.version.reset();
    told = present(watch);
    watch.season = *ref.season;
    watch.period = board->id.period;
    if (is_another) {
      for (const auto& listener : told) listener->forget_place();
    }
    watch.version = *version;
  }
  for (const auto& listener : told) listener->show_top(watch.top);
  if (!tell_places(ref, told)) watch.version.reset();
}

bool EventHub::read_top(const BoardRef& board, Watch& watch, std::size_t limit) {
  auto record = service_.catalogue().find(board.leaderboard);
  const auto page = service_.top(board, limit);
  if (!record || !page) return false;
  const auto period = leaderboards::parse_period(board.period, (*record)->definition.periods.week_start);
  if (!period) return false;
  const BoardView view{*std::move(record), *board.season, *period};
  auto top = std::make_shared<BoardTop>();
  top->text = entries_page(view, *page);
  append_board(top->head, view);
  top->head.erase(0, 1);  // its brace
  top->hash = XXH3_64bits(top->text.data(), top->text.size());
  top->limit = limit;
  top->players = page->players;
  top->record = view.record;
  watch.top = std::move(top);
  return true;
}

bool EventHub::tell_places(const BoardRef& board, const Listeners& listeners) {
  std::unordered_map<std::string_view, std::vector<EventListener*>> by_player;
  std::vector<PlayerId> players;
  for (const auto& listener : listeners) {
    if (!listener->player()) continue;
    auto& same = by_player[listener->player()->text()];
    if (same.empty()) players.push_back(*listener->player());
    same.push_back(listener.get());
  }
  for (std::size_t from = 0; from < players.size(); from += kMaxEntries) {
    const std::size_t count = std::min(kMaxEntries, players.size() - from);
    const auto places = service_.ranks_of(board, std::span(players).subspan(from, count));
    if (!places) return false;
    for (std::size_t i = 0; i < count; ++i) {
      for (EventListener* const listener : by_player[players[from + i].text()]) listener->show_place((*places)[i]);
    }
  }
  return true;
}

}  // namespace scoreline::http
