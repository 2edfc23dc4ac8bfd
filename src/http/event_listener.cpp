#include "http/event_listener.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/board_text.h"
#include "http/json_text.h"

namespace scoreline::http {
namespace {

using leaderboards::Entry;
using leaderboards::PlayerId;

/// How long a listener waits before it comes back, in milliseconds.
constexpr std::string_view kRetry = "retry: 2000\n\n";

/// What an id carries, `0123456789abcdef-7-0123456789abcdef`: the hash of the top, the rank, the hash of the place.
struct Told {
  std::uint64_t top = 0;
  std::uint64_t rank = 0;
  std::uint64_t place = 0;
};

/// nullopt when the id is none of ours.
std::optional<Told> read_id(std::string_view id) {
  const auto take = [&id](std::uint64_t& value, int base) {
    const std::string_view part = id.substr(0, id.find('-'));
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value, base);
    id.remove_prefix(std::min(part.size() + 1, id.size()));
    return error == std::errc{} && rest == part.data() + part.size();
  };
  Told told;
  if (!take(told.top, 16) || !take(told.rank, 10) || !take(told.place, 16) || !id.empty()) return std::nullopt;
  return told;
}

std::uint64_t rank_of(const std::optional<Entry>& place) { return place ? place->rank : 0; }

/// The same in every process. Never 0, also of a player who is not on the board.
std::uint64_t hash_of(const std::optional<Entry>& place) {
  if (!place) return 1;
  const std::uint64_t parts[] = {place->rank, static_cast<std::uint64_t>(place->standing.points),
                                 static_cast<std::uint64_t>(place->standing.achieved_at.ms), place->standing.extra};
  return XXH3_64bits(parts, sizeof parts) | 2U;
}

std::string_view change(std::uint64_t before, std::uint64_t now) {
  if (now == before) return "moved";  // the same rank with other points
  if (before == 0) return "joined";
  if (now == 0) return "left";
  return now < before ? "risen" : "overtaken";
}

}  // namespace

EventListener::EventListener(std::optional<PlayerId> player, std::string_view last_id, std::weak_ptr<AnswerSink> waker,
                             Count count)
    : player_(std::move(player)), waker_(std::move(waker)), count_(std::move(count)) {
  if (const auto told = read_id(last_id)) {
    told_top_ = told->top;
    told_rank_ = told->rank;
    told_place_ = told->place;
  }
  count_->fetch_add(1, std::memory_order_relaxed);
}

EventListener::~EventListener() { count_->fetch_sub(1, std::memory_order_relaxed); }

bool EventListener::knows_place() const {
  const std::lock_guard lock(mutex_);
  return place_.has_value();
}

bool EventListener::has_news() const {
  if (!greeted_ || (top_ && top_->hash != told_top_)) return true;
  return place_ && top_ && hash_of(*place_) != told_place_;
}

void EventListener::wake_if(bool had_news) {
  if (had_news || !has_news()) return;
  if (const auto waker = waker_.lock()) waker->wake();
}

void EventListener::show_top(std::shared_ptr<const BoardTop> top) {
  const std::lock_guard lock(mutex_);
  const bool had_news = has_news();
  top_ = std::move(top);
  wake_if(had_news);
}

void EventListener::show_place(const std::optional<Entry>& place) {
  const std::lock_guard lock(mutex_);
  const bool had_news = has_news();
  place_ = place;
  wake_if(had_news);
}

void EventListener::forget_place() {
  const std::lock_guard lock(mutex_);
  place_.reset();
}

std::string EventListener::next() {
  const std::lock_guard lock(mutex_);
  std::string out;
  if (!has_news()) return out;
  if (!std::exchange(greeted_, true)) out += kRetry;
  if (top_ && top_->hash != told_top_) append_top(out);
  if (has_news()) append_rank(out);
  return out;
}

/// With what is known then, the next connection begins where this one ended.
void EventListener::append_id(std::string& out) const {
  out += fmt::format("id: {:016x}-{}-{:016x}\n", told_top_, told_rank_, told_place_);
}

void EventListener::append_top(std::string& out) {
  told_top_ = top_->hash;
  out += "event: top\n";
  append_id(out);
  out += "data: ";
  out += top_->text;
  out += "\n\n";
}

void EventListener::append_rank(std::string& out) {
  const std::uint64_t before = told_rank_;
  const std::uint64_t now = rank_of(*place_);
  const auto in_top = [this](std::uint64_t rank) { return rank != 0 && rank <= top_->limit; };
  const bool is_first = told_place_ == 0;
  const std::string_view what = is_first ? "first" : change(before, now);
  told_rank_ = now;
  told_place_ = hash_of(*place_);
  out += "event: rank\n";
  append_id(out);
  out += "data: {";
  out += top_->head;
  out += ',';
  if (*place_) {
    append_entry(out, **place_, top_->record->definition);
    out += R"(,"players":)";
    append_number(out, top_->players);
  } else {
    out += R"("rank":null,"playerId":)";
    append_quoted(out, player_->text());
  }
  out += R"(,"previousRank":)";
  if (before == 0) {
    out += "null";
  } else {
    append_number(out, before);
  }
  out += fmt::format(R"(,"change":"{}","inTop":{})", what, in_top(now));
  if (!is_first && in_top(now) != in_top(before)) {
    out += in_top(now) ? R"(,"top":"entered")" : R"(,"top":"left")";
  }
  out += "}\n\n";
}

}  // namespace scoreline::http
