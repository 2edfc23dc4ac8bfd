#include "http/event_listener.h"

#include <fmt/format.h>

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

/// The two numbers of an id, `0123456789abcdef-7`; false when it is none of ours.
bool read_id(std::string_view id, std::uint64_t& hash, std::uint64_t& rank) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return false;
  const auto whole = [](std::string_view text, std::uint64_t& value, int base) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && rest == text.data() + text.size();
  };
  return whole(id.substr(0, dash), hash, 16) && whole(id.substr(dash + 1), rank, 10);
}

std::uint64_t rank_of(const std::optional<Entry>& place) { return place ? place->rank : 0; }

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
  std::uint64_t hash = 0, rank = 0;
  if (read_id(last_id, hash, rank)) {
    told_top_ = hash;
    told_rank_ = rank;
    told_place_ = rank != 0;
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
  if (!place_ || !top_) return false;
  if (!told_place_ || rank_of(*place_) != told_rank_) return true;
  return *place_ && told_standing_ && (*place_)->standing != *told_standing_;
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
  // After a return only the rank is known of what it was told.
  if (told_place_ && !told_standing_ && place && rank_of(place) == told_rank_) told_standing_ = place->standing;
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
void EventListener::append_id(std::string& out) const { out += fmt::format("id: {:016x}-{}\n", told_top_, told_rank_); }

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
  const std::string_view what = told_place_ ? change(before, now) : "first";
  told_rank_ = now;
  told_standing_ = *place_ ? std::optional((*place_)->standing) : std::nullopt;
  out += "event: rank\n";
  append_id(out);
  out += "data: {";
  out += top_->head;
  out += ',';
  if (*place_) {
    append_entry(out, **place_, top_->scale);
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
  if (std::exchange(told_place_, true) && in_top(now) != in_top(before)) {
    out += in_top(now) ? R"(,"top":"entered")" : R"(,"top":"left")";
  }
  out += "}\n\n";
}

}  // namespace scoreline::http
